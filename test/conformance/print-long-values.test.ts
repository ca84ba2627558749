/**
 * Which ranks `mpidbg print`, mpidbg/value and the debug console take for equal, of values too long to be shown whole:
 * held against what the program makes of each of its values, live and in core files taken in the same run.
 */
import assert from 'node:assert/strict';
import { groupedBy } from '../../plugin-api/grouped-by';
import { firstMissing, formatRankSet, parseRankSet, rankSetOf } from '../../plugin-api/answers/rank-set';
import type { ValueOverRanks, ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import { DebugRun } from '../dap/debug-run';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { eitherMpi, SampleJob } from '../support/sample-job';

const programs = [
  // Slices longer than gdb reads at once; a struct with single bits, more than 64 MiB, and handles, whose numbers are of their process.
  { name: 'long-values', expressions: 19, unknown: ['flagged', 'vast', 'comms'] },
  // What lies with gaps.
  { name: 'long-values-f90', expressions: 11, unknown: ['odd'] },
  // The nodes of a tree.
  { name: 'long-containers', expressions: 11, unknown: ['levels'] },
] as const;

async function print(expressions: readonly string[], target: readonly string[]): Promise<ValuesDocument> {
  const { stdout, stderr, status } = await runCli(['print', ...expressions, ...target, '--json']);
  assert.deepEqual([stderr, status], ['', 0]);
  return JSON.parse(stdout) as ValuesDocument;
}

/** "long 2 last\t100" as { last: ['…', '…', '100', '…'] }, the ranks in order. */
function told(lines: readonly string[], word: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [, rank, expression, text] of lines.flatMap((line) => [
    ...line.matchAll(new RegExp(`^\\s*${word} (\\d+) (.+)\\t(.+)$`, 'g')),
  ])) {
    const ofRanks = values.get(expression!) ?? [];
    ofRanks[Number(rank)] = text!;
    values.set(expression!, ofRanks);
  }
  return values;
}

/** The rank sets of equal values. */
function setsOf(texts: readonly string[]): string[] {
  const ranks = [...texts.keys()];
  return [...groupedBy(ranks, (rank) => texts[rank]).values()].map((of) => formatRankSet(rankSetOf(of))).sort();
}

for (const { name, expressions: count, unknown } of programs) {
  for (const mpi of eitherMpi(name)) {
    describe(`values beyond what is shown, ${name} under ${mpi}`, () => {
      const folder = new CoreFolder();
      let job: SampleJob;
      let live: ValuesDocument;
      let cores: ValuesDocument;
      let long: Map<string, string[]>;
      let short: Map<string, string[]>;

      before(async () => {
        job = await SampleJob.startWaiting(mpi, name);
        long = told(job.printed, 'long');
        short = told(job.printed, 'value');
        const all = [...long.keys(), ...short.keys()];
        live = await print(all, ['--launcher', String(job.launcherPid)]);
        cores = await print(all, ['--core', ...(await folder.gcore(job.pids))]);
      });
      after(async () => {
        folder.remove();
        await (job as SampleJob | undefined)?.kill();
      });

      const valueOf = (expression: string): ValueOverRanks =>
        live.expressions.find((each) => each.expression === expression)!;
      const isUnknown = (expression: string): boolean => (unknown as readonly string[]).includes(expression);
      const known = (): [string, string[]][] => [...long].filter(([expression]) => !isUnknown(expression));

      it('merges the ranks that the program has equal values in, and no others', () => {
        assert.equal(long.size + short.size, count);
        for (const [expression, texts] of known()) {
          const { values, errors } = valueOf(expression);
          assert.deepEqual([values.map(({ ranks }) => ranks).sort(), errors], [setsOf(texts), []], expression);
        }
      });

      it('says that ranks with the same text differ, and which do', () => {
        for (const [expression, texts] of known()) {
          const { values, differ } = valueOf(expression);
          const shown = groupedBy(values, ({ text }) => text);
          for (const { text, beyond } of values)
            assert.equal(beyond, shown.get(text)!.length > 1 ? 'differs' : undefined, expression);
          const [most] = [...groupedBy(texts.keys(), (rank) => texts[rank]).values()].sort(
            (a, b) => b.length - a.length,
          );
          const others = [...texts.keys()].filter((rank) => !most!.includes(rank));
          const expected = most!.length > 2 && others.length > 0 ? formatRankSet(rankSetOf(others)) : undefined;
          assert.equal(differ, expected, expression);
        }
      });

      it('claims nothing of what it cannot compare', () => {
        for (const expression of unknown) {
          const { values, differ } = valueOf(expression);
          assert.deepEqual(
            [values.map(({ ranks, beyond }) => [ranks, beyond]), differ],
            [[['0-3', 'unknown']], undefined],
            expression,
          );
        }
      });

      it('says the same of cores', () => assert.deepEqual(cores.expressions, live.expressions));

      if (name === 'long-containers') {
        it('prints short containers and pointers as what they hold', () => {
          for (const [expression, texts] of short) {
            const values = valueOf(expression).values.map(({ ranks, text }) => [ranks, text]);
            const expected = groupedBy(texts.keys(), (rank) => texts[rank]!);
            const sets = [...expected].map(([text, ranks]) => [formatRankSet(rankSetOf(ranks)), text]);
            assert.deepEqual(values.sort(), sets.sort(), expression);
          }
        });
      }

      it('is what mpidbg/value and the debug console answer; the job ends well', async () => {
        const run = await DebugRun.open();
        await run.attach({ launcherPid: job.launcherPid });
        for (const document of live.expressions) {
          const { expression } = document;
          assert.deepEqual(await run.client.request('mpidbg/value', { expression }), document);
          const { result } = await run.client.request<{ result: string }>('evaluate', { expression, context: 'repl' });
          const words = { differs: 'differs beyond this part', unknown: 'equal in the part that is shown' };
          // A line has less than the text: ranks that differ only beyond it share a row.
          const rows = result.split('\n').map((line) => {
            const [, ranks = '', shown = ''] = /^([\d,-]+): (.*)$/.exec(line) ?? [];
            return { ranks: parseRankSet(ranks), shown };
          });
          const used = document.values.map(({ ranks, beyond }) => {
            const row = rows.find((each) => firstMissing(parseRankSet(ranks), each.ranks) === undefined);
            assert.ok(row !== undefined, `${ranks} of ${expression}: ${result}`);
            const told = Object.values(words).find((each) => row.shown.includes(` · ${each}`));
            const isShared = firstMissing(row.ranks, parseRankSet(ranks)) !== undefined;
            assert.equal(
              told,
              isShared ? words.differs : ((beyond && words[beyond]) ?? told),
              `${expression}: ${row.shown}`,
            );
            if (told !== undefined) assert.ok(row.shown.includes(`(all: mpi value --full ${expression})`), row.shown);
            return row;
          });
          assert.equal(new Set(used).size, rows.length);
          const full = `mpi value --full ${expression}`;
          const whole = await run.client.request<{ result: string }>('evaluate', { expression: full, context: 'repl' });
          for (const { text } of document.values) assert.ok(whole.result.includes(text), `${whole.result}\n${text}`);
        }
        await run.close();
        await job.finish();
      });
    });
  }
}
