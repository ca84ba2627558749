/** Where the client wants ranks to stop: kept, so that a job that is started later, or again, stops there too. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { newBreakpointId } from '../../job/breakpoint';
import type { UserBreakpoints } from './breakpoints';
import type { DataBreakpoints } from './data-breakpoints';
import type { Exceptions } from './exceptions';
import type { InstructionBreakpoints } from './instruction-breakpoints';

/** What sets them in one job. */
export interface StopTopics {
  readonly breakpoints: UserBreakpoints;
  readonly dataBreakpoints: DataBreakpoints;
  readonly instructionBreakpoints: InstructionBreakpoints;
  readonly exceptions: Exceptions;
}

export interface BreakpointsAnswer {
  breakpoints: DebugProtocol.Breakpoint[];
}

interface Chosen {
  set: (topics: StopTopics) => Promise<BreakpointsAnswer>;
  /** What of the last answer keeps its ids in the next job. */
  known: readonly DebugProtocol.Breakpoint[];
}

export class ChosenStops {
  private readonly chosen = new Map<string, Chosen>();

  /** `sort`: replaces what was chosen before under the same name. `hasIds`: the answer is about breakpoints. */
  async choose(
    topics: StopTopics,
    sort: string,
    set: (topics: StopTopics) => Promise<BreakpointsAnswer>,
    { hasIds = true } = {},
  ): Promise<BreakpointsAnswer> {
    const answer = await set(topics);
    this.chosen.set(sort, { set, known: hasIds ? answer.breakpoints : [] });
    return answer;
  }

  /** Before there is a job: they are set in the first one. */
  chooseEarly(
    sort: string,
    wanted: readonly unknown[],
    set: (topics: StopTopics) => Promise<BreakpointsAnswer>,
    { hasIds = true } = {},
  ): BreakpointsAnswer {
    const breakpoints = wanted.map((): DebugProtocol.Breakpoint => ({
      ...(hasIds ? { id: newBreakpointId() } : {}),
      verified: false,
      reason: 'pending',
      message: 'it is set when the job starts',
    }));
    this.chosen.set(sort, { set, known: hasIds ? breakpoints : [] });
    return { breakpoints };
  }

  async setAgain(topics: StopTopics): Promise<void> {
    for (const { set, known } of this.chosen.values()) await topics.breakpoints.setAgain(known, () => set(topics));
  }
}
