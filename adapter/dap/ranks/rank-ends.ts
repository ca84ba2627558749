/** How ranks ended, in the debug console: what is worth a look has a line of its own, and all that ended well, because of another one, or are out of reach, share one. */
import type { CallOff, Clock } from '../../job/clock';
import type { Rank } from '../../job/rank';
import { namedRanks } from '../../../plugin-api/mpi/rank-names';
import { formatRanks } from '../../../plugin-api/answers/rank-set';

/** Milliseconds in which ranks of a job that ends follow each other. */
const quietTime = 100;

type EndedRank = Pick<Rank, 'number' | 'world' | 'label' | 'state' | 'end' | 'isAway'>;

/** What follows how a rank ended, and whether it ended because of ranks that had died before. */
export interface EndReason {
  readonly text: string;
  readonly isConsequence: boolean;
}

const noReason: EndReason = { text: '', isConsequence: false };

export class RankEnds {
  /** Ends that are described by the same text, by that text. */
  private readonly alike = new Map<string, { ranks: EndedRank[]; reason: EndReason }>();
  private later: CallOff | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly say: (line: string) => void,
    /** What ended as it should, in the color of the program's output. */
    private readonly sayWell: (line: string) => void,
  ) {}

  add(rank: EndedRank, reason: EndReason = noReason): void {
    const isWell = rank.end?.exitCode === 0 && reason.text === '';
    if (rank.number === null || !(isWell || reason.isConsequence || rank.isAway)) {
      this.flush();
      this.say(`${rank.label} ${howItEnded(rank, 'was')}${reason.text}`);
      return;
    }
    const key = `${howItEnded(rank, 'was')}${reason.text}`;
    const known = this.alike.get(key) ?? { ranks: [], reason };
    this.alike.set(key, { ...known, ranks: [...known.ranks, rank] });
    this.later?.();
    this.later = this.clock.after(quietTime, () => this.flush());
  }

  /** Before anything is told that came later. */
  flush(): void {
    this.later?.();
    const ended = [...this.alike.values()];
    this.alike.clear();
    for (const { ranks, reason } of ended) {
      const [first, another] = ranks as [EndedRank, ...EndedRank[]];
      const who = another === undefined ? first.label : namedRanks(formatRanks(ranks));
      const line = `${who} ${howItEnded(first, another === undefined ? 'was' : 'were')}${reason.text}`;
      if (reason.text === '' && !first.isAway) this.sayWell(line);
      else this.say(line);
    }
  }
}

/** `exited with status 5`, `was ended by SIGSEGV`. */
function howItEnded({ end, state, isAway }: EndedRank, was: 'was' | 'were'): string {
  const { exitCode, signal, whileAway } = end ?? {};
  const when = whileAway === true ? ' while the host was out of reach' : '';
  if (signal !== undefined) return `${was} ended by ${signal}${when}`;
  if (exitCode !== undefined) return `exited with status ${exitCode}${when}`;
  if (state === 'exited') return `ended${when}`;
  if (isAway)
    return was === 'was'
      ? 'is out of reach with its host, and comes back to the session with it'
      : 'are out of reach with their host, and come back to the session with it';
  return was === 'was'
    ? 'is lost: gdb no longer controls it, so nothing more is known about it'
    : 'are lost: gdb no longer controls them, so nothing more is known about them';
}
