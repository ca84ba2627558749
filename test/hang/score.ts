/** Runs the whole corpus on both MPIs: npm run hang:score [-- NAME...]. Precision, recall, types and culprits of mpidbg hang. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { allMpis, type Mpi } from '../support/sample-job';
import { hangs, programsThatGoOn, titleOf, type HangCase } from './cases';
import { Corpus, eachOf } from './corpus';

interface Row {
  each: HangCase;
  document: HangDocument;
}

async function judge(corpus: Corpus, each: HangCase): Promise<Row> {
  const job = await corpus.start(each);
  try {
    return { each, document: each.expected === undefined ? await job.ask() : await job.askUntilDeadlock() };
  } finally {
    await job.kill();
  }
}

async function score(mpi: Mpi, cases: readonly HangCase[]): Promise<Row[]> {
  const corpus = new Corpus(mpi);
  const rows: Row[] = [];
  try {
    await corpus.compile();
    await eachOf(cases, 2, async (each) => {
      const row = await judge(corpus, each).catch((error: Error) => error);
      if (row instanceof Error) {
        process.stdout.write(`${mpi} ${titleOf(each)}: ${row.message}\n`);
        return;
      }
      rows.push(row);
      const fault = faultOf(row);
      if (fault !== undefined)
        process.stdout.write(`${mpi} ${titleOf(each)}: ${fault}\n    ${row.document.sentence}\n`);
    });
  } finally {
    corpus.remove();
  }
  return rows;
}

function faultOf({ each: { expected }, document }: Row): string | undefined {
  const { verdict, type, culprits } = document;
  if (expected === undefined) return verdict === 'deadlock' ? 'FALSE DEADLOCK' : undefined;
  if (verdict !== 'deadlock') return `missed: ${verdict}`;
  const told = { type, culprits };
  return isDeepStrictEqual(told, expected)
    ? undefined
    : `${type} [${culprits.join()}], not ${expected.type} [${expected.culprits.join()}]`;
}

function summary(mpi: Mpi, rows: readonly Row[]): string {
  const found = rows.filter(({ document }) => document.verdict === 'deadlock');
  const hanging = rows.filter(({ each }) => each.expected !== undefined);
  const right = found.filter(({ each }) => each.expected !== undefined);
  const types = right.filter(({ each, document }) => document.type === each.expected!.type);
  const culprits = right.filter(({ each, document }) => isDeepStrictEqual(document.culprits, each.expected!.culprits));
  const part = (some: readonly Row[], of: readonly Row[]): string =>
    `${some.length} of ${of.length} (${(some.length / Math.max(1, of.length)).toFixed(2)})`;
  return `| ${mpi} | ${part(right, found)} | ${part(right, hanging)} | ${part(types, right)} | ${part(culprits, right)} |`;
}

/** Between its marks. */
function writeInto(file: string, table: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/(<!-- score -->\n)[^]*(<!-- \/score -->)/, `$1\n${table}\n$2`));
}

async function main(names: readonly string[]): Promise<void> {
  const isChosen = (each: HangCase): boolean =>
    names.length === 0 || names.some((name) => titleOf(each).includes(name));
  const cases = [...hangs, ...programsThatGoOn].filter(isChosen);
  const lines: string[] = [];
  for (const mpi of allMpis) lines.push(summary(mpi, await score(mpi, cases)));
  const table = `| MPI | precision | recall | type | culprits |\n|---|---|---|---|---|\n${lines.join('\n')}\n`;
  process.stdout.write(`\n${table}`);
  if (names.length === 0) writeInto(join(__dirname, '..', '..', 'docs', 'hang.md'), table);
}

void main(process.argv.slice(2));
