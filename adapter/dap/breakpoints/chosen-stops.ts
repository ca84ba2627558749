/** Where the client wants ranks to stop, kept so that a restarted job stops there too. */
import type { DebugProtocol } from '@vscode/debugprotocol';
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

interface Answer {
  breakpoints: DebugProtocol.Breakpoint[];
}

interface Chosen {
  set: (topics: StopTopics) => Promise<Answer>;
  /** The part of the last answer whose ids the next job keeps. */
  known: readonly DebugProtocol.Breakpoint[];
}

export class ChosenStops {
  private readonly chosen = new Map<string, Chosen>();

  /** `sort`: replaces what was chosen before under the same name. `hasIds`: the answer is about breakpoints. */
  async choose(
    topics: StopTopics,
    sort: string,
    set: (topics: StopTopics) => Promise<Answer>,
    { hasIds = true } = {},
  ): Promise<Answer> {
    const answer = await set(topics);
    this.chosen.set(sort, { set, known: hasIds ? answer.breakpoints : [] });
    return answer;
  }

  async setAgain(topics: StopTopics): Promise<void> {
    for (const { set, known } of this.chosen.values()) await topics.breakpoints.setAgain(known, () => set(topics));
  }
}
