/** A look at a job of which ranks are about to die: all ranks that can be reached are held, and read without a debugger. */
import { hasAddress, signalOf } from '../../../plugin-api/answers/signal-words';
import type { Death } from '../../../plugin-api/deaths/death';
import { isToldToExit } from '../../../plugin-api/deaths/told-to-exit';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { RankId, StacksDocument } from '../../../plugin-api/mpi/records';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import type { StoppedStack } from '../positions/passed-arguments';
import { isUserCode } from '../../expressions/frames';
import { isOwnCode } from '../across-ranks/program-frames';
import { callPlace } from '../across-ranks/call-place';
import { outlinedSource } from '../across-ranks/openmp-frames';
import { signalFrame, type Frame } from '../../stacks/frame';
import type { Host } from '../../hosts/host';
import { HostProcess } from '../../hosts/host-process';
import { LocalHost, localHost } from '../../hosts/local-host';
import { StartError } from '../../job/start-error';
import { processesAt, ranksOnlyHere, type Placed } from '../../job-sources/job-finder';
import { mergeStacks, type RankStacks } from '../across-ranks/stacks';
import { HeldLooks, isInTheWay, type DyingThreads } from '../hang/held-look';
import type { SeenRank } from '../hang/held-rank';
import { callOfEntry } from '../positions/call-on-stack';
import { exceptionWhat } from '../positions/cxx-exception';
import { callNamed } from './death-facts';
import { errorClassNamed } from './error-class';
import { failedCall, handleArgument } from './failed-call';
import { fullStackOf } from './full-stack';
import { failedReceive } from './failed-receive';
import { stackThatFailed } from './handled-error';
import { pythonFrames, type DeathFrame, type RankDeath, type SeenDeaths } from '../../../plugin-api/deaths/rank-death';

/** A process that waits with its end. */
export interface Dying {
  host: Host;
  death: Death;
}

export interface DeathLookOptions {
  launcherPid: number;
  /** Finds the ranks of a job that are not found below the launcher. */
  ranks?: (() => Promise<Placed<Host>>) | undefined;
  /** Where deaths are announced: the ranks have it in their environment. */
  socket: string;
  plugins: PluginRegistry;
  /** Reads the lines of files; no process is touched. */
  gdb: string;
  /** Called when all ranks have been read, and run again. */
  onRead?: () => void;
}

export interface DeathLook extends SeenDeaths {
  /** undefined: they could not be held. */
  stacks: StacksDocument | undefined;
}

/**
 * `announced`: who is about to die, at the moment of the call. Resolves when all ranks run again but those that die, which wait. undefined: no
 * rank is among them.
 */
export async function lookAtDeaths(
  options: DeathLookOptions,
  announced: () => readonly Dying[],
  signal: AbortSignal,
): Promise<DeathLook | undefined> {
  const found = await ranksHere(options, announced());
  const rankOf = ({ host, death: { pid } }: Dying) =>
    found.targets.find((target) => isSameHost(target.host, host) && target.place.pid === pid);
  if (!announced().some(rankOf)) return undefined;
  let dying: readonly Dying[] = [];
  const threads: DyingThreads = {
    onRead: options.onRead,
    at: (host, through, tid) => {
      if (dying.length === 0) dying = announced();
      // A process whose first thread has ended is reached through another one.
      const isOfHost = (each: { host: Host }): boolean => isSameHost(each.host, host);
      const pid = found.targets.find((each) => isOfHost(each) && each.pid === through)?.place.pid ?? through;
      const isThis = ({ death }: Dying): boolean => death.pid === pid && death.tid === tid;
      const stack = dying.find((each) => isOfHost(each) && isThis(each))?.death.stack;
      if (stack === undefined) return undefined;
      return { address: stack.address, registers: stack.registers, dying: { isCaller: stack.isCaller } };
    },
  };
  let unread: string | undefined;
  const look = await new HeldLooks(options.plugins, options.gdb)
    .look(found, signal, threads)
    .catch((error: unknown) => {
      if (!isInTheWay(error)) throw error;
      unread = (error as Error).message;
      return undefined;
    });
  const all = (dying.length === 0 ? announced() : dying).map((each) => ({ ...each, seen: seenOf(each) }));
  const ending = all.map(({ death, seen }) => ({ death, within: seen && innermostCall(seen, death) }));
  const ranks = all
    .filter((each, i) => rankOf(each) !== undefined && !isToldToExit(ending[i]!, ending))
    .toSorted(({ death: a }, { death: b }) => (a.time < b.time ? -1 : Number(a.time > b.time)));
  const deaths = await Promise.all(
    ranks.map(async (each): Promise<RankDeath> => {
      const { host, death, seen } = each;
      const idOf = ({ place }: (typeof found.targets)[number]): RankId => ({
        ...{ rank: place.number, host: host.name, pid: place.pid },
        ...(place.world === undefined ? {} : { world: place.world }),
      });
      const id = idOf(rankOf(each)!);
      const sender = found.targets.find(
        (target) => isSameHost(target.host, host) && target.place.pid === death.signal?.sender,
      );
      return {
        id,
        death: withoutHandler(death),
        frames: [],
        ...(sender && { sender: idOf(sender) }),
        ...(await fullStackOf(host, death)),
        ...(seen && (await detailsOf(seen, death))),
      };
    }),
  );
  function seenOf({ host, death: { pid } }: Dying): SeenRank | undefined {
    return look?.seen.find((one) => one.id.pid === pid && one.id.host === host.name);
  }
  const stacks = look && mergeStacks(await Promise.all(look.seen.map(stacksOf)), [], 'live', 'calls');
  return { deaths, states: look?.look ?? [], held: look?.held ?? 0, stacks, ...(unread !== undefined && { unread }) };
}

