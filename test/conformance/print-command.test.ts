/**
 * What `mpidbg print` says of values of all types, live and in core files taken in the same run, held against what the
 * program prints of them, and against what MPI_Reduce makes of its numbers; and mpidbg/value of the same job.
 */
import assert from 'node:assert/strict';
import type { ValueOverRanks, ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import { DebugRun } from '../dap/debug-run';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { eitherMpi, SampleJob } from '../support/sample-job';

const programs = [
  {
    ...{ name: 'values', expressions: 27, others: ['field', 'fathoms', 'no_wave'] },
    extremes: ['lap', 'sign', 'field[3]', 'buoy.number'],
  },
  { name: 'values-f90', expressions: 14, others: ['missing'], extremes: [] },
  // What has one of MPI's names has it where the program's calls of MPI prove it.
  { name: 'neighbours', expressions: 13, others: [], extremes: [] },
  { name: 'neighbours-f90', expressions: 10, others: [], extremes: [] },
] as const;

async function print(expressions: readonly string[], target: readonly string[]): Promise<ValuesDocument> {
  const asked = await runCli(['print', ...expressions, ...target, '--json']);
  assert.equal(asked.stderr, '');
  assert.equal(asked.status, 0);
  return JSON.parse(asked.stdout) as ValuesDocument;
}

/** "value 2 lap\t100" as { lap: ['…', '…', '100', '…'] }, the ranks in order. */
function valuesIn(lines: readonly string[]): Map<string, string[]> {
  const told = new Map<string, string[]>();
  for (const [, rank, expression, text] of lines.flatMap((line) => [...line.matchAll(/\bvalue (\d+) (.+)\t(.+)$/g)])) {
    const ofRanks = told.get(expression!) ?? [];
    ofRanks[Number(rank)] = text!.trimEnd();
    told.set(expression!, ofRanks);
  }
  return told;
}

/** "0-1,3" as [0, 1, 3]. */
function ranksIn(set: string): number[] {
  return set.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number) as [number, number?];
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

function byRank({ values }: ValueOverRanks): string[] {
  const texts: string[] = [];
  for (const { ranks, text } of values) for (const rank of ranksIn(ranks)) texts[rank] = text;
  return texts;
}

for (const { name, expressions: atLeast, others, extremes } of programs) {
  for (const mpi of eitherMpi(name)) {
    describe(`mpidbg print, ${name} under ${mpi}`, () => {
      const folder = new CoreFolder();
      let job: SampleJob;
      let live: ValuesDocument;
      let cores: ValuesDocument;
      let lines: readonly string[];
      let told: Map<string, string[]>;

      before(async () => {
        job = await SampleJob.startWaiting(mpi, name);
        told = valuesIn(job.printed);
        live = await print([...told.keys(), ...others], ['--launcher', String(job.launcherPid)]);
        cores = await print([...told.keys()], ['--core', ...(await folder.gcore(job.pids))]);
      });
      after(async () => {
        folder.remove();
        await (job as SampleJob | undefined)?.kill();
      });

      const valueOf = (document: ValuesDocument, expression: string): ValueOverRanks => {
        const found = document.expressions.find((each) => each.expression === expression);
        assert.ok(found !== undefined, expression);
        return found;
      };

      it('says what the program says, live and in cores', () => {
        assert.ok(told.size >= atLeast, `only ${told.size} values were told`);
        for (const [expression, texts] of told) {
          const ofRanks = byRank(valueOf(live, expression));
          // What a rank has no words for, as NaN, it does not tell.
          assert.deepEqual(
            texts.map((_, rank) => ofRanks[rank]),
            texts,
            expression,
          );
          assert.deepEqual(valueOf(cores, expression), valueOf(live, expression));
        }
        assert.equal(live.target, 'live');
        assert.equal(cores.target, 'core');
        assert.deepEqual([live.schema, live.errors, cores.errors], ['mpidbg/1', [], []]);
      });

      it('merges equal values, the largest group first', () => {
        for (const { expression, values } of live.expressions) {
          assert.equal(new Set(values.map(({ text }) => text)).size, values.length, expression);
          const sizes = values.map(({ ranks }) => ranksIn(ranks).length);
          assert.deepEqual(
            sizes,
            sizes.toSorted((a, b) => b - a),
            expression,
          );
        }
        if (!told.has('lap')) return;
        assert.deepEqual(valueOf(live, 'lap').values, [
          { ranks: '0-2', text: '100' },
          { ranks: '3', text: '99' },
        ]);
        assert.equal(valueOf(live, 'lap').differ, '3');
      });

      it('is what mpidbg/value answers', async () => {
        const run = await DebugRun.open();
        await run.attach({ launcherPid: job.launcherPid });
        for (const document of live.expressions) {
          const { expression } = document;
          assert.deepEqual(await run.client.request('mpidbg/value', { expression }), document);
        }
        await run.close();
      });

      it('has the smallest and the greatest as MPI_Reduce has them; the job ends well', async () => {
        lines = await job.finish();
        for (const which of ['minimum', 'maximum'] as const) {
          const reduced = new Map(
            lines
              .flatMap((line) => [...line.matchAll(/\b(minimum|maximum) (.+)\t(.+)$/g)])
              .flatMap(([, kind, expression, text]) => (kind === which ? [[expression!, text!] as const] : [])),
          );
          assert.deepEqual([...reduced.keys()].sort(), [...extremes].sort());
          for (const [expression, text] of reduced) {
            const found = told.has(expression) ? valueOf(live, expression)[which] : undefined;
            if (found === undefined) continue;
            assert.equal(found.text, text, `${which} of ${expression}`);
            assert.deepEqual(
              ranksIn(found.ranks),
              told.get(expression)!.flatMap((each, rank) => (each === text ? [rank] : [])),
            );
          }
        }
      });

      if (name === 'values') {
        it('tells ranks with NaN, complex too, which are neither smallest nor greatest', () => {
          const residual = valueOf(live, 'residual');
          assert.equal(residual.nan, '2');
          assert.deepEqual([residual.minimum?.ranks, residual.maximum?.ranks], ['0', '3']);
          assert.equal(valueOf(live, 'no_wave').nan, '1');
          assert.equal(valueOf(live, 'wave').minimum, undefined);
        });

        it('takes enumerations, pointers, texts and truths for no numbers', () => {
          for (const expression of ['tide', 'no_tide', 'marks', 'nowhere', 'text', 'odd', 'row'])
            assert.deepEqual(
              [valueOf(live, expression).minimum, valueOf(live, expression).maximum],
              [undefined, undefined],
            );
        });

        it('tells the ranks where a name is unknown', () => {
          const { values, errors } = valueOf(live, 'fathoms');
          assert.deepEqual(values, [{ ranks: '0', text: '0' }]);
          assert.deepEqual(errors, [{ ranks: '1-3', text: 'No symbol "fathoms" in current context' }]);
        });

        it('bounds what is too long', () => {
          const { values } = valueOf(live, 'field');
          assert.equal(values.length, 4);
          for (const { text } of values) assert.match(text, /^\{0, 0, 0, \d, (0, ){16}… 20000000 in all\}$/);
        });
      } else if (name === 'values-f90') {
        it('tells what is not allocated', () => {
          assert.deepEqual(valueOf(live, 'missing').errors, []);
          assert.deepEqual(valueOf(live, 'missing').values, [{ ranks: '0-3', text: '<not allocated>' }]);
        });
      }
    });
  }
}
