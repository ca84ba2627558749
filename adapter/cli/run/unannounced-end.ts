/** What is known of a job that ended before any rank said how it died. */
import { killedForMemoryText, type KilledForMemory } from '../../hosts/memory-kills';
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
 * with a status of its own; where one ended in between whose status is not known, it may be the first.
 */
function firstEndedBySignal({ ends, elsewhere }: SeenEnds): string | undefined {
  const isOfSignal = ({ signal = 0 }: RankEnd): boolean => signal !== 0;
  const first = ends.find(isOfSignal);
  if (first === undefined) return undefined;
  const { after, signal = 0 } = first;
  const together = ends.filter((each) => each.after === after);
  const before = ends.filter((each) => each.after < after);
  if (!together.every((each) => each.signal === signal) || before.some(({ status }) => status !== 0)) return undefined;
  const ranks = [...new Set(together.map(({ rank }) => rank))].sort((a, b) => a - b);
  const who = ranksInWords(ranks.map((rank) => ({ rank })));
  const done = before.length === 0 ? '' : ', after others had ended well';
  const { name } = signalOf(signal);
  const verb = ranks.length === 1 ? 'was' : 'were';
  if (elsewhere > 0)
    return `${who} ${verb} ended by ${name}${done}, perhaps because of a rank on another host: how those end is not watched`;
  return ranks.length === 1
    ? `${who} was ended by ${name}${done}`
    : `${who} were ended by ${name} at once, and which was the first is not known${done}`;
}
