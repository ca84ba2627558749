/** The Performance Variables view: those of MPI_T by category, with the values in the ranks of the focus. */
import * as vscode from 'vscode';
import type { MergedText } from '../../adapter/query/across-ranks/merge';
import { overlaysOf } from '../../adapter/text/overlay-ranks';
import { categorisedVariables, variableNotes } from '../../adapter/text/variables-text';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import type { JobClient } from '../ranks/job-client';
import { wordsOfRanks } from '../ranks/rank-text';
import type { Row } from './row';

export async function performanceRows(job: JobClient): Promise<Row[]> {
  const document = await job.pvars();
  const descriptions = descriptionsIn(document);
  return [
    ...categorisedVariables(document, 'pvars', false).map(({ category, variables }): Row => ({
      ...{ id: category, label: category, isOpen: true },
      children: variables.map(({ title, values }) =>
        variableRow(`${category}/${title}`, title, values, descriptions.get(nameIn(title))),
      ),
    })),
    ...variableNotes(document, 'pvars', false).map(({ ranks, text }, index) => ({
      ...{ id: `note ${index}`, label: text.replace(' (see --full)', ''), description: wordsOfRanks(ranks) },
      icon: new vscode.ThemeIcon('info'),
    })),
  ];
}

/** "name (class)": what all ranks agree on is in its own row. */
function variableRow(id: string, title: string, values: readonly MergedText[], description = ''): Row {
  const name = nameIn(title);
  const words = title.slice(name.length + 1);
  const tooltip = [title, description].filter((line) => line !== '').join('\n');
  const [only, another] = values;
  if (only !== undefined && another === undefined)
    return { id, label: name, description: `${only.text} ${words}`, tooltip: `${tooltip}\n${describe(only)}` };
  return {
    ...{ id, label: name, description: words, tooltip, isOpen: true },
    children: values.map((value, index) => ({
      ...{ id: `${id}/${index}`, label: value.text, description: wordsOfRanks(value.ranks), tooltip: describe(value) },
      ...(/^[\d,-]+$/.test(value.ranks) ? { context: 'ranks' as const, ranks: value.ranks } : {}),
    })),
  };
}

function describe({ ranks, text }: MergedText): string {
  return `${text} in ${wordsOfRanks(ranks)}`;
}

function nameIn(title: string): string {
  return title.slice(0, title.indexOf(' '));
}

/** In the library's words, by the name of the variable. */
function descriptionsIn(document: OverlayDocument): ReadonlyMap<string, string> {
  const told = overlaysOf(document).flatMap(({ pvars }) => (pvars === undefined || isUnavailable(pvars) ? [] : pvars));
  return new Map(told.map(({ name, description }) => [name, description]));
}