/** Where none is below the launcher, a batch system's daemon may have started those that have announced their end. */
async function ranksHere(
  { launcherPid, ranks, plugins, socket }: DeathLookOptions,
  dying: readonly Dying[],
): Promise<Placed<Host>> {
  if (ranks !== undefined) return ranks();
  try {
    const found = await ranksOnlyHere({ launcherPid }, plugins);
    if (found !== undefined) return found;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
  }
  const own = await Promise.all(
    dying.map(async ({ death: { pid } }) => {
      const environment = await new HostProcess(localHost, pid).environment();
      return environment.get('MPIDBG_DEATHS') === socket ? [pid] : [];
    }),
  );
  const { targets, dead } = await processesAt(own.flat(), plugins);
  return { targets: targets.filter(({ place }) => place.number !== null), dead };
}

/** This machine is known by several objects. */
function isSameHost(one: Host, other: Host): boolean {
  return one === other || (one instanceof LocalHost && other instanceof LocalHost);
}

/** Where the thread that dies is, calls that the library makes itself included. */
function innermostCall({ threads, code }: SeenRank, death: Death): string | undefined {
  const frames = threads.find(({ tid }) => tid === death.tid)?.stack.frames ?? [];
  return frames.map((frame) => callOfEntry(frame, code)).find((call) => call !== undefined);
}

async function detailsOf(seen: SeenRank, death: Death): Promise<Partial<RankDeath>> {
  const thread = seen.threads.findIndex(({ tid }) => tid === death.tid);
  const { stack } = seen.threads[thread] ?? {};
  if (stack === undefined || death.stack === undefined) return {};
  const number = thread + 1;
  const frames = await stack.withLines();
  const own = frames.filter((frame) => isUserCode(frame, seen.code));
  const place = callPlace(frames, seen.code);
  const library = own.length > 0 ? undefined : (frames[0]?.from ?? frames[0]?.function);
  const shown = own
    .slice(place === undefined ? 0 : own.indexOf(place.frame))
    .filter((frame, i) => i === 0 || seen.code.libraries?.holds(frame.fullName ?? frame.file ?? '') !== true);
  const native = shown.map((frame, i) => ({ ...frameOf(frame), ...(i > 0 && calledBetween(shown[i - 1]!, frame)) }));
  // The last thread ends the process when main has ended its own by pthread_exit().
  const isAfterOthers = number > 1 && native.length === 0;
  const isAfterMain = number === 1 && !native.some(({ name }) => name === 'main');
  const isAfterAll = death.kind === 'return' && (isAfterMain || isAfterOthers);
  // What has called main is no place of the program.
  if (isAfterAll) return { thread: number };
  const whole = { ...stack, image: seen.image };
  const { ownHandler, exception } = death;
  const behind = ownHandler && (await unlessLost(() => stackThatFailed(whole, ownHandler)));
  const proved = behind === undefined ? withoutHandler(death) : withHandlersOwner(death, whole, behind, seen);
  const what = exception && (await unlessLost(() => exceptionWhat(seen.image, exception)));
  const thrownAt = death.thrown === undefined ? undefined : await placeOfCall(seen, death.thrown);
  const leftAt = death.left && (await placeOfCall(seen, death.left.address));
  const isThere = thrownAt?.source === native[0]?.source && thrownAt?.line === native[0]?.line;
  return {
    // A function of libc has called exit().
    death: death.kind === 'return' ? ({ ...proved, kind: 'exit', function: 'exit' } as const) : proved,
    frames: native.length > 0 ? native : pythonFrames(death),
    ...(what === undefined ? {} : { what }),
    ...(frames.some(isBarrier) && { isBarred: true as const }),
    ...(thrownAt !== undefined && !isThere && { thrownAt }),
    ...(leftAt !== undefined && { leftAt }),
    thread: number,
    isFinalizing: seen.threads.some((each) =>
      each.stack.frames.some((frame) => callOfEntry(frame, seen.code) === 'MPI_Finalize'),
    ),
    ...(library === undefined ? {} : { library }),
    ...(await unlessLost(() => callDetails(seen, proved, behind ?? whole))),
  };

  /** How the outer of two frames of the program has come to call the inner one. */
  function calledBetween(inner: Frame, outer: Frame): Pick<DeathFrame, 'by' | 'isInterrupted'> {
    const between = frames.slice(frames.indexOf(inner) + 1, frames.indexOf(outer));
    const called = between.at(-1);
    const by = called && callOfEntry(called, seen.code);
    return {
      ...(by !== undefined && { by }),
      ...(between.some((frame) => frame.function === signalFrame) && { isInterrupted: true }),
    };
  }
}

