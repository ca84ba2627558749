/** Control variables of MPI_T: there are a thousand and more, so each category is read when it is opened. */
import * as l10n from '@vscode/l10n';
import { categorisedVariables, variableNotes } from '../../plugin-api/answers/text/variables-text';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import type { MergedText } from '../../plugin-api/answers/merge';
import type { Cvar, OverlayDocument } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import type { JobClient } from '../ranks/job-client';
import { namesIn } from '../ranks/rank-numbers';
import { wordsOfRanks } from '../ranks/rank-text';
import type { Row } from './row';

type IsWanted = (name: string) => boolean;

/** Below it, the categories as the first rank of the focus lists them. `filter` opens it. */
export function controlVariables(job: JobClient, filter: string, isWanted: IsWanted): Row {
  return {
    ...{ id: `control variables ${filter}`, label: l10n.t('Control variables'), isOpen: filter !== '' },
    load: () => categoryRows(job, filter, isWanted),
  };
}

async function categoryRows(job: JobClient, filter: string, isWanted: IsWanted): Promise<Row[]> {
  const [first] = namesIn((await job.focus()).ranks);
  if (first === undefined) return [];
  const document = await job.overlay('cvars', { ranks: first });
  const found = categorisedVariables(document, 'cvars', false).flatMap(({ category, variables }): Row[] => {
    const names = variables.map(({ title }) => title).filter(isWanted);
    if (names.length === 0) return [];
    const id = `control variables ${filter}/${category}`;
    return [
      {
        ...{ id, label: category, description: String(names.length) },
        ...{ isOpen: filter !== '', load: () => variableRows(job, id, names) },
      },
    ];
  });
  if (found.length > 0) return found;
  const notes = variableNotes(document, 'cvars', false).map(({ text }) => text);
  return (notes.length > 0 ? notes : [l10n.t('no control variable has such a name')]).map((label, index) => ({
    ...{ id: `control variables ${filter}/note ${index}`, label },
  }));
}

/** With their values in all ranks of the focus. */
async function variableRows(job: JobClient, id: string, names: string[]): Promise<Row[]> {
  const document = await job.overlay('cvars', { patterns: names });
  const cvars = cvarsIn(document);
  return categorisedVariables(document, 'cvars', false).flatMap(({ variables }) =>
    variables.map(({ title, values }) => variableRow(`${id}/${title}`, title, values, cvars.get(title))),
  );
}

function variableRow(id: string, name: string, values: readonly MergedText[], cvar: Cvar | undefined): Row {
  const isWritable = cvar !== undefined && cvar.scope !== 'CONSTANT' && cvar.scope !== 'READONLY';
  const tooltip = [
    name,
    cvar?.description ?? '',
    cvar === undefined ? '' : `${cvar.datatype}, ${scopeWords[cvar.scope]()}`,
  ];
  const common = {
    ...{ id, label: name, tooltip: tooltip.filter((line) => line !== '').join('\n') },
    ...(isWritable ? { context: 'control variable' as const, cvar: () => cvar } : {}),
  };
  const [only, another] = values;
  if (only !== undefined && another === undefined) return { ...common, description: only.text };
  return {
    ...common,
    description: l10n.t('differs between ranks'),
    children: values.map(({ ranks, text }, index) => ({
      ...{ id: `${id}/${index}`, label: text, description: wordsOfRanks(ranks) },
    })),
  };
}

const scopeWords: Record<Cvar['scope'], () => string> = {
  CONSTANT: () => l10n.t('constant'),
  READONLY: () => l10n.t('read-only'),
  LOCAL: () => l10n.t('of each rank alone'),
  GROUP: () => l10n.t('to be written in a group of ranks together'),
  GROUP_EQ: () => l10n.t('to be the same in a group of ranks'),
  ALL: () => l10n.t('to be written in all ranks together'),
  ALL_EQ: () => l10n.t('to be the same in all ranks'),
};

function cvarsIn(document: OverlayDocument): ReadonlyMap<string, Cvar> {
  const told = overlaysOf(document).flatMap(({ cvars }) => (cvars === undefined || isUnavailable(cvars) ? [] : cvars));
  return new Map(told.map((cvar) => [cvar.name, cvar]));
}
