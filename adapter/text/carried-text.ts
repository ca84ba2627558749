/** The way of the first NaN, or of the first infinity: which rank gave it away first, and by which calls others got it. */
import { groupedBy } from '../../plugin-api/grouped-by';
import { ranksInWords } from '../../plugin-api/mpi/rank-names';
import type { CodeRef } from '../../plugin-api/mpi/code-ref';
import type { Carried } from '../query/deaths/carried-look';

/** Ways that are told. */
const maxWays = 6;

/** For a terminal. */
export function carriedText(all: readonly Carried[]): string[] {
  if (all.length === 0) return ['--watch-nan has seen no NaN and no infinity in what MPI carried'];
  return carriedWays(all).flatMap(([first, ...others]) => [first!, ...others.map((line) => `  ${line}`)]);
}

/** Lines about NaNs, then about infinities, of which the first stands for itself; empty: nothing was carried. */
export function carriedWays(all: readonly Carried[]): string[][] {
  return [true, false]
    .map((isNan) => wayOf(all.filter((each) => each.isNan === isNan)))
    .filter(({ length }) => length > 0);
}

/** Whose rank had got none before: the first that had one, as far as calls of MPI tell. */
export function originsOf(all: readonly Carried[]): Carried[] {
  const came = new Map(all.filter(({ direction }) => direction === 'in').map((each) => [each.rank, each.time]));
  return sorted(all).filter(({ direction, rank, time }) => {
    const since = came.get(rank);
    return direction === 'out' && (since === undefined || since > time);
  });
}

function wayOf(all: readonly Carried[]): string[] {
  const origins = originsOf(all);
  const [first, ...later] = origins;
  const begun = new Set(origins.map(({ rank }) => rank));
  const came = sorted(all).filter(({ direction, rank }) => direction === 'in' && !begun.has(rank));
  const what = all[0]?.isNan === true ? 'a NaN' : 'an infinity';
  if (first === undefined)
    return came.length === 0 ? [] : [`${what} came from a rank that was not seen to send it`, ...waysTo(came)];
  const others = groupedBy(later, (each) => callText(each));
  return [
    `${ranksInWords([first])} was the first to pass ${what} to MPI: ${callText(first)}`,
    `none had come to it before${first.isNan ? '; --trap-fp invalid finds the line that makes it' : ''}`,
    ...[...others.values()]
      .slice(0, maxWays)
      .map((group) => `so did ${ranksInWords(group)}, and none had come there: ${callText(group[0]!)}`),
    ...waysTo(came),
  ];
}

function waysTo(came: readonly Carried[]): string[] {
  const groups = [...groupedBy(came, callText).values()];
  const told = groups.slice(0, maxWays).map((group) => `it came to ${ranksInWords(group)} by ${callText(group[0]!)}`);
  const left = groups.slice(maxWays).flat();
  return left.length === 0 ? told : [...told, `and to ${ranksInWords(left)} by other calls`];
}

/** "MPI_Irecv from rank 3, tag 7, "plane" (halo.c:80), completed by MPI_Waitall (halo.c:92)" */
export function callText(carried: Carried): string {
  const { call, completedBy, comm, tag, root, place, completedAt } = carried;
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
  const end = completedBy === undefined ? '' : `, completed by ${completedBy}${placeText(completedAt)}`;
  return `${begin}${placeText(place)}${end}`;
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
  const file = place.file.replace(/^.*\//, '');
  return place.line === undefined ? ` (${file})` : ` (${file}:${place.line})`;
}

function sorted(all: readonly Carried[]): Carried[] {
  return all.toSorted((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)));
}
