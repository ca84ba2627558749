/** How ranks ended, in the debug console: what is worth a look has a line of its own, and all that ended well share one. */
import type { CallOff, Clock } from '../../job/clock';
import type { Rank } from '../../job/rank';
import { namedRanks } from '../../../plugin-api/mpi/rank-names';
import { formatRanks } from '../../job/rank-set';

/** Milliseconds in which ranks of a job that ends well follow each other. */
const quietTime = 100;

type EndedRank = Pick<Rank, 'number' | 'world' | 'label' | 'state' | 'end'>;

export class RankEnds {
  private readonly well: EndedRank[] = [];
  private later: CallOff | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly say: (line: string) => void,
    /** What ended as it should, in the color of the program's output. */
    private readonly sayWell: (line: string) => void,
  ) {}

  /** `why`: what follows how it ended. */
  add(rank: EndedRank, why = ''): void {
    if (rank.end?.exitCode === 0 && rank.number !== null && why === '') {
      this.well.push(rank);
      this.later?.();
      this.later = this.clock.after(quietTime, () => this.flush());
      return;
    }
    this.flush();
    this.say(`${describeEnd(rank)}${why}`);
  }

  /** Before anything is told that came later. */
  flush(): void {
    this.later?.();
    const ended = this.well.splice(0);
    if (ended.length === 1) this.sayWell(describeEnd(ended[0]!));
    else if (ended.length > 1) this.sayWell(`${namedRanks(formatRanks(ended))} exited with status 0`);
  }
}

/** `rank 2 exited with status 5`, `rank 3 was ended by SIGSEGV`. */
function describeEnd(rank: EndedRank): string {
  const { exitCode, signal } = rank.end ?? {};
  if (signal !== undefined) return `${rank.label} was ended by ${signal}`;
  if (exitCode !== undefined) return `${rank.label} exited with status ${exitCode}`;
  if (rank.state === 'exited') return `${rank.label} ended`;
  return `${rank.label} is lost: gdb no longer controls it, so nothing more is known about it`;
}
