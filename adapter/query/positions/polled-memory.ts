/** Places in memory that a thread outside MPI reads in a loop, which ends only when they change. */
import type { PolledMemory, PolledPlace } from '../../../plugin-api/hang/position';
import type { CodeRef } from '../../../plugin-api/mpi/code-ref';
import { readPointer } from '../../../plugin-api/memory';
import { FaultError, guard } from '../../../plugin-api/result';
import type { ProcessCode } from '../../expressions/code-modules';
import type { HostProcess } from '../../hosts/host-process';
import { isNewerThan, sourceText } from '../../job/source-text';
import { ModuleCode } from '../../../plugin-api/processor/code/code';
import { innermostLoop } from '../../../plugin-api/processor/code/innermost-loop';
import { slotOf, type Instruction } from '../../../plugin-api/processor/instruction';
import { conditionsOf, type CalledInLoop } from '../../../plugin-api/processor/code/loop-conditions';
import type { PolledPlace as Place } from '../../../plugin-api/processor/code/loop-values';
import { callsOf } from '../../../plugin-api/processor/code/reachable-calls';
import { isMpiCall, nameOfCall } from '../across-ranks/mpi-calls';
import { programFrames } from './call-on-stack';
import { behindPlt, moduleAt } from './called-function';
import type { StoppedStack } from './passed-arguments';

/** They let time pass, lock, or make changes of others visible: none writes what the program reads. */
const harmless =
  /^_*((clock_)?nanosleep|u?sleep|sched_yield|pthread_(yield|mutex_(lock|unlock))|thrd_(sleep|yield)|mtx_(un)?lock|gfortran_sleep_i[48](_sub)?|omp_(un)?set_lock_?)$/;

/** A loop is in the innermost function of the program, or in one of those that call it. */
const maxFrames = 8;

/** undefined: it does not, or something else may end the loop, or the code does not tell. */
export async function polledMemory(
  stack: StoppedStack,
  code: ProcessCode,
  process: HostProcess | undefined,
): Promise<PolledMemory | undefined> {
  const found = await guard(() => polledBy(stack, code));
  if (!found.ok || found.value === undefined) return undefined;
  const read = await guard(() => Promise.all(found.value!.map((place) => described(place, stack, process))));
  return read.ok ? { places: read.value } : undefined;
}

/** With the line of the source where that is not newer than the program. */
export async function withLineText<Position extends { polls?: PolledMemory; code?: CodeRef }>(
  position: Position,
): Promise<Position> {
  const { polls, code: { file, line, module } = {} } = position;
  if (polls === undefined || file === undefined || line === undefined || module === undefined) return position;
  if (polls.places.every(({ variable }) => variable !== undefined && variable.offset === 0)) return position;
  const text = (await sourceText(file))?.split('\n')[line - 1]?.trim();
  if (text === undefined || text === '' || text.length > maxLine || (await isNewerThan(file, module))) return position;
  return { ...position, polls: { ...polls, line: text } };
}

/** A longer one says little. */
const maxLine = 100;

async function polledBy(
  { frames, image, registers }: StoppedStack,
  code: ProcessCode,
): Promise<readonly Place[] | undefined> {
  for (const { address, level, function: name = '' } of programFrames(frames, code).slice(0, maxFrames)) {
    if (address === undefined) return undefined;
    const module = await moduleAt(image, address);
    if (module === undefined) return undefined;
    // Loops of the C++ library, as around nanosleep, end by themselves.
    if (isOfStandardLibrary((await image.symbolAt(address))?.name ?? name)) continue;
    const source = new ModuleCode(image, module);
    const place = { address: Number(address - module.bias), isReturn: level > 0 };
    const loop = await innermostLoop(source, place);
    if (loop === undefined) continue;
    const at = place.isReturn
      ? [...loop].find(([from, { length }]) => from + length === place.address)?.[0]
      : place.address;
    const values = await registers(level);
    if (at === undefined || values === undefined) return undefined;
    const frame = {
      register: (number: number) => values.values[number],
      bias: module.bias,
      read: (each: Place) => valueAt(image, each),
    };
    return conditionsOf(loop, at, frame, (from, instruction) => calledIn(from, instruction));

    async function calledIn(from: number, { flow, length }: Instruction): Promise<CalledInLoop | undefined> {
      let target: bigint | undefined;
      if (flow.kind === 'call') target = module!.bias + BigInt(from + flow.target);
      else if (flow.kind === 'indirectCall') {
        const slot = slotOf(flow.through, from + length);
        target = slot === undefined ? undefined : await readPointer(image, module!.bias + BigInt(slot));
      }
      if (target === undefined) return undefined;
      const symbol = await image.symbolAt((await behindPlt(image, target)) ?? target);
      if (symbol === undefined) return undefined;
      const bytes = bytesOfAtomic(symbol.name);
      if (bytes !== undefined) return { kind: 'loads', bytes };
      if (isHarmless(symbol.name)) return { kind: 'keeps' };
      if (symbol.module.path !== module!.path || !isPause(symbol.name)) return undefined;
      // this_thread::sleep_for, say, which is compiled into the program.
      const { linked, isComplete } = await callsOf(image, symbol.module, new Map([[from, { ...loop!.get(from)! }]]));
      return isComplete && linked.every((each) => isHarmless(each.name)) ? { kind: 'keeps' } : undefined;
    }
  }
  return undefined;
}

