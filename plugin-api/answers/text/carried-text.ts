/** The way of the first NaN, or of the first infinity: which rank gave it away first, and by which calls others got it. */
import type { Carried } from '../../deaths/carried-record';
import { groupedBy } from '../../grouped-by';
import { ranksInWords } from '../../mpi/rank-names';
import type { CodeRef } from '../../mpi/code-ref';
import type { RankDeath } from '../../deaths/rank-death';
import { makesNumber } from './death-cause-text';
import { madeLines } from './death-text';

/** Ways that are told. */
const maxWays = 6;

/** What was seen of a job. */
export interface SeenNumbers {
  carried: readonly Carried[];
  /** What made NaN and infinities, of ranks that went on, in the order of their time; undefined: it was not watched. */
  made: readonly RankDeath[] | undefined;
}

/** For a terminal. */
export function carriedText(seen: SeenNumbers): string[] {
  const ways = carriedWays(seen);
  if (ways.length === 0)
    return [
      '--watch-nan has seen no NaN and no infinity in the numbers that MPI carried; bytes (MPI_BYTE) are not looked at',
    ];
  return ways.flatMap(([first, ...others]) => [first!, ...others.map((line) => `  ${line}`)]);
}

/** Lines about NaNs, then about infinities, of which the first stands for itself; empty: nothing was carried or made. */
export function carriedWays({ carried, made }: SeenNumbers): string[][] {
  return [true, false]
    .map((isNan) => {
      const of = carried.filter((each) => each.isNan === isNan);
      const makers = made?.filter((each) => makes(each, isNan));
      return makers === undefined || makers.length === 0 ? wayOf(of, made !== undefined) : wayFrom(makers, of);
    })
    .filter(({ length }) => length > 0);
}

/** Whether it is about NaNs, or about infinities. */
export function makes(each: RankDeath, isNan: boolean): boolean {
  const { floatKinds } = each.death;
  return isNan ? floatKinds.includes('invalid') : floatKinds.some((kind) => kind !== 'invalid');
}

/** Whose rank had got none before: the first that had one, as far as calls of MPI tell. */
export function originsOf(all: readonly Carried[]): Carried[] {
  const came = new Map<number, bigint>();
  for (const { direction, rank, isOnWindow, peerInWorld, time } of all) {
    const reached = direction === 'in' ? rank : isOnWindow ? peerInWorld : undefined;
    const since = reached === undefined ? undefined : came.get(reached);
    if (reached !== undefined && (since === undefined || time < since)) came.set(reached, time);
  }
  return sorted(all).filter(({ direction, rank, time }) => {
    const since = came.get(rank);
    return direction === 'out' && (since === undefined || since > time);
  });
}

/** isMakingWatched: no operation was seen to make it. */
function wayOf(all: readonly Carried[], isMakingWatched: boolean): string[] {
  const origins = originsOf(all);
  const [first, ...later] = origins;
  const came = cameFrom(all, origins);
  const what = all[0]?.isNan === true ? 'a NaN' : 'an infinity';
  if (first === undefined) return came.length === 0 ? [] : [unknownOrigin(what, came[0]!), ...waysTo(came)];
  const others = groupedBy(later, (each) => callText(each));
  const hint = first.isNan ? '; --trap-fp invalid finds the line that makes it' : '';
  return [
    `${ranksInWords([first])} was the first to pass ${what} to MPI: ${callText(first)}`,
    `none was seen to come to it before${isMakingWatched ? unmade : hint}`,
    ...[...others.values()]
      .slice(0, maxWays)
      .map((group) => `so did ${ranksInWords(group)}, and none was seen to come there: ${callText(group[0]!)}`),
    ...waysTo(came),
    ...unseen(origins, came),
  ];
}

function unknownOrigin(what: string, first: Carried): string {
  if (first.isOnWindow) return `${what} was in a window, and no rank was seen to put it there`;
  const isReduction = /reduce|scan/i.test(first.call);
  return isReduction
    ? `${what} came out of a reduction to which no rank was seen to pass one: its operation may have made it`
    : `${what} came from a rank that was not seen to send it`;
}

/** MPI_MAX may hide it. What is put into a window is seen by nobody there. */
function unseen(origins: readonly Carried[], came: readonly Carried[]): string[] {
  return came.length > 0 || origins.some(({ isOnWindow }) => isOnWindow) ? [] : ['no other rank was seen to get it'];
}

const unmade =
  ', and no operation that was watched made it: it may be from a file, from memory that was not set, or put there';

