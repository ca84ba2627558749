/** What a process did when mpidbg came to it. */
import type { Rank, RankThread } from '../job/rank';

interface FoundRank extends Pick<Rank, 'foundAs'> {
  readonly current: Pick<RankThread, 'stop'> | undefined;
}

/** False of one that has run since then at the user's command. */
export function isAsFound({ foundAs, current }: FoundRank): boolean {
  return foundAs !== undefined && current?.stop?.reason === 'attach';
}

/** A signal had stopped it, as SIGSTOP does, and only SIGCONT lets it go on. */
export function isStoppedBySignal(rank: FoundRank): boolean {
  return isAsFound(rank) && rank.foundAs === 'T';
}
