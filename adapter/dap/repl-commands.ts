/** What the debug console takes beside expressions: `-exec CMD` for gdb, and `mpi …`, our queries as text. */
import { handlesText } from '../text/handles-text';
import { mergeEqual } from '../query/across-ranks/merge';
import { GdbError } from '../gdb/mi/mi-connection';
import type { Rank } from '../job/rank';
import { notEvaluated, nothingStopped, rankRuns, RequestError, wrongArguments } from './client/errors';
import type { CustomRequests } from './custom-requests';
import type { FocusBody, Scope } from './client/focus-body';
import { canBeRead, type Focus } from './ranks/focus';
import type { RankRequests } from './rank-requests';
import type { FrameRef, Frames } from './references/frames';
import { rankId } from '../query/job-queries';
import { showText } from '../text/show-text';
import { stacksText } from '../text/stacks-text';
import { valueText } from '../query/across-ranks/value-over-ranks';

export class ReplCommands {
  constructor(
    private readonly focus: Focus,
    private readonly frames: Frames,
    private readonly requests: CustomRequests,
    private readonly rankRequests: () => RankRequests,
  ) {}

  /** What the command prints; undefined for text that is no command. */
  async run(text: string, ref: FrameRef | undefined): Promise<string | undefined> {
    const exec = /^\s*-exec(?:\s+([\s\S]*))?$/.exec(text);
    if (exec !== null) return this.gdbCommand((exec[1] ?? '').trim(), ref);
    const mpi = /^\s*mpi(?:\s+([\s\S]*))?$/.exec(text);
    return mpi === null ? undefined : this.mpiCommand((mpi[1] ?? '').trim(), ref);
  }

  private async mpiCommand(text: string, ref: FrameRef | undefined): Promise<string> {
    const [, command = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
    switch (command) {
      case 'show':
        return this.showCommand(rest, ref);
      case 'ranks':
        return this.ranksText();
      case 'handles':
        return handlesText(await this.requests.handles(rest === '' ? {} : { kinds: rest.split(/\s+/) }));
      case 'stacks':
        return stacksText(await this.requests.programStacks());
      case 'value':
        if (rest === '') throw wrongArguments('mpi value', 'name an expression, as in mpi value rank');
        return valueText(await this.rankRequests().valueIn(rest, this.focus.ranks, ref));
      case 'focus':
        return focusText(this.rankRequests().focus(rest === '' ? {} : { ranks: rest }));
      case 'where': {
        if (rest === '') throw wrongArguments('mpi where', 'name an expression, as in mpi where rank > 2');
        const ranks = await this.rankRequests().ranksWhere(rest, ref);
        return ranks === '' ? 'in no rank\n' : `ranks ${ranks}\n`;
      }
      default:
        throw wrongArguments(
          'mpi',
          `there is mpi show EXPR, mpi value EXPR, mpi where EXPR, mpi handles, mpi stacks, mpi ranks and mpi focus, not mpi ${text}`,
        );
    }
  }

  private async showCommand(text: string, ref: FrameRef | undefined): Promise<string> {
    const expression = text.replace(/^--full(\s+|$)/, '');
    if (expression === '') throw wrongArguments('mpi show', 'name an expression, as in mpi show comm');
    return showText(await this.requests.showExpressions([expression], this.focus.ranks, ref), expression !== text);
  }

  private ranksText(): string {
    return this.requests
      .ranks()
      .ranks.map(({ rank, host, pid, state, exitCode, signal }) => {
        const end = signal ?? (exitCode === undefined ? '' : `status ${exitCode}`);
        return `rank ${rank ?? '?'}  ${state}  ${end === '' ? '' : `${end}  `}${host}  pid ${pid ?? '?'}\n`;
      })
      .join('');
  }

  /** A command of gdb's own language, in each rank of the focus. */
  private async gdbCommand(command: string, ref: FrameRef | undefined): Promise<string> {
    if (command === '') throw wrongArguments('-exec', 'name a gdb command, as in -exec info registers');
    if (/^(q(u(it?)?)?|exit)\b/.test(command))
      throw notEvaluated('it would end gdb, and with it the view of its ranks: stop or disconnect the session instead');
    const ranks = this.focus.ranks.filter((rank) => rank.alive || rank.state === 'core');
    if (ranks.length === 0) throw nothingStopped();
    let succeeded = 0;
    const printed = await Promise.all(
      ranks.map(async (rank) => {
        try {
          const text = await this.inRank(rank, command, ref);
          succeeded += 1;
          return { rank: rankId(rank), text };
        } catch (error) {
          if (!(error instanceof GdbError || error instanceof RequestError)) throw error;
          return { rank: rankId(rank), text: error.message };
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
    const ref = canBeRead(rank) ? await this.frames.corresponding(rank, like) : undefined;
    const thread = ref?.thread ?? rank.current ?? rank.threads[0];
    if (thread === undefined) throw rankRuns(rank);
    if (ref === undefined) return rank.gdb.console(command, thread);
    // gdb selects a frame for the duration of one command.
    return rank.gdb.console(`frame apply level ${ref.frame.level} -q ${command}`, thread);
  }
}

function focusText({ ranks, all, scope }: FocusBody): string {
  return `ranks ${ranks}${all ? ' (all)' : ''}; continue, step and pause act on ${scopeWords[scope]}\n`;
}

const scopeWords: Record<Scope, string> = {
  thread: 'the thread alone',
  rank: 'its rank',
  focus: 'these ranks',
  all: 'all ranks',
};
