/**
 * For a job that hangs: the variables of the selected function that calls of MPI in its source are given as numbers or handles and
 * that differ between the ranks; what buffers hold differs in any program. They are no proof: a tag, a root or a count may be right
 * though it differs.
 */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { mpiRoutine } from '../../plugin-api/fortran/bindings';
import { isFortranFile } from '../../plugin-api/fortran/file-names';
import type { ValueOverRanks } from '../../plugin-api/answers/value-over-ranks';
import type { HangDocument, HangType } from '../../plugin-api/hang/hang-records';
import { codeIn, variablesIn } from '../editor/variables-in-line';
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
  const names = (await Promise.all(filesOf(document).map(namesGivenIn))).flat();
  const isGiven = (value: ValueOverRanks, wanted?: RegExp): boolean =>
    names.some(({ name, as }) => name === rootOf(value.expression) && (wanted === undefined || wanted.test(as)));
  const all = found.variables.filter((value) => isGiven(value) && !isRank(value));
  // What the verdict is about comes first.
  const wanted = argumentsOf[document.type ?? 'other'];
  const given = wanted === undefined ? all : sortedBy(all, (value) => (isGiven(value, wanted) ? 0 : 1));
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
        label: labelOf(value.expression),
      })),
    },
  ];
}

/** MPI's names of the arguments in which the ranks disagree, by the verdict. */
const argumentsOf: Partial<Record<HangType, RegExp>> = {
  'tag-mismatch': /tag$/,
  'root-mismatch': /^root$/,
  'comm-mismatch': /comm/,
  'p2p-cycle': /^(source|dest)$/,
  'p2p-missing-partner': /^(source|dest)$/,
};

function sortedBy<Value>(values: readonly Value[], key: (value: Value) => number): Value[] {
  return [...values].sort((a, b) => key(a) - key(b));
}

/** What a lambda has captured has the compiler's name: "tag.__epoch". */
function labelOf(expression: string): string {
  const [, lambda, captured] = /^(\w+)\.__([A-Za-z]\w*)$/.exec(expression) ?? [];
  return lambda === undefined || captured === undefined ? expression : l10n.t('{0}, captured by {1}', captured, lambda);
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

/** A variable in an argument of a call. */
interface NameGiven {
  /** In lower case: Fortran knows no other. */
  name: string;
  /** MPI's name of the argument; "" where it is not known. */
  as: string;
}

async function namesGivenIn(file: string): Promise<NameGiven[]> {
  const uri = vscode.Uri.file(file);
  const status = await vscode.workspace.fs.stat(uri).then(undefined, () => undefined);
  if (status === undefined || status.size > maxFileBytes) return [];
  const lines = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)).split('\n');
  const isFortran = isFortranFile(file);
  return argumentsOfCalls(lines, isFortran).flatMap(({ as, text }) =>
    variablesIn(text, isFortran).map(({ name }) => ({ name: name.toLowerCase(), as })),
  );
}

/** What calls of MPI are given as numbers, or as handles that they do not set. `as`: MPI's name of the argument. */
export function argumentsOfCalls(lines: readonly string[], isFortran: boolean): { as: string; text: string }[] {
  const code = lines.map((line) => codeIn(line, isFortran));
  return code.flatMap((line, index) => {
    const call = /\b(MPI_\w+)\s*\(/i.exec(line);
    if (call === null) return [];
    const rest = [line.slice(call.index + call[0].length), ...code.slice(index + 1, index + maxLines)];
    // A line that goes on ends with & in Fortran.
    const given = splitArguments(rest.map((each) => (isFortran ? each.replace(/^\s*&|&\s*$/g, '') : each)).join(' '));
    const known = mpiRoutine(call[1]!.toLowerCase());
    return given.flatMap((text, at) => {
      const argument = known?.[at];
      if (argument === undefined) return known === undefined ? [{ as: '', text }] : [];
      const { name, kind, isSet, isInteger } = argument;
      const isHandle = kind !== undefined && kind !== 'request' && kind !== 'status' && !isSet;
      return (isInteger && name !== 'ierror') || isHandle ? [{ as: name, text }] : [];
    });
  });
}

/** Up to the bracket that closes the call, or all there is. */
function splitArguments(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of text) {
    if (')]}'.includes(letter) && depth-- === 0) break;
    if ('([{'.includes(letter)) depth++;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
}
