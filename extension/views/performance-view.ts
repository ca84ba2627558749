/** The Performance Variables view: those of MPI_T by category, with the values in the ranks of the focus. */
import * as vscode from 'vscode';
import { categorisedVariables, variableNotes } from '../../adapter/text/variables-text';
import type { JobClient } from '../ranks/job-client';
import type { Row } from './row';

export async function performanceRows(job: JobClient): Promise<Row[]> {
  const document = await job.pvars();
  const categories = categorisedVariables(document, 'pvars', false);
  return [
    ...categories.map(({ category, variables }): Row => ({
      ...{ id: category, label: category, isOpen: true },
      children: variables.map(({ title, values }) => ({
        ...{ id: `${category}/${title}`, label: title, isOpen: true },
        children: values.map(({ ranks, text }, index) => ({
          ...{ id: `${category}/${title}/${index}`, label: text, description: `ranks ${ranks}` },
        })),
      })),
    })),
    ...variableNotes(document, 'pvars', false).map(({ ranks, text }, index) => ({
      ...{ id: `note ${index}`, label: text, description: `ranks ${ranks}` },
      icon: new vscode.ThemeIcon('info'),
    })),
  ];
}