/** Where no exception may get out, the C++ library ends the process from there. */
function isBarrier({ function: name = '' }: Frame): boolean {
  return /^(__cxa_call_terminate|__gxx_personality_v0)$/.test(name);
}

/** Where the call is that returns to this address; undefined: it has no line. Without the file where the compiler has noted a header's for it. */
async function placeOfCall(seen: SeenRank, address: bigint): Promise<DeathFrame | undefined> {
  const { file, line, function: name } = (await seen.placeOf(`0x${address.toString(16)}`)) ?? {};
  if (name === undefined || file === undefined || line === undefined) return undefined;
  return seen.code.libraries?.holds(file) === true ? { name } : { name, source: file, line };
}

/** `stack`: from where MPI was called. Rejects where unlessLost knows. */
async function callDetails(seen: SeenRank, death: Death, stack: StoppedStack): Promise<Partial<RankDeath>> {
  const mpi = await seen.mpi;
  if (mpi === undefined) return {};
  const { error, object } = death;
  const failed = nameOfFailed(death);
  const call = await failedCall(stack, seen.code, mpi, { text: error?.text ?? '', failed, fault: faultOf(death) });
  const comm = object?.kind === 'comm' ? await commText(mpi, object) : undefined;
  const errorClass = error && (await errorClassOf(mpi, error));
  return {
    ...(comm === undefined ? {} : { comm }),
    ...(errorClass === undefined ? {} : { errorClass }),
    ...(call && { call, ...(await failedReceive(mpi, call, errorClass, error?.text ?? '')) }),
  };
}

/** undefined: the rank has ended before all was read, or its memory makes no sense. */
async function unlessLost<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isInTheWay(error)) return undefined;
    throw error;
  }
}

/** The death without the error handler in which the rank believes to be: only its stack proves that the handler has not returned. */
function withoutHandler(death: Death): Death {
  if (death.ownHandler === undefined) return death;
  return { ...death, ownHandler: undefined, ...(death.returnedBy === undefined && { error: undefined }) };
}

/** A handler of the program's own has a frame of the program; what MPI does itself about an error that is fatal has none. */
function withHandlersOwner(death: Death, whole: StoppedStack, behind: StoppedStack, { code }: SeenRank): Death {
  const { ownHandler } = death;
  const inner = whole.frames.slice(0, whole.frames.length - behind.frames.length);
  if (ownHandler === undefined || inner.some((frame) => isOwnCode(frame, code))) return death;
  return { ...death, ownHandler: { ...ownHandler, isOfMpi: true } };
}

/** The address that the rank could not use; undefined: it has not died of one. */
function faultOf({ kind, signal }: Death): bigint | undefined {
  if (kind !== 'signal' || signal === undefined) return undefined;
  return hasAddress(signalOf(signal.number).name, signal.code) ? signal.address : undefined;
}

/** "MPI_Recv"; undefined: no call has failed. */
function nameOfFailed({ kind, function: name, ownHandler }: Death): string | undefined {
  return callNamed(ownHandler?.function ?? (kind === 'mpiError' ? name : undefined));
}

/** The rank does not ask MPI for it after a fault. */
async function errorClassOf(mpi: MpiProcess, error: NonNullable<Death['error']>): Promise<string | undefined> {
  const number = error.class ?? mpi.errorClass?.(error.code);
  return number === undefined ? undefined : errorClassNamed(mpi, number);
}

/** What an MPI error or MPI_Abort was about; undefined: it is not known. */
async function commText(
  mpi: MpiProcess,
  { handle, isFortran }: NonNullable<Death['object']>,
): Promise<string | undefined> {
  if (!isFortran) return (await handleArgument(mpi, 'comm', BigInt.asUintN(8 * mpi.handleSize('comm'), handle)))?.text;
  const integer = Number(BigInt.asIntN(32, handle));
  const found = await mpi.fortranToC('comm', integer);
  return found.ok ? (await handleArgument(mpi, 'comm', found.value))?.text : `the INTEGER handle ${integer}`;
}

function frameOf(frame: Frame): DeathFrame {
  const { function: own = '??', fullName, file, line } = frame;
  const source = fullName ?? file;
  const name = outlinedSource(frame) ?? own;
  return { name, ...(source && { source }), ...(line !== undefined && { line }) };
}

async function stacksOf({ id, code, threads }: SeenRank): Promise<RankStacks> {
  const own = threads.filter(({ isHelper }) => !isHelper);
  return { id, code, threads: await Promise.all(own.map(({ stack }) => stack.withLines())) };
}