/** What was made, and where it went. */
function wayFrom(makers: readonly RankDeath[], all: readonly Carried[]): string[] {
  const origins = originsOf(all);
  const isMaker = ({ rank, pid, time }: Carried): boolean =>
    makers.some(({ id, death }) => id.rank === rank && id.pid === pid && death.time < time);
  const came = cameFrom(all, origins);
  const passed = [...groupedBy(origins.filter(isMaker), callText).values()];
  const others = [
    ...groupedBy(
      origins.filter((each) => !isMaker(each)),
      callText,
    ).values(),
  ];
  return [
    ...madeLines(makers),
    ...(all.length === 0 ? ['no call of MPI carried it'] : []),
    ...passed.slice(0, maxWays).map((group) => `${ranksInWords(group)} passed it to MPI: ${callText(group[0]!)}`),
    ...others.slice(0, maxWays).map((group) => {
      const isTold = makers.some(
        (maker) => makesNumber(maker) === false && group.some(({ rank }) => maker.id.rank === rank),
      );
      return `${ranksInWords(group)} passed one, too: ${callText(group[0]!)}; none was seen to come there${isTold ? '' : unmade}`;
    }),
    ...waysTo(came),
    ...(all.length === 0 ? [] : unseen(origins, came)),
  ];
}

/** What came to ranks in which it had not begun. */
function cameFrom(all: readonly Carried[], origins: readonly Carried[]): Carried[] {
  const begun = new Set(origins.map(({ rank }) => rank));
  return sorted(all).filter(({ direction, rank }) => direction === 'in' && !begun.has(rank));
}

function waysTo(came: readonly Carried[]): string[] {
  const groups = [...groupedBy(came, callText).values()];
  const told = groups.slice(0, maxWays).map((group) => `it came to ${ranksInWords(group)} by ${callText(group[0]!)}`);
  const left = groups.slice(maxWays).flat();
  return left.length === 0 ? told : [...told, `and to ${ranksInWords(left)} by other calls`];
}

/** "MPI_Irecv from rank 3, tag 7, "plane" (halo.c:80), the 12th time, completed by MPI_Waitall (halo.c:92)" */
export function callText(carried: Carried): string {
  return `${begunText(carried)}${timesText(carried)}${completionText(carried)}`;
}

/** The same, but for how often the rank had come there. */
function begunText(carried: Carried): string {
  const { call, comm, tag, root, place } = carried;
  const named =
    comm === undefined || comm.name === '' || comm.name === 'MPI_COMM_WORLD' ? [] : [JSON.stringify(comm.name)];
  const parts = [
    ...partnerText(carried),
    ...(typeof tag === 'number' ? [`tag ${tag}`] : []),
    // The root in another communicator would be taken for a rank of the job.
    ...(root === undefined || comm?.name !== 'MPI_COMM_WORLD' ? [] : [`root ${root}`]),
    ...named,
  ];
  const [first, ...others] = parts;
  const begin = first === undefined ? call : `${call} ${[first, ...others].join(', ')}`;
  return `${begin}${placeText(place)}`;
}

/** In a program that goes in steps, which one it was. */
function timesText({ times }: Carried): string {
  return times === undefined || times < 2 ? '' : `, the ${ordinal(times)} time`;
}

function ordinal(n: number): string {
  const [tens, ones] = [n % 100, n % 10];
  const end = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][ones] ?? 'th');
  return `${n}${end}`;
}

function completionText({ direction, completedBy, completedAt }: Carried): string {
  if (completedBy === undefined) return '';
  // What a persistent request sends goes when it is started, or when its partitions are ready.
  const how = direction === 'in' ? 'completed' : /pready/i.test(completedBy) ? 'ready' : 'started';
  return `, ${how} by ${completedBy}${placeText(completedAt)}`;
}

function partnerText({ direction, peer, peerInWorld, isOnWindow }: Carried): string[] {
  if (peer === undefined) return [];
  const word = direction === 'in' ? 'from' : 'to';
  if (peer === 'any') return [`${word} any rank`];
  if (peerInWorld !== undefined) return [`${word} rank ${peerInWorld}`];
  return [`${word} rank ${peer} of its ${isOnWindow ? 'window' : 'communicator'}`];
}

function placeText(place: CodeRef | undefined): string {
  if (place?.file === undefined) return place?.function === undefined ? '' : ` (${place.function})`;
  const file = place.file.replace(/^.*\//s, '');
  return place.line === undefined ? ` (${file})` : ` (${file}:${place.line})`;
}

function sorted(all: readonly Carried[]): Carried[] {
  return all.toSorted((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)));
}
