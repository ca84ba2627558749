/**
 * A step of some ranks that lasts while others stand still: it may wait for them in a call of MPI, which they do not come to
 * before they run.
 */
import { basename } from 'node:path';
import type { Frame } from '../../stacks/frame';
import { framesOf } from '../../stacks/gdb-stack';
import type { CallOff } from '../../job/clock';
import type { Job } from '../../job/job';
import type { Rank, RankThread } from '../../job/rank';
import { formatRanks } from '../../../plugin-api/answers/rank-set';
import { sourceText } from '../../job/source-text';
import type { Client } from '../client/connection';

/** Milliseconds: hardly any other step lasts as long. */
const longStep = 1000;

export class StepWaits {
  private callOff: CallOff = () => undefined;

  constructor(
    private readonly job: Job,
    private readonly client: Client,
  ) {}

  /** Before these ranks step: where the thread that the user acts on is. Undefined: no rank stays behind. Rejects with GdbError. */
  async place(ranks: readonly Rank[], thread: RankThread): Promise<Frame | undefined> {
    if (this.othersOf(ranks).length === 0 || thread.state !== 'stopped') return undefined;
    return (await framesOf(thread, 0, 0))[0];
  }

  /** These ranks have begun a step there. */
  watch(ranks: readonly Rank[], place: Frame | undefined): void {
    this.forget();
    if (place !== undefined) this.callOff = this.job.clock.after(longStep, () => void this.tell(ranks, place));
  }

  /** Another command has been given. */
  forget(): void {
    this.callOff();
    this.callOff = () => undefined;
  }

  private async tell(stepping: readonly Rank[], { fullName, line }: Frame): Promise<void> {
    const call = fullName === undefined || line === undefined ? undefined : await callIn(fullName, line);
    const ranks = stepping.filter(({ state }) => state === 'running');
    const others = this.othersOf(stepping);
    if (ranks.length === 0 || others.length === 0) return;
    const [first, second] = [inWords(ranks), inWords(others)];
    const stand = others.length === 1 ? 'stands still' : 'stand still';
    const where = fullName === undefined ? '' : ` (${basename(fullName)}:${line})`;
    const lasts = `The step of ${first}${call === undefined ? '' : ` over ${call}${where}`} has not ended`;
    const text = `${lasts}, and ${second} ${stand}: it may wait for ${others.length === 1 ? 'it' : 'them'}.`;
    this.client.send('mpidbg/stepWaits', { text, ranks: formatRanks(ranks), others: formatRanks(others) });
  }

  private othersOf(ranks: readonly Rank[]): Rank[] {
    return this.job.ranks.filter((rank) => rank.state === 'stopped' && !ranks.includes(rank));
  }
}

function inWords(ranks: readonly Rank[]): string {
  return `${ranks.length === 1 ? 'rank' : 'ranks'} ${formatRanks(ranks)}`;
}

/** The function of MPI that the line of the source calls. */
async function callIn(path: string, line: number): Promise<string | undefined> {
  const text = (await sourceText(path)) ?? '';
  return /\bP?MPIX?_\w+(?=\s*\()/i.exec(text.split('\n')[line - 1] ?? '')?.[0];
}
