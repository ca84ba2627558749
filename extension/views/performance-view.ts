/** The Performance Variables view: those of MPI_T by category, with the values in the ranks of the focus. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { MergedText } from '../../plugin-api/answers/merge';
import { isRankText } from '../ranks/rank-numbers';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import { categorisedVariables, pvarTitle, variableNotes } from '../../plugin-api/answers/text/variables-text';
import type { OverlayDocument, Pvar } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import type { JobClient } from '../ranks/job-client';
import { hasSeveralValues } from '../heat-map/heat-map';
import { wordsOfRanks } from '../ranks/rank-text';
import { controlVariables } from './control-rows';
import { nameFilter } from './name-filter';
import type { Row } from './row';

export class Performance {
  /** Shows only variables with this text in their names. */
  filter = '';

  async rows(job: JobClient): Promise<Row[]> {
    const document = await job.pvars();
    const pvars = pvarsByTitle(document);
    const isWanted = nameFilter(this.filter);
    return [
      ...categorisedVariables(document, 'pvars', false).flatMap(({ category, variables }): Row[] => {
        const wanted = variables.filter(({ title }) => isWanted(pvars.get(title)?.name ?? title));
        if (wanted.length === 0) return [];
        const children = wanted.map(({ title, values }) =>
          variableRow(`${category}/${title}`, title, values, pvars.get(title)),
        );
        return [{ id: category, label: category, isOpen: true, children }];
      }),
      controlVariables(job, this.filter, isWanted),
      ...variableNotes(document, 'pvars', false).map(({ ranks, text }, index) => ({
        ...{ id: `note ${index}`, label: text.replace(' (see --full)', ''), description: wordsOfRanks(ranks) },
        icon: new vscode.ThemeIcon('info'),
      })),
    ];
  }
}

/** What menus offer for it, as MPI_T allows. */
function contextOf(pvar: Pvar): `variable${string}` {
  const abilities = [
    ...(hasSeveralValues(pvar) ? ['several'] : []),
    ...(pvar.origin !== 'collector' || pvar.continuous ? [] : ['startable']),
    ...(pvar.origin !== 'collector' || pvar.readonly ? [] : ['writable']),
  ];
  return `variable ${abilities.join(' ')}`;
}

/** "name (class)": what all ranks agree on is in its own row. */
function variableRow(id: string, title: string, values: readonly MergedText[], pvar?: Pvar): Row {
  const name = pvar?.name ?? title;
  const words = title.slice(name.length + 1);
  const tooltip = [title, pvar?.description ?? ''].filter((line) => line !== '').join('\n');
  const common = pvar === undefined ? {} : { context: contextOf(pvar), pvar: () => pvar };
  const [only, another] = values;
  if (only !== undefined && another === undefined)
    return {
      id,
      label: name,
      description: `${only.text} ${words}`,
      tooltip: `${tooltip}\n${describe(only)}`,
      ...common,
    };
  return {
    ...{ id, label: name, description: words, tooltip, isOpen: true, ...common },
    children: values.map((value, index) => ({
      ...{ id: `${id}/${index}`, label: value.text, description: wordsOfRanks(value.ranks), tooltip: describe(value) },
      ...(isRankText(value.ranks) ? { context: 'ranks' as const, ranks: value.ranks } : {}),
    })),
  };
}

function describe({ ranks, text }: MergedText): string {
  return l10n.t('{0} in {1}', text, wordsOfRanks(ranks));
}

function pvarsByTitle(document: OverlayDocument): ReadonlyMap<string, Pvar> {
  const told = overlaysOf(document).flatMap(({ pvars }) => (pvars === undefined || isUnavailable(pvars) ? [] : pvars));
  return new Map(told.map((pvar) => [pvarTitle(pvar, false), pvar]));
}
