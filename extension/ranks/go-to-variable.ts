/** From a handle to the variable that holds it: its function becomes the selected frame, its declaration is opened. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { BodyOf } from '../../adapter/dap/request-table';
import type { HandleKind, Hex } from '../../plugin-api/mpi/records';
import { inWorld } from '../../plugin-api/mpi/worlds';
import { visible } from '../../plugin-api/visible-text';
import { JobClient } from './job-client';
import { showFrame } from './selection';
import { showSource } from './show-source';

/** A handle of one rank, as its record has it. */
export interface HandleOfRank {
  rank: number;
  world?: string;
  kind: HandleKind;
  handle: Hex;
}

type Found = BodyOf<'mpidbg/variables'>['variables'][number];

/** Throws Error when no variable holds it. */
export async function goToVariable(handle: HandleOfRank): Promise<void> {
  const job = JobClient.active();
  if (job === undefined) return;
  const { variables } = await job.variablesOf(handle);
  const [first] = variables;
  if (first === undefined)
    throw new Error(
      l10n.t(
        'No variable of the functions in which rank {0} is holds this handle.',
        inWorld(handle.world, String(handle.rank)),
      ),
    );
  const chosen = variables.length === 1 ? first : await pick(variables);
  if (chosen === undefined) return;
  await showFrame(job, chosen);
  if (chosen.source !== undefined) await openDeclaration(chosen.expression, chosen.source);
}

async function pick(variables: readonly Found[]): Promise<Found | undefined> {
  const items = variables.map((variable) => ({
    label: visible(variable.expression),
    description: visible(variable.function ?? ''),
    variable,
  }));
  return (await vscode.window.showQuickPick(items, { title: l10n.t('MPI: Variables with this handle') }))?.variable;
}

/** With the name selected. */
async function openDeclaration(expression: string, { file, line }: { file: string; line: number }): Promise<void> {
  const document = await vscode.workspace.openTextDocument(file);
  const at = document.lineAt(Math.min(line, document.lineCount) - 1);
  const name = /[A-Za-z_]\w*/.exec(expression)?.[0] ?? '';
  const start = new RegExp(`\\b${name}\\b`, 'i').exec(at.text)?.index ?? at.firstNonWhitespaceCharacterIndex;
  const selection = new vscode.Range(at.lineNumber, start, at.lineNumber, start + name.length);
  await showSource(document.uri, selection);
}
