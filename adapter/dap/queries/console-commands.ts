/** Our queries as commands of the debug console. */
import { mainHasEnded as endedMain } from '../../../plugin-api/hang/ended-mains';
import { inWorld } from '../../../plugin-api/mpi/worlds';
import { handlesText } from '../../../plugin-api/answers/text/handles-text';
import { hangText } from '../../../plugin-api/answers/text/hang-text';
import { queuesText } from '../../../plugin-api/answers/text/queues-text';
import { showText } from '../../../plugin-api/answers/text/show-text';
import { stacksText } from '../../../plugin-api/answers/text/stacks-text';
import { valuesText } from '../../../plugin-api/answers/text/values-text';
import type { FocusBody, Scope } from '../../../plugin-api/answers/focus-body';
import type { ConsoleTable } from '../console/console-command';
import type { Focus } from '../ranks/focus';
import { checked } from '../requests/dispatcher';
import type { CustomRequests, RanksBody } from './custom-requests';
import { handlesArguments } from './query-arguments';
import type { RankRequests } from './rank-requests';

interface Topics {
  readonly focus: Focus;
  readonly custom: CustomRequests;
  readonly rankRequests: RankRequests;
}

export const queryCommands = {
  show: {
    example: 'comm',
    run: async ({ custom, focus }, text, ref) => {
      const [, full, expression = ''] = /^(--full\s+)?(.*)$/s.exec(text) ?? [];
      return showText(await custom.showExpressions([expression], focus.ranks, ref), full !== undefined);
    },
  },
  value: {
    example: 'rank',
    run: async ({ rankRequests, focus }, text, ref) => {
      const [, full, expression = ''] = /^(--full\s+)?(.*)$/s.exec(text) ?? [];
      const value = await rankRequests.valueIn(expression, focus.ranks, ref);
      return valuesText(
        { expressions: [value] },
        { full: full !== undefined, howToSeeAll: `mpi value --full ${expression}` },
      );
    },
  },
  where: {
    example: 'rank > 2',
    run: async ({ rankRequests }, text, ref) => {
      const ranks = await rankRequests.ranksWhere(text, ref);
      return ranks === '' ? 'in no rank\n' : `ranks ${ranks}\n`;
    },
  },
  handles: {
    run: async ({ custom }, text) => {
      const [, full, words = ''] = /^(--full(?:\s+|$))?(.*)$/s.exec(text) ?? [];
      const kinds = words === '' ? undefined : words.split(/\s+/);
      return handlesText(await custom.handles(checked('mpi handles', handlesArguments, { kinds })), full !== undefined);
    },
  },
  queues: { run: async ({ custom }) => queuesText(await custom.queues({}), true) },
  hang: { run: async ({ custom }) => hangText(await custom.hang({})) },
  stacks: { run: async ({ custom }) => stacksText(await custom.programStacks()) },
  ranks: { run: async ({ custom }) => ranksText(await custom.ranks()) },
  focus: { run: ({ rankRequests }, text) => focusText(rankRequests.focus(text === '' ? {} : { ranks: text })) },
} satisfies ConsoleTable<Topics>;

function ranksText({ ranks }: RanksBody): string {
  return ranks
    .map(({ rank, world, host, pid, state, exitCode, signal, mainHasEnded, reason }) => {
      const end = signal ?? (exitCode === undefined ? undefined : `status ${exitCode}`);
      const remark = reason ?? (mainHasEnded === true ? endedMain : undefined);
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
