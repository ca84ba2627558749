/** What the debug console takes beside expressions: `-exec CMD` for gdb, and the commands `mpi …` of the topics. */
import { GdbError } from '../../gdb/mi/mi-connection';
import { callsAllowed } from '../../gdb/mi/read-only';
import { userCommand } from '../../gdb/mi/support-commands';
import { calledVariable } from '../../gdb/python/fortran-calls';
import type { Job } from '../../job/job';
import { canBeRead, type Rank } from '../../job/rank';
import { mergeEqual } from '../../../plugin-api/answers/merge';
import { listed } from '../../../plugin-api/listed';
import { idInJob } from '../../query/rank-ids';
import { notEvaluated, nothingStopped, rankRuns, RequestError, wrongArguments } from '../client/errors';
import type { Focus } from '../ranks/focus';
import type { FrameRef, StackFrames } from '../references/stack-frames';
import { needsExpression, usageOf, type ConsoleTable } from './console-command';

export class ReplCommands<Topics extends { readonly job: Job; readonly focus: Focus; readonly frames: StackFrames }> {
  constructor(
    private readonly topics: Topics,
    private readonly table: ConsoleTable<Topics>,
  ) {}

  /** For completion in the debug console. */
  get beginnings(): string[] {
    const own = Object.entries(this.table).map(
      ([name, { example }]) => `mpi ${name}${example === undefined ? '' : ' '}`,
    );
    return [...own, '-exec '];
  }

  /** What the command prints; undefined for text that is no command. */
  async run(text: string, ref: FrameRef | undefined): Promise<string | undefined> {
    const exec = /^\s*-exec(?:\s+([\s\S]*))?$/.exec(text);
    if (exec !== null) return this.gdbCommand((exec[1] ?? '').trim(), ref);
    const mpi = /^\s*mpi(?:\s+([\s\S]*))?$/.exec(text);
    return mpi === null ? undefined : this.mpiCommand((mpi[1] ?? '').trim(), ref);
  }

  private async mpiCommand(text: string, ref: FrameRef | undefined): Promise<string> {
    const [, name = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
    const command = Object.hasOwn(this.table, name) ? this.table[name] : undefined;
    if (command === undefined) {
      const usages = Object.entries(this.table).map(([each, described]) => usageOf(each, described));
      throw wrongArguments('mpi', `unknown command "mpi ${text}": there is ${listed(usages, 'and')}`);
    }
    if (command.example !== undefined && rest === '') throw needsExpression(name, command.example);
    return command.run(this.topics, rest, ref);
  }

  /** A command of gdb's own language, in each rank of the focus. */
  private async gdbCommand(command: string, ref: FrameRef | undefined): Promise<string> {
    if (command === '') throw wrongArguments('-exec', 'name a gdb command, as in -exec info registers');
    if (/^(q(u(it?)?)?|exit|disc\w*)\b/.test(command))
      throw notEvaluated('it would end debugging of every rank in this gdb: stop or disconnect the session instead');
    const ranks = this.topics.focus.ranks.filter((rank) => rank.alive || rank.state === 'core');
    if (ranks.length === 0) throw nothingStopped();
    let succeeded = 0;
    const printed = await Promise.all(
      ranks.map(async (rank) => {
        try {
          const text = await this.inRank(rank, command, ref);
          succeeded += 1;
          return { rank: idInJob(this.topics.job, rank), text };
        } catch (error) {
          if (!(error instanceof GdbError || error instanceof RequestError)) throw error;
          return { rank: idInJob(this.topics.job, rank), text: error.message };
        } finally {
          this.topics.job.commandRan(rank);
        }
      }),
    );
    const merged = mergeEqual(printed.map(({ rank, text }) => ({ rank, text: text.replace(/\n$/, '') })));
    const [only] = merged;
    const text =
      ranks.length === 1 && only !== undefined
        ? only.text
        : merged.map((m) => (m.text.includes('\n') ? `${m.ranks}:\n${m.text}` : `${m.ranks}: ${m.text}`)).join('\n');
    if (succeeded === 0) throw notEvaluated(text);
    return text;
  }

  private async inRank(rank: Rank, command: string, like: FrameRef | undefined): Promise<string> {
    const ref = canBeRead(rank) ? await this.topics.frames.corresponding(rank, like) : undefined;
    const thread = ref?.thread ?? rank.current ?? rank.threads[0];
    if (thread === undefined) throw rankRuns(rank);
    const variable = await calledVariable(thread, ref?.frame.level, command);
    if (variable !== undefined)
      throw notEvaluated(
        `${variable} is a variable: gdb would end at its empty parentheses, an element needs its subscripts`,
      );
    return userCommand(rank.gdb, `with ${callsAllowed} -- ${command}`, { thread, frame: ref?.frame.level });
  }
}
