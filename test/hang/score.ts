/**
 * Precision, recall, types and culprits of mpidbg hang with both MPIs: npm run hang:score [-- NAME...] on our own corpus (NAME: a part of "mpich messages no_send"),
 * npm run hang:score -- --corrbench FOLDER [NAME...] on a clone of MPI-CorrBench. Without names the table goes into docs/hang.md.
 * For our own corpus it prints what was said of each program with both MPIs, side by side; those that differ go into docs/hang.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shareProcessorsAlike } from '../../scripts/autogroup.mjs';
import { ucxOptions } from '../conformance/programs';
import { allMpis, type Mpi } from '../support/sample-job';
import { hangs, programsThatGoOn } from './cases';
import { titleOf, type HangCase } from './hang-case';
import { Corpus } from './corpus';
import { CorrBench } from './corrbench';
import { differs, head, rowsOf, sideBySide, summary, type Row } from './rows';

/** `library`: as its row says. */
type Chosen = (each: HangCase, library: string) => boolean;

interface Library {
  name: string;
  mpi: Mpi;
  launcherArgs: readonly string[];
}

/** Debian's MPICH sends over UCX itself. */
const libraries: readonly Library[] = [
  ...allMpis.map((mpi): Library => ({ name: mpi, mpi, launcherArgs: [] })),
  { name: 'openmpi over UCX', mpi: 'openmpi', launcherArgs: ucxOptions() },
];

async function scoreOwn({ name, mpi, launcherArgs }: Library, isChosen: Chosen): Promise<Row[]> {
  const corpus = new Corpus(mpi);
  const chosen = [...hangs, ...programsThatGoOn].filter((each) => isChosen(each, name));
  try {
    await corpus.compile(chosen.map(({ program }) => program));
    return await rowsOf(chosen, name, async (each) => {
      const job = await corpus.start(each, launcherArgs);
      try {
        if (each.unknown !== undefined) return await job.askUntil('unknown');
        return each.expected === undefined ? await job.ask() : await job.askUntil('deadlock');
      } finally {
        await job.kill();
      }
    });
  } finally {
    corpus.remove();
  }
}

async function scoreCorrBench(folder: string, mpi: Mpi, isChosen: Chosen): Promise<Row[]> {
  const bench = new CorrBench(folder, mpi);
  try {
    return await rowsOf(
      bench.cases().filter((each) => isChosen(each, mpi)),
      mpi,
      (each) => bench.judge(each),
    );
  } finally {
    bench.remove();
  }
}

/** Between its marks. */
function writeInto(file: string, mark: string, table: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(new RegExp(`(<!-- ${mark} -->\n)[^]*(<!-- /${mark} -->)`), `$1\n${table}\n$2`));
}

async function main(args: readonly string[]): Promise<void> {
  const [option, folder = ''] = args;
  const isPublic = option === '--corrbench';
  const names = isPublic ? args.slice(2) : args;
  const isChosen: Chosen = (each, library) =>
    names.length === 0 || names.some((name) => `${library} ${titleOf(each)}`.includes(name));
  let table = head;
  const answers: { name: string; rows: Row[] }[] = [];
  const shareAsBefore = shareProcessorsAlike();
  try {
    if (isPublic) for (const mpi of allMpis) table += summary(mpi, await scoreCorrBench(folder, mpi, isChosen));
    else
      for (const library of libraries) {
        const rows = await scoreOwn(library, isChosen);
        answers.push({ name: library.name, rows });
        table += summary(library.name, rows);
      }
  } finally {
    shareAsBefore();
  }
  const ofMpis = answers.filter(({ name }) => allMpis.some((mpi) => mpi === name));
  if (!isPublic) process.stdout.write(`\n${sideBySide(ofMpis, () => true)}`);
  process.stdout.write(`\n${table}`);
  const marks = isPublic ? 'corrbench' : 'score';
  if (names.length > 0) return;
  const file = join(__dirname, '..', '..', 'docs', 'hang.md');
  writeInto(file, marks, table);
  if (!isPublic) writeInto(file, 'pairs', sideBySide(ofMpis, differs));
}

void main(process.argv.slice(2));
