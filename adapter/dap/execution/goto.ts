/** goto: sets the next line that a rank runs. It runs and undoes nothing. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { codeAround } from '../../gdb/mi/breakpoint-commands';
import { setProgramCounter } from '../../gdb/mi/data-manipulation';
import { GdbError } from '../../gdb/mi/mi-connection';
import { framesOf } from '../../stacks/gdb-stack';
import { addressOfLine } from '../../gdb/mi/symbol-query';
import type { RankThread } from '../../job/rank';
import type { UserBreakpoints } from '../breakpoints/breakpoints';
import { notEvaluated, wrongArguments } from '../client/errors';

interface Target {
  path: string;
  line: number;
}

export class Goto {
  private readonly targets: Target[] = [];

  constructor(
    private readonly breakpoints: UserBreakpoints,
    /** The thread is elsewhere now. */
    private readonly moved: (thread: RankThread) => void,
  ) {}

  async gotoTargets(args: DebugProtocol.GotoTargetsArguments): Promise<DebugProtocol.GotoTargetsResponse['body']> {
    const { path } = args.source;
    if (path === undefined) throw wrongArguments('gotoTargets', 'the source needs a path');
    const { breakpoints } = await this.breakpoints.locations({ source: args.source, line: args.line });
    return {
      targets: breakpoints.map(({ line }) => ({
        id: this.targets.push({ path, line }),
        label: `line ${line}`,
        line,
      })),
    };
  }

  /** The thread's rank alone: the others stay where they are. */
  async goto(thread: RankThread, targetId: number): Promise<void> {
    const target = this.targets[targetId - 1];
    if (target === undefined) throw wrongArguments('goto', `there is no target ${targetId}`);
    const [frame] = await framesOf(thread, 0, 0);
    try {
      const there = await codeAround(thread.gdb, { kind: 'line', file: target.path, line: target.line });
      if (there.function !== frame?.function) {
        throw notEvaluated(`line ${target.line} is not in ${frame?.function ?? 'this function'}, where the thread is`);
      }
      const address = await addressOfLine(thread, target.path, target.line);
      if (address === undefined) throw notEvaluated(`line ${target.line} has no code`);
      await setProgramCounter(thread, address);
    } catch (error) {
      if (error instanceof GdbError) throw notEvaluated(error.message);
      throw error;
    }
    // After the answer, as DAP requires.
    setImmediate(() => this.moved(thread));
  }
}
