/** What is known of a job that ended before any rank said how it died. */
import { memoryKillsSince, type MemoryKills } from '../../hosts/memory-kills';
import type { LauncherEnd, UserLauncher } from './user-launcher';

/** As a launcher tells of a rank, and a shell of its program. */
const killed = 128 + 9;

/** One sentence each; none of a job that ended well, or that the user has ended at the terminal. */
export function unannouncedEnd(
  { askedToEndBy }: Pick<UserLauncher, 'askedToEndBy'>,
  { status, signal, notStarted }: LauncherEnd,
  before: MemoryKills,
  after: MemoryKills,
): string[] {
  if (notStarted !== undefined || askedToEndBy === 'SIGINT' || askedToEndBy === 'SIGQUIT') return [];
  if (askedToEndBy !== undefined) return [`the job was ended from outside by ${askedToEndBy}`];
  if (status === 0) return [];
  const memory = memoryKillsSince(before, after);
  if (signal === 'SIGKILL' || signal === 'SIGTERM')
    return [`the launcher was ended by ${signal}`, ...(memory ? [memory] : [])];
  if (memory !== undefined) return [memory];
  return status === killed
    ? [`the status of the launcher, ${status}, is that of a rank that was ended by SIGKILL`]
    : [];
}
