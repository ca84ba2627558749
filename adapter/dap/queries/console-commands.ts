/** Our queries as commands of the debug console. */
import { endedMainText } from '../../../plugin-api/hang/ended-mains';
import { inWorld } from '../../../plugin-api/mpi/worlds';
import { hangText } from '../../../plugin-api/answers/text/hang-text';
import type { FocusBody, Scope } from '../../../plugin-api/answers/focus-body';
import { record } from '../../questions/argument-checks';
import type { AnswerDocument, Question } from '../../questions/question';
import { questions } from '../../questions/question-table';
import { wrongArguments } from '../client/errors';
import { needsExpression, type ConsoleCommand, type ConsoleTable } from '../console/console-command';
import { checked } from '../requests/dispatcher';
import type { Asking } from './asking';
import type { CustomRequests, RanksBody } from './custom-requests';
import type { RankRequests } from './rank-requests';

interface Topics {
  readonly asking: Asking;
  readonly custom: CustomRequests;
  readonly rankRequests: RankRequests;
}

export const queryCommands = {
  show: asksOf('show', questions.show),
  value: asksOf('value', questions.print),
  where: {
    example: 'rank > 2',
    run: async ({ rankRequests }, text, ref) => {
      const ranks = await rankRequests.ranksWhere(text, ref);
      return ranks === '' ? 'in no rank\n' : `ranks ${ranks}\n`;
    },
  },
  handles: asksOf('handles', questions.handles),
  queues: asksOf('queues', questions.queues),
  hang: { run: async ({ custom }) => hangText(await custom.hang({})) },
  stacks: asksOf('stacks', questions.stacks),
  ranks: { run: async ({ custom }) => ranksText(await custom.ranks()) },
  focus: { run: ({ rankRequests }, text) => focusText(rankRequests.focus(text === '' ? {} : { ranks: text })) },
} satisfies ConsoleTable<Topics>;

/** The command `mpi NAME [--full] …`, of the ranks of the focus. */
function asksOf<Arguments, Answer extends AnswerDocument>(
  name: string,
  question: Question<Arguments, Answer>,
): ConsoleCommand<Topics> {
  const { example, ofWords } = question;
  return {
    ...(example === undefined ? {} : { example }),
    run: async ({ asking }, text, like) => {
      const [, option, words = ''] = /^(--full(?:\s+|$))?(.*)$/s.exec(text) ?? [];
      const full = option !== undefined;
      if (example !== undefined && words === '') throw needsExpression(name, example);
      if (ofWords === undefined && words !== '')
        throw wrongArguments(`mpi ${name}`, `it takes --full and nothing else: remove "${words}"`);
      const args = checked(`mpi ${name}`, record(question.arguments), { full, ...ofWords?.(words) });
      const answered = await asking.ask(question, args, { like, isForPrograms: false });
      return answered.text({ full, howToSeeAll: `mpi ${name} --full ${words}` });
    },
  };
}

function ranksText({ ranks }: RanksBody): string {
  return ranks
    .map(({ rank, world, host, pid, state, exitCode, signal, mainHasEnded, unseenThreads, reason }) => {
      const end = signal ?? (exitCode === undefined ? undefined : `status ${exitCode}`);
      const remark = reason ?? (mainHasEnded === true ? endedMainText(unseenThreads ?? 0) : undefined);
      const columns = [`rank ${inWorld(world, String(rank ?? '?'))}`, state, end, host, `pid ${pid ?? '?'}`, remark];
      return `${columns.filter((column) => column !== undefined).join('  ')}\n`;
    })
    .join('');
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
