/** The stack of a thread that is held without a debugger, with the names and lines that gdb would tell. */
import type { Module } from '../../../plugin-api/image';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import type { HeldThread } from '../../agent/holder';
import { isSystemLibrary } from '../../expressions/frames';
import { maxFrames, signalFrame, type Frame } from '../../stacks/frame';
import type { HostProcess } from '../../hosts/host-process';
import type { EpochImage } from '../../images/epoch-image';
import { helperOf } from '../../job/thread-role';
import type { ThreadRole } from '../../job/rank';
import { codeAddress, unwind, type UnwoundFrame } from '../../../plugin-api/processor/unwind/unwind';
import { inlinedLinesOf, type Place } from '../history/code-places';
import { moduleAt, withoutVersion } from './called-function';
import type { ThreadStack } from './positions';

/** A process whose threads are held. */
interface HeldProcess {
  image: EpochImage;
  process: HostProcess;
  mpis: KnownMpis;
  /** Reads the lines of files; no process is touched. */
  gdb: string;
}

/** Without source lines, which are looked up after the threads have been let go. */
export interface HeldStack extends ThreadStack {
  /** The same frames with the lines of the program's own, and those that are inlined in them, as gdb lists them. The process may run, or have ended. */
  withLines(): Promise<Frame[]>;
}

/** A thread that stands where its registers say, or one that has called from there what reports its end, and waits inside. */
export interface StandingThread extends HeldThread {
  /** isCaller: `address` is where the call returns to. */
  dying?: { isCaller: boolean };
}

/**
 * Rejects with UnwindError where the stack cannot be followed; that of a dying thread may be broken, and is followed as far as it goes, as all are with
 * isPartial.
 */
export async function heldStack(
  held: HeldProcess,
  { address, registers, threadPointer, dying }: StandingThread,
  { isPartial = false } = {},
): Promise<HeldStack> {
  const { image } = held;
  const kernelCode = await kernelModule(held.process);
  const unwound = await unwind(image, address, registers, {
    moduleAt: async (at) =>
      (await moduleAt(image, at)) ?? (kernelCode !== undefined && holds(kernelCode, at) ? kernelCode : undefined),
    most: maxFrames,
    isLast: async (frame) => frame.module?.isExecutable === true && (await functionAt(held, frame)) === 'main',
    isPartial: isPartial || dying !== undefined,
    ...(dying && { isCaller: dying.isCaller }),
  });
  const frames = await Promise.all(
    unwound.map(async (frame, level) => {
      const isTrampoline = unwound[level + 1]?.isCaller === false;
      return { ...(await frameOf(held, frame, level)), ...(isTrampoline && { function: signalFrame }) };
    }),
  );
  return {
    frames,
    registers: (level) => Promise.resolve(unwound[level]?.registers),
    threadPointer: () => Promise.resolve(threadPointer),
    isWhole: unwound.length < maxFrames,
    withLines: () => withLines(held, unwound, frames),
  };
}

/** By the libraries on its stack. */
export function roleOf({ frames }: ThreadStack, mpis: KnownMpis): ThreadRole {
  return {
    name: undefined,
    helperOf: helperOf(
      frames.map(({ from }) => from),
      mpis,
    ),
  };
}

async function frameOf(held: HeldProcess, frame: UnwoundFrame, level: number): Promise<Frame> {
  const { address, module } = frame;
  return {
    kind: 'native',
    level,
    address,
    function: await functionAt(held, frame),
    ...{ file: undefined, fullName: undefined, line: undefined },
    from: module === undefined || module.isExecutable ? undefined : module.path,
  };
}

async function withLines(
  { mpis, gdb, process }: HeldProcess,
  unwound: readonly UnwoundFrame[],
  frames: readonly Frame[],
): Promise<Frame[]> {
  const places = unwound.flatMap((frame): Place[] => {
    const { module } = frame;
    if (module === undefined || isSystemLibrary(module.path, mpis)) return [];
    return [{ code: { address: returnAddress(frame) }, module, address: codeAddress(frame) - module.bias }];
  });
  const lines = await inlinedLinesOf(places, { gdb, process });
  return frames.flatMap((frame, level) => {
    const place = lines.get(returnAddress(unwound[level]!));
    if (place === undefined) return [frame];
    const { inlinedAt = [], ...innermost } = place;
    return [innermost, ...inlinedAt].map(({ file, line, function: name = frame.function }) => {
      return { ...frame, function: name && withoutVersion(name), file, fullName: file, line };
    });
  });
}

/** As of an address that a call returns to. */
function returnAddress(frame: UnwoundFrame): `0x${string}` {
  return `0x${(codeAddress(frame) + 1n).toString(16)}`;
}

async function functionAt({ image }: HeldProcess, frame: UnwoundFrame): Promise<string | undefined> {
  const name = (await image.symbolAt(codeAddress(frame)))?.name;
  return name && withoutVersion(name);
}

/** The code that the kernel gives to each process, to ask for the time: no library, so nothing lists it. */
async function kernelModule(process: HostProcess): Promise<Module | undefined> {
  const mapping = (await process.maps()).find(({ path }) => path === '[vdso]');
  if (mapping === undefined) return undefined;
  const { start, end, path } = mapping;
  const size = Number(end - start);
  const segments = [{ address: start, size, fileSize: size, writable: false, executable: true }];
  return { path, bias: start, buildId: undefined, isExecutable: false, segments };
}

function holds({ segments }: Module, address: bigint): boolean {
  return segments.some((each) => each.address <= address && address < each.address + BigInt(each.size));
}
