/** What is known of a job that ended before any rank said how it died. */
import { killedForMemoryText, type KilledForMemory } from '../../hosts/memory-kills';
import { groupedBy } from '../../../plugin-api/grouped-by';
import { ranksInWords } from '../../../plugin-api/mpi/rank-names';
import { signalOf } from '../../../plugin-api/answers/signal-words';
import { sentByLaunchers, type RankEnd } from './end-order';
import type { SeenEnds } from './rank-ends';
import type { LauncherEnd, UserLauncher } from './user-launcher';

/** As a launcher tells of a rank, and a shell of its program. */
const statusOfKilled = 128 + 9;

/** One sentence each; none of a job that ended well, or that the user has ended at the terminal. */
export function unannouncedEnd(
  { askedToEndBy }: Pick<UserLauncher, 'askedToEndBy'>,
  { status, signal, notStarted }: LauncherEnd,
  seen: SeenEnds,
  killed: KilledForMemory,
): string[] {
  if (notStarted !== undefined || askedToEndBy === 'SIGINT' || askedToEndBy === 'SIGQUIT') return [];
  if (askedToEndBy !== undefined) return [`the job was ended from outside by ${askedToEndBy}`];
  // Hydra also ends so where it has ended ranks for one that left without MPI_Finalize.
  if (status === 0) return firstEnds(seen) ?? [];
  const memory = killedForMemoryText(killed);
  if (signal === 'SIGKILL' || signal === 'SIGTERM')
    return [`the launcher was ended by ${signal}`, ...(memory ? [memory] : [])];
  const first = firstEnds(seen);
  if (memory !== undefined || first !== undefined) return [first ?? [], memory ?? []].flat();
  return status === statusOfKilled
    ? [`the status of the launcher, ${status}, is that of a rank that was ended by SIGKILL`]
    : [];
}

/**
 * undefined: no rank was ended by a signal. Those that end later may have been ended by the launcher for the first, and for one that ended
 * with a status of its own, also 0; where one ended before whose status is not known, it may be the first.
 */
function firstEnds({ ends, elsewhere }: SeenEnds): string[] | undefined {
  const first = ends.find(isOfSignal);
  if (first === undefined) return undefined;
  const { after } = first;
  const before = ends.filter((each) => each.after < after);
  const atOnce = ends.filter((each) => each.after === after);
  const together = atOnce.filter(isOfSignal);
  const failed = [...before, ...atOnce].filter((each) => !isOfSignal(each) && each.status !== 0);
  const own = together.filter((each) => !sentByLaunchers.has(nameOf(each)));
  const groups = bySignal(own.length > 0 ? own : together);
  if (failed.length > 0) return [failedFirst(before, atOnce, failed) ?? inOrder([...before, ...atOnce])];
  const isOne = together.length === 1 || (groups.length === 1 && own.length === 1);
  const which = isOne || elsewhere > 0 ? '' : ' at once, and which was the first is not known';
  const afterWhom = own.length > 0 && before.length > 0 ? `, after ${ranksText(before)} had ended with status 0` : '';
  const where = elsewhere > 0 ? ', perhaps because of a rank on another host: how those end is not watched' : '';
  const well = atOnce.filter((each) => !isOfSignal(each));
  if (own.length === 0 && before.length + well.length > 0)
    return [
      before.length > 0
        ? `${ranksText(before)} ended with status 0, then ${endedText(groups)}${where}`
        : `${ranksText(well)} ended with status 0 when ${endedText(groups)}${where}`,
      'a launcher ends the other ranks like this when a rank ends without MPI_Finalize',
    ];
  return [`${endedText(groups)}${which}${afterWhom}${where}${whyUntold(own.length > 0 ? own : together)}`];
}

const faults = new Set(['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT', 'SIGTRAP', 'SIGSYS']);

/** For these it says itself what it dies of, and where, if it can. */
function whyUntold(ends: readonly RankEnd[]): string {
  const [{ signal = 0 } = {}] = ends;
  const name = nameOf({ signal });
  if (!faults.has(name) || ends.some((each) => each.signal !== signal)) return '';
  return `; where is not known, as when ${name} is blocked or ignored, or the program's own handler for it fails`;
}

function bySignal(ends: readonly RankEnd[]): readonly (readonly RankEnd[])[] {
  return [...groupedBy(ends, ({ signal }) => signal).values()];
}

function isOfSignal({ signal = 0 }: RankEnd): boolean {
  return signal !== 0;
}

/** undefined: another rank ended first, or it is not known which did. */
function failedFirst(
  before: readonly RankEnd[],
  atOnce: readonly RankEnd[],
  failed: readonly RankEnd[],
): string | undefined {
  const together = atOnce.filter(isOfSignal);
  const [first] = failed;
  const isSole = failed.every(({ status }) => status === first?.status);
  const isEarlier = failed.every((each) => before.includes(each));
  if (isSole && first?.status === undefined) {
    const when = isEarlier ? ' before that' : ', perhaps before that,';
    return `${endedText(bySignal(together))}; how ${ranksText(failed)} ended${when} is not known`;
  }
  const others = bySignal(together);
  const isByLauncher = others.length > 0 && together.every((each) => sentByLaunchers.has(nameOf(each)));
  if (isSole && isByLauncher && failed.every((each) => atOnce.includes(each)))
    return `${ranksText(failed)} ended with status ${first?.status} when ${endedText(others)}, as launchers end the others`;
  if (!isSole || !isEarlier) return undefined;
  return `${ranksText(failed)} ended with status ${first?.status}, before others were ended by ${nameOf(together[0] ?? {})}`;
}

/** "these ranks ended first: rank 1, how is not known; then rank 3 with status 2; then rank 2 by SIGKILL" */
function inOrder(ends: readonly RankEnd[]): string {
  const moments = [...groupedBy(ends, ({ after }) => after).values()].map((moment) =>
    [...groupedBy(moment, howText).entries()].map(([how, group]) => `${ranksText(group)}${how}`).join(' and '),
  );
  const isSole = moments.length === 1;
  return `these ranks ended first${isSole ? ', and which of them is not known' : ''}: ${moments.join('; then ')}`;
}

function howText(end: RankEnd): string {
  if (isOfSignal(end)) return ` by ${nameOf(end)}`;
  return end.status === undefined ? ' in a way that is not known' : ` with status ${end.status}`;
}

/** "rank 1 was ended by SIGTERM, ranks 0,2 by SIGKILL" */
function endedText(groups: readonly (readonly RankEnd[])[]): string {
  return groups
    .map((group, index) => {
      const verb = index > 0 ? '' : group.length === 1 ? 'was ended ' : 'were ended ';
      return `${ranksText(group)} ${verb}by ${nameOf(group[0] ?? {})}`;
    })
    .join(', ');
}

function ranksText(ends: readonly RankEnd[]): string {
  const ranks = [...new Set(ends.map(({ rank }) => rank))].sort((a, b) => a - b);
  return ranksInWords(ranks.map((rank) => ({ rank })));
}

function nameOf({ signal = 0 }: Pick<RankEnd, 'signal'>): string {
  return signalOf(signal).name;
}
