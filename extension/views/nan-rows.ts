/** *Find NaN* in the Values over Ranks view: when its row is opened, all variables are searched. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FoundNan, NanDocument } from '../../plugin-api/answers/nan-records';
import { isRankText } from '../ranks/rank-numbers';
import { rankCommands } from '../manifest/contributions';
import type { JobClient } from '../ranks/job-client';
import { wordsOfRanks } from '../ranks/rank-text';
import type { Row } from './row';

export function findNanRow(job: JobClient): Row {
  return {
    id: 'find nan',
    label: l10n.t('Find NaN'),
    description: l10n.t('in all variables of the ranks in the focus'),
    tooltip: l10n.t(
      'Looks for NaN and infinities in the variables of all functions on the stacks and in global variables.',
    ),
    icon: new vscode.ThemeIcon('search'),
    load: async () => rowsOf(await job.nan()),
  };
}

function rowsOf({ found, notLookedAt, lookedAt, errors }: NanDocument): Row[] {
  const none: Row[] =
    found.length > 0 || !lookedAt.some(({ variables }) => variables > 0)
      ? []
      : [{ id: 'none', label: l10n.t('No NaN and no infinity'), icon: new vscode.ThemeIcon('check') }];
  return [
    ...none,
    ...found.map(foundRow),
    ...(notLookedAt.length === 0
      ? []
      : [
          {
            id: 'left out',
            label: l10n.t('Not looked at'),
            description: String(notLookedAt.length),
            children: notLookedAt.map(({ ranks, expression, function: name = '', reason }) => ({
              id: `${name} ${expression} ${ranks}`,
              label: expression,
              description: `${wordsOfRanks(ranks)} · ${reason}`,
            })),
          },
        ]),
    ...errors.map(({ rank, error }) => ({ id: `error ${rank}`, label: `${rank ?? '?'}`, description: error.reason })),
  ];
}

/** A click shows the ranks that have it. */
function foundRow(found: FoundNan): Row {
  const { ranks, expression, function: name, thread, first, value, nans, infinities, elements, box } = found;
  const where = box?.isFull === true ? box.expression : first;
  const isOne = nans + infinities === 1;
  return {
    id: `${name} ${thread} ${expression} ${ranks} ${first}`,
    label: isOne || box?.isFull === true ? `${where} = ${value}` : l10n.t('{0} = {1} and more', where, value),
    description: [wordsOfRanks(ranks), name ?? l10n.t('global variable')].join(' · '),
    tooltip: l10n.t('{0}: {1} NaN and {2} infinities in {3} elements', expression, nans, infinities, elements),
    icon: new vscode.ThemeIcon('warning'),
    ...(isRankText(ranks)
      ? {
          context: 'ranks' as const,
          ranks,
          command: { command: rankCommands.showRow, title: l10n.t('Show'), arguments: [{ ranks }] },
        }
      : {}),
  };
}
