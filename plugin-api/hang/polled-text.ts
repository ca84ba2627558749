/** What a thread reads until it changes, where that lies, and who can change it, in words. */
import { describeRef } from '../mpi/describe-ref';
import { groupedBy } from '../grouped-by';
import { ranksInWords } from '../mpi/rank-names';
import type { Known, RequestInfo, WinInfo } from '../mpi/records';
import { isUnavailable } from '../result';
import { windowOf, windowRef } from './epochs';
import type { ProcessState } from './job-state';
import { placeOf } from './place-text';
import type { PolledMemory, PolledPlace, RankPosition } from './position';
import { forCount } from './for-count';
import { calledFrom, sentence, type HangWords } from './words';

/**
 * "is in its own code at flag.c:9, polling ready (now 0) in its part of MPI_Win "flags": only a change there ends the loop": in its own
 * memory as in what others share.
 */
export function polledText(
  position: RankPosition,
  { places, line }: PolledMemory,
  processes: readonly ProcessState[],
): string {
  const { where, thread, waitsIn } = position;
  const inThread = thread === 1 ? '' : ` in thread ${thread}`;
  const at = `${where === undefined ? '' : ` at ${where}`}${inThread}`;
  if (places.length === 0) {
    const pause = waitsIn === undefined ? '' : `, and waits there in ${waitsIn.call}`;
    return `is in a loop${at} that never ends${pause}: its compiled code reads nothing in memory that could end it`;
  }
  const process = processOf(position, processes);
  const told = places.map((place) => {
    const value = place.value === undefined ? '' : ` (now ${place.value})`;
    const window = process === undefined ? undefined : windowWith(place, processes[process]!, processes);
    if (window === undefined) return `${nameOf(place)}${value}`;
    const whose = window.owner === process ? 'its' : `${ranksInWords([processes[window.owner]!.id])}'s`;
    const part = `${whose} part of ${describeRef(windowRef(window.win))}`;
    return place.variable === undefined
      ? `${lengthOf(place)}${value} at byte ${window.offset} of ${part}`
      : `${nameOf(place)}${value} in ${part}`;
  });
  const quoted = line === undefined ? '' : ` ("${line}")`;
  return `is in its own code${at}${quoted}, polling ${told.join(' and ')}: only a change there ends the loop`;
}

/** "reads MPI_Win "mutex" in a loop with MPI_Compare_and_swap (a.c:8), and may wait for a change there": a count may end it as well. */
export function fetchingText(position: RankPosition, process: ProcessState): string {
  const own = windowOf(process, position.win);
  const name = own === undefined ? 'a window' : describeRef(windowRef(own));
  return `reads ${name} in a loop with ${position.fetches!.call}${placeOf(position)}, and may wait for a change there`;
}

/** "Rank 0, whose part it is, and all that share it can change it: rank 0 waits in MPI_Barrier (x.c:7).": who can, and what they do meanwhile. */
export function whoCanChange(processes: readonly ProcessState[], words: HangWords): string[] {
  const told = processes.flatMap((state, process) =>
    state.positions.flatMap((position) => {
      const { polls } = position;
      return (
        polls?.places.map((place) => ({
          process,
          text: ofPlace(place, { state, process, position }, processes, words),
        })) ?? []
      );
    }),
  );
  const groups = groupedBy(told, ({ text }) => text ?? '');
  return [...groups].flatMap(([text, of]) =>
    text === '' ? [] : [sentence(text.replace(ownRank, words.ranks(of.map(({ process }) => process))))],
  );
}

/** Stands for the ranks of which the same is told. */
const ownRank = '\0';

interface Poller {
  state: ProcessState;
  process: number;
  position: RankPosition;
}