/** What libstdc++ computes of memory orders within loads of atomics, which are compiled into their caller: neither reads memory of the program nor writes any. */
const ofMemoryOrders = /^_ZSt(anSt12memory_orderSt23__memory_order_modifier|23__is_constant_evaluatedv)$/;

function isHarmless(name: string): boolean {
  return (
    harmless.test(name) ||
    ofMemoryOrders.test(name) ||
    (isMpiCall(name) && nameOfCall(name) === 'MPI_Win_sync') ||
    name === '__errno_location'
  );
}

function isOfStandardLibrary(symbol: string): boolean {
  return /^_ZNK?St/.test(symbol) || isPause(symbol);
}

/** What this_thread::sleep_for and yield are made of: it writes nothing but its own variables. */
function isPause(symbol: string): boolean {
  return /^_ZN(St11this_thread|K?St6chrono)/.test(symbol) || /^_ZL\d+__gthread_yield/.test(symbol);
}

/** As what the C++ library has for atomics is compiled without optimisation. */
function bytesOfAtomic(symbol: string): number | undefined {
  const [, letter] =
    /^_ZNV?KSt(?:6atomicI|13__atomic_baseI)([abcdhijlmstxy])E(?:4loadESt12memory_order|cv[a-z]Ev)$/.exec(symbol) ?? [];
  return letter === undefined ? undefined : sizes[letter];
}

const sizes: Readonly<Record<string, number>> = {
  ...{ a: 1, b: 1, c: 1, h: 1, s: 2, t: 2, i: 4, j: 4, l: 8, m: 8, x: 8, y: 8, d: 8 },
};

async function valueAt(image: StoppedStack['image'], { address, bytes }: Place): Promise<bigint | undefined> {
  try {
    const read = await image.readMemory(address, bytes);
    return read.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
  } catch (error) {
    if (error instanceof FaultError) return undefined;
    throw error;
  }
}

async function described(
  { address, bytes }: Place,
  { image }: StoppedStack,
  process: HostProcess | undefined,
): Promise<PolledPlace> {
  const [value, symbol] = [await valueAt(image, { address, bytes }), await image.symbolAt(address)];
  const name = symbol === undefined ? undefined : nameOfVariable(symbol.name);
  const mapping = (await process?.maps())?.find(({ start, end }) => start <= address && address < end);
  return {
    address: `0x${address.toString(16)}`,
    bytes,
    ...(value === undefined ? {} : { value: String(value) }),
    ...(symbol === undefined || name === undefined
      ? {}
      : { variable: { name, offset: Number(address - symbol.address), bytes: symbol.size } }),
    ...(mapping === undefined ? {} : { isShared: mapping.shared }),
    ...(mapping?.shared === true && mapping.file !== undefined
      ? {
          file: {
            id: mapping.file,
            path: mapping.path,
            offset: String(BigInt(mapping.offset) + address - mapping.start),
          },
        }
      : {}),
  };
}

/** As the source has it: of gfortran "go" for "__state_MOD_go", of C "done" for "done.2", of C++ "app::done" for "_ZN3app4doneE". */
function nameOfVariable(symbol: string): string | undefined {
  const [, ofModule] = /^__\w+_MOD_(\w+)$/.exec(symbol) ?? [];
  if (ofModule !== undefined) return ofModule;
  if (!symbol.startsWith('_Z')) return symbol.replace(/\.\d+$/, '');
  const [, plain, nested] = /^_Z(?:L?(\d.*)|N(\d.*)E)$/.exec(symbol) ?? [];
  const names: string[] = [];
  let rest = plain ?? nested;
  while (rest !== undefined && rest !== '') {
    const [head, digits] = /^L?(\d+)/.exec(rest) ?? [];
    const length = Number(digits);
    if (head === undefined || !(length > 0) || rest.length < head.length + length) return undefined;
    names.push(rest.slice(head.length, head.length + length));
    rest = rest.slice(head.length + length);
  }
  if (names.length === 0 || (plain !== undefined && names.length > 1)) return undefined;
  return names.filter((name) => name !== '_GLOBAL__N_1').join('::');
}
