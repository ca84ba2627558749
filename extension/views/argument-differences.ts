/**
 * For a job that hangs: the variables of the selected function that calls of MPI in its source are given and that differ between
 * the ranks. They are no proof: a tag, a root or a count may be right though it differs.
 */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isFortranFile } from '../../plugin-api/fortran/file-names';
import type { ValueOverRanks } from '../../adapter/query/across-ranks/value-over-ranks';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { variablesIn } from '../editor/variables-in-line';
import type { JobClient } from '../ranks/job-client';
import type { Row } from './row';
import { valueRow } from './values-view';

/** The most lines of a call: what follows is left out. */
const maxLines = 12;
const maxFileBytes = 4 * 1024 * 1024;

/** None while no frame is selected. */
export async function argumentDifferences(job: JobClient, document: HangDocument): Promise<Row[]> {
  if (document.verdict === 'progress') return [];
  // The frame may be gone, when the job has gone on meanwhile.
  const found = await job.differences().catch(() => undefined);
  if (found === undefined || found.variables.length === 0) return [];
  const names = new Set((await Promise.all(filesOf(document).map(namesGivenIn))).flat());
  const given = found.variables.filter((value) => names.has(rootOf(value.expression)) && !isRank(value));
  if (given.length === 0) return [];
  return [
    {
      id: 'arguments',
      label: l10n.t('Given to MPI in {0}, and not equal in all ranks', found.function),
      icon: new vscode.ThemeIcon('diff'),
      isOpen: true,
      children: given.map((value) => ({
        ...valueRow(value, 'difference'),
        id: `argument ${value.expression}`,
        label: value.expression,
      })),
    },
  ];
}

function filesOf({ ranks }: HangDocument): string[] {
  return [...new Set(ranks.flatMap((rank) => ('error' in rank ? [] : (rank.code?.file ?? []))))];
}

/** Each rank's own number says nothing. */
function isRank({ values, errors }: ValueOverRanks): boolean {
  return errors.length === 0 && values.every(({ ranks, text }) => ranks === text);
}

/** "own" of "own.phase" and "(*this).phase": "this". */
function rootOf(expression: string): string {
  return /[A-Za-z_]\w*/.exec(expression)?.[0].toLowerCase() ?? expression;
}

/** In lower case: Fortran knows no other. */
async function namesGivenIn(file: string): Promise<string[]> {
  const uri = vscode.Uri.file(file);
  const status = await vscode.workspace.fs.stat(uri).then(undefined, () => undefined);
  if (status === undefined || status.size > maxFileBytes) return [];
  const lines = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)).split('\n');
  return argumentsOfCalls(lines).flatMap((line) =>
    variablesIn(line, isFortranFile(file)).map(({ name }) => name.toLowerCase()),
  );
}

/** What stands in the brackets of the calls of MPI, line by line. */
export function argumentsOfCalls(lines: readonly string[]): string[] {
  return lines.flatMap((line, index) => {
    const call = /\bMPI_\w+\s*\(/i.exec(line);
    if (call === null) return [];
    const parts: string[] = [];
    let depth = 1;
    let rest = line.slice(call.index + call[0].length);
    for (let next = index + 1; ; next++) {
      const end = [...rest].findIndex((letter) => (depth += letter === '(' ? 1 : letter === ')' ? -1 : 0) === 0);
      parts.push(end < 0 ? rest : rest.slice(0, end));
      if (end >= 0 || parts.length === maxLines || lines[next] === undefined) return parts;
      rest = lines[next]!;
    }
  });
}