function ofPlace(
  place: PolledPlace,
  { state, process, position }: Poller,
  processes: readonly ProcessState[],
  words: HangWords,
): string | undefined {
  const name = nameOf(place);
  const window = windowWith(place, state, processes);
  if (window !== undefined) {
    const isOwn = window.owner === process;
    const others = processes.flatMap(({ positions }, index) =>
      index === process || positions.some(({ polls }) => polls !== undefined) ? [] : [index],
    );
    const doing = [...groupedBy(others, (index) => words.absence(index))].map(
      ([text, of]) => `${words.ranks(of)} ${forCount(text, of.length)}`,
    );
    const what = place.variable === undefined ? 'it' : name;
    const how = isOwn && state.wins.every((win) => win !== window.win || win.flavor !== 'shared');
    const who = how
      ? `other ranks can change ${what} with MPI_Put and its like`
      : `${words.ranks([window.owner])}, whose part it is, can change ${what}, and so can all that share the window`;
    return doing.length === 0 ? who : `${who}: ${doing.join(', ')}`;
  }
  if (place.isShared === true)
    return `${name} is in memory that processes share (${place.file?.path ?? 'without a file'}): who changes it is not known`;
  const receive = state.requests.find((info) => isPendingReceive(info) && holds(info.buffer, info.bytes, place));
  if (receive !== undefined)
    return (
      `${name} lies in the buffer of a pending receive of ${ownRank}${fromWhom(receive)}: ` +
      'the library may receive only within its own calls, such as MPI_Test and MPI_Wait'
    );
  // Part of the library's windows may be elsewhere than it keeps.
  if (place.isShared === undefined || state.wins.some(({ base }) => known(base) !== undefined)) return undefined;
  const threads = state.positions.filter((other) => other.thread !== position.thread && other.call !== undefined);
  const doing = threads.map(
    (other) =>
      `thread ${other.thread} ${other.state === 'blocked' ? 'waits' : 'is'} in ${calledFrom(other, other.call!)}`,
  );
  const meanwhile = doing.length === 0 ? '' : `: ${doing.join(', ')}`;
  return `in ${ownRank}, only another thread or a handler of a signal can change ${name}${meanwhile}`;
}

/** "ready", or all that it reads. */
export function namesOf({ places, line }: PolledMemory): string {
  const quoted = line === undefined ? '' : ` ("${line}")`;
  return places.length === 0 ? 'nothing that can change' : `${places.map(nameOf).join(' and ')}${quoted}`;
}

/** "ready", "byte 40 of jobs", "4 bytes at 0x7ffd…" */
function nameOf({ variable, address, bytes }: PolledPlace): string {
  if (variable === undefined) return `${lengthOf({ bytes })} at ${address}`;
  const isWhole = variable.offset === 0 && (variable.bytes === 0 || variable.bytes === bytes);
  return isWhole ? variable.name : `byte ${variable.offset} of ${variable.name}`;
}

function lengthOf({ bytes }: Pick<PolledPlace, 'bytes'>): string {
  return bytes === 1 ? 'a byte' : `${bytes} bytes`;
}

interface PolledWindow {
  win: WinInfo;
  /** Whose part of it. */
  owner: number;
  offset: bigint;
}

/** The window that the place is in, a shared one first. undefined: it is in none that is known. */
function windowWith(
  place: PolledPlace,
  state: ProcessState,
  processes: readonly ProcessState[],
): PolledWindow | undefined {
  const { file, address } = place;
  for (const [owner, { wins, id }] of processes.entries()) {
    if (id.host !== state.id.host) continue;
    for (const win of wins) {
      // Null handles have neither.
      const bytes = BigInt(known(win.bytes) ?? 0);
      const offset = file === undefined ? 0n : BigInt(file.offset) - BigInt(win.sharedAt?.offset ?? 0);
      if (file !== undefined && win.sharedAt?.file === file.id && offset >= 0n && offset < bytes)
        return { win, owner, offset };
    }
  }
  const own = state.wins.find((win) => holds(win.base, win.bytes, place));
  const owner = processes.indexOf(state);
  return own && { win: own, owner, offset: BigInt(address) - BigInt(own.base as string) };
}

function holds(
  base: WinInfo['base'] | undefined,
  bytes: WinInfo['bytes'] | undefined,
  { address }: PolledPlace,
): boolean {
  const [start, size] = [known(base), known(bytes)];
  if (start === undefined || size === undefined) return false;
  const offset = BigInt(address) - BigInt(start);
  return offset >= 0n && offset < BigInt(size);
}

function known<T>(value: Known<T> | undefined): T | undefined {
  return value === undefined || isUnavailable(value) ? undefined : value;
}

function isPendingReceive({ operation, complete, active }: RequestInfo): boolean {
  return operation === 'receive' && complete === false && active !== false;
}

function fromWhom({ peer, tag }: RequestInfo): string {
  const from = typeof peer === 'number' ? ` from ${peer}` : '';
  return `${from}${typeof tag === 'number' ? ` with tag ${tag}` : ''}`;
}

function processOf(position: RankPosition, processes: readonly ProcessState[]): number | undefined {
  const found = processes.findIndex(({ positions }) => positions.includes(position));
  return found < 0 ? undefined : found;
}
