/** Where the client wants ranks to stop: kept, so that a job that is started again stops there too. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { JobSession } from './job-session';

interface Answer {
  breakpoints: DebugProtocol.Breakpoint[];
}

type Setter = (session: JobSession, args: unknown) => Promise<Answer>;

const setters = {
  setBreakpoints: ({ breakpoints }, args) => breakpoints.setInSource(args as DebugProtocol.SetBreakpointsArguments),
  setFunctionBreakpoints: ({ breakpoints }, args) =>
    breakpoints.setOnFunctions(args as DebugProtocol.SetFunctionBreakpointsArguments),
  setDataBreakpoints: ({ dataBreakpoints }, args) =>
    dataBreakpoints.set(args as DebugProtocol.SetDataBreakpointsArguments),
  setInstructionBreakpoints: ({ instructionBreakpoints }, args) =>
    instructionBreakpoints.set(args as DebugProtocol.SetInstructionBreakpointsArguments),
  setExceptionBreakpoints: async ({ exceptions }, args) => {
    const answer = await exceptions.set(args as DebugProtocol.SetExceptionBreakpointsArguments);
    return { breakpoints: answer?.breakpoints ?? [] };
  },
} satisfies Record<string, Setter>;

export type StopCommand = keyof typeof setters;

export class ChosenStops {
  private readonly chosen = new Map<string, { command: StopCommand; args: unknown; answer: Answer }>();

  /** Each request takes the place of the last one of its sort, and for a source of the last one for this source. */
  async set(session: JobSession, command: StopCommand, args: unknown): Promise<Answer> {
    const answer = await setters[command](session, args);
    const source = command === 'setBreakpoints' ? (args as DebugProtocol.SetBreakpointsArguments).source.path : '';
    this.chosen.set(`${command} ${source}`, { command, args, answer });
    return answer;
  }

  async setAgain(session: JobSession): Promise<void> {
    for (const chosen of this.chosen.values()) {
      const { command, args, answer } = chosen;
      // Of the answer about exceptions only a part is about breakpoints.
      const known = command === 'setExceptionBreakpoints' ? [] : answer.breakpoints;
      await session.breakpoints.setAgain(known, () => setters[command](session, args));
    }
  }
}
