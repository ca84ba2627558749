/** What is known of a job that ended before any rank said how it died. */
import { killedForMemoryText, type KilledForMemory } from '../../hosts/memory-kills';
import { groupedBy } from '../../../plugin-api/grouped-by';
import { ranksInWords } from '../../../plugin-api/mpi/rank-names';
import { signalOf } from '../../job/signal-text';
import type { RankEnd, SeenEnds } from './rank-ends';
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
  if (status === 0) return [];
  const memory = killedForMemoryText(killed);
  if (signal === 'SIGKILL' || signal === 'SIGTERM')
    return [`the launcher was ended by ${signal}`, ...(memory ? [memory] : [])];
  const first = firstEndedBySignal(seen);
  if (memory !== undefined || first !== undefined) return [first ?? [], memory ?? []].flat();
  return status === statusOfKilled
    ? [`the status of the launcher, ${status}, is that of a rank that was ended by SIGKILL`]
    : [];
}

/**
 * undefined: none is known to have been the first. Those that end later may have been ended by the launcher for the first, and for one that ended
 * with a status of its own; where one ended before whose status is not known, it may be the first.
 */
function firstEndedBySignal({ ends, elsewhere }: SeenEnds): string | undefined {
  const isOfSignal = ({ signal = 0 }: RankEnd): boolean => signal !== 0;
  const first = ends.find(isOfSignal);
  if (first === undefined) return undefined;
  const { after } = first;
  const before = ends.filter((each) => each.after < after);
  const atOnce = ends.filter((each) => each.after === after);
  const together = atOnce.filter(isOfSignal);
  const others = [...before, ...atOnce.filter((each) => !isOfSignal(each))];
  const unwell = before.filter(({ status }) => status !== 0);
  const statuses = [...groupedBy(unwell, ({ status }) => status).values()];
  const [sole] = statuses.length === 1 ? statuses : [];
  if (sole?.[0]?.status !== undefined)
    return `${ranksText(sole)} ended with status ${sole[0].status}, before others were ended by ${nameOf(first)}`;
  if (sole !== undefined)
    return `${ranksText(together)} ${together.length === 1 ? 'was' : 'were'} ended by ${nameOf(first)}; how ${ranksText(sole)} ended before that is not known`;
  if (others.some(({ status }) => status !== 0)) return undefined;
  // A launcher ends the others by these two alone.
  const own = together.filter((each) => !sentByLaunchers.has(nameOf(each)));
  const groups = [...groupedBy(own.length > 0 ? own : together, (each) => each.signal).values()];
  const [group = [first]] = groups;
  const done = before.length === 0 ? '' : ', after others had ended well';
  if (elsewhere > 0)
    return `${endedText(groups)}${done}, perhaps because of a rank on another host: how those end is not watched`;
  return together.length === 1 || (own.length > 0 && groups.length === 1 && group.length === 1)
    ? `${endedText(groups)}${done}`
    : `${endedText(groups)} at once, and which was the first is not known${done}`;
}

const sentByLaunchers = new Set(['SIGTERM', 'SIGKILL']);

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
