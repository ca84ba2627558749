/** What mpidbg said of programs whose fault is known, and how often it was right. */
import { isDeepStrictEqual } from 'node:util';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { titleOf, type HangCase } from './hang-case';
import { eachOf } from './corpus';

export interface Row {
  each: HangCase;
  document: HangDocument;
}

/** The rows of each program that ran; `judge`: undefined for one that was over before it could be asked. */
export async function rowsOf(
  cases: readonly HangCase[],
  told: string,
  judge: (each: HangCase) => Promise<HangDocument | undefined>,
): Promise<Row[]> {
  const rows: Row[] = [];
  // More ranks than cores are slow, and starting a job waits a lot.
  await eachOf(cases, 2, async (each) => {
    const title = `${told} ${titleOf(each)}`;
    const document = await judge(each).catch((error: Error) => error);
    if (document instanceof Error) process.stdout.write(`${title}: ${document.message}\n`);
    else if (document !== undefined) {
      rows.push({ each, document });
      const fault = faultOf(each, document);
      if (fault !== undefined) process.stdout.write(`${title}: ${fault}\n    ${document.sentence}\n`);
    }
  });
  return rows;
}

function faultOf(
  { expected, unknown }: HangCase,
  { verdict, type, culprits, sentence }: HangDocument,
): string | undefined {
  if (expected === undefined && verdict === 'deadlock') return 'FALSE DEADLOCK';
  if (unknown !== undefined && (verdict !== 'unknown' || !unknown.test(sentence)))
    return `${verdict}, not unknown with ${String(unknown)}`;
  if (expected === undefined) return undefined;
  if (verdict !== 'deadlock') return `missed: ${verdict}`;
  const told = { type, culprits };
  return isDeepStrictEqual(told, expected)
    ? undefined
    : `${type} [${culprits.join()}], not ${expected.type} [${expected.culprits.join()}]`;
}

export const head = '| MPI | precision | recall | type | culprits | go on |\n|---|---|---|---|---|---|\n';

export function summary(name: string, rows: readonly Row[]): string {
  const found = rows.filter(({ document }) => document.verdict === 'deadlock');
  const hanging = rows.filter(({ each }) => each.expected !== undefined);
  const right = found.filter(({ each }) => each.expected !== undefined);
  const types = right.filter(({ each, document }) => document.type === each.expected!.type);
  const culprits = right.filter(({ each, document }) => isDeepStrictEqual(document.culprits, each.expected!.culprits));
  const part = (some: readonly Row[], of: readonly Row[]): string =>
    `${some.length} of ${of.length} (${(some.length / Math.max(1, of.length)).toFixed(2)})`;
  const cells = [part(right, found), part(right, hanging), part(types, right), part(culprits, right)];
  return `| ${name} | ${cells.join(' | ')} | ${rows.length - hanging.length} |\n`;
}

/** What was said of one program by each library that it was run with, one row a program. */
export function sideBySide(
  all: readonly { name: string; rows: readonly Row[] }[],
  isShown: (row: PairRow) => boolean,
): string {
  const titles = new Set(all.flatMap(({ rows }) => rows.map(({ each }) => titleOf(each))));
  const table = [...titles].map((title): PairRow => {
    const documents = all.map(({ rows }) => rows.find(({ each }) => titleOf(each) === title)?.document);
    return { title, documents };
  });
  const lines = table.filter(isShown).map(({ title, documents }) => line([title, ...documents.map(cellOf)]));
  const names = all.map(({ name }) => name);
  return [line(['program', ...names]), line(['', ...names].map(() => '---')), ...lines, ''].join('\n');
}

export interface PairRow {
  title: string;
  /** One a library; undefined: it was not asked, or was over before. */
  documents: readonly (HangDocument | undefined)[];
}

/** Whether two libraries have another verdict, type or culprits of one program. */
export function differs({ documents }: PairRow): boolean {
  const told = documents.flatMap((document) => {
    if (document === undefined) return [];
    const { verdict, type, culprits } = document;
    // Nobody knows what the next look finds in a job that is no deadlock.
    return [JSON.stringify(verdict === 'deadlock' ? [verdict, type, culprits] : [])];
  });
  return new Set(told).size > 1;
}

function cellOf(document: HangDocument | undefined): string {
  if (document === undefined) return '';
  const { verdict, type, culprits, sentence } = document;
  return `${verdict}${type === null ? '' : `, ${type} [${culprits.join()}]`}: ${sentence}`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
