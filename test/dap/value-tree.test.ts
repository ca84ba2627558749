/**
 * The Variables view and `show` of the same values: the same handles, by the same expressions, as the program says, with
 * MPI's own names of the communicators.
 */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Answer, Document } from '../../plugin-api/mpi/records';
import { eitherMpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

/** A handle in a value: `port.comm`, and the communicator's name or the status' tag. */
type Found = [expression: string, what: string];

interface Told {
  /** By the expression that is asked for. */
  parts: Map<string, Found[]>;
  counts: Map<string, number>;
}

/** What rank 0 has printed. */
function toldIn(output: string): Told {
  const parts = new Map<string, Found[]>();
  for (const [, root, expression, what] of output.matchAll(/\b(?:part|status) (\S+) (\S.*?) (part \d+|\d+)$/gm))
    parts.set(root!, [...(parts.get(root!) ?? []), [expression!, what!]]);
  const counts = [...output.matchAll(/\bcount (\S+) (\d+)$/gm)].map(
    ([, list, count]) => [list!, Number(count)] as const,
  );
  return { parts, counts: new Map(counts) };
}

/** A communicator's name, a status' tag; undefined for all else. */
function handleIn(line: string): string | undefined {
  return /^MPI_Comm "(.*?)"/.exec(line)?.[1] ?? /^(?:MPI_Status · )?source .*\btag (\d+)/.exec(line)?.[1];
}

function foundIn({ expression, ...answer }: Answer): Found {
  assert.ok(answer.code === 'MPIDBG_SUCCESS', `${expression}: ${'reason' in answer ? answer.reason : ''}`);
  const { info } = answer;
  if ('tag' in info && typeof info.tag === 'number') return [expression!, `${info.tag}`];
  return [expression!, 'name' in info && typeof info.name === 'string' ? info.name : ''];
}

const programs = [
  { program: 'parts', source: 'parts.cpp', frame: /^main\b/ },
  { program: 'components', source: 'components.f90', frame: /components/ },
] as const;

for (const { program, source, frame } of programs) {
  for (const mpi of eitherMpi(source)) {
    describe(`values of ${source} under ${mpi}, in the Variables view and by show`, () => {
      let run: DebugRun;
      let frameId: number;
      let told: Told;

      before(async () => {
        const breakpoints = [{ source, marker: 'all parts told' }];
        ({ run } = await DebugRun.stopped({ mpi, program, ranks: 2, breakpoints }));
        const output = (): string => run.client.outputText('stdout');
        await run.client.waitFor('output', () => /rank 0: parts told/.test(output()));
        told = toldIn(output());
        frameId = (await run.frames(await run.threadOf(0))).find(({ name }) => frame.test(name))!.id;
      });
      after(() => (run as DebugRun | undefined)?.close());

      const show = async (expression: string): Promise<Answer[]> => {
        const document = await run.client.request<Document>('mpidbg/show', { expressions: [expression], frameId });
        const [rank] = document.ranks;
        assert.ok(rank !== undefined && 'answers' in rank);
        return rank.answers;
      };

      /** As one finds them by opening all that can be opened. */
      const handlesBelow = async ({
        value,
        evaluateName,
        variablesReference,
      }: Pick<DebugProtocol.Variable, 'value' | 'evaluateName' | 'variablesReference'>): Promise<Found[]> => {
        const what = handleIn(value);
        if (what !== undefined) return [[evaluateName ?? '', what]];
        if (variablesReference === 0) return [];
        const children = await run.variables(variablesReference);
        return (await Promise.all(children.map(handlesBelow))).flat();
      };
      const handlesInView = async (expression: string): Promise<Found[]> => {
        const { result, ...rest } = await run.evaluate(expression, 'watch', frameId);
        return handlesBelow({ value: result, evaluateName: expression, ...rest });
      };

      it('hold the handles that the program says, by its expressions', async () => {
        assert.ok(told.parts.size >= 12, `${told.parts.size} values`);
        const sorted = (found: readonly Found[]): string[] => found.map((each) => each.join(' ')).sort();
        for (const [root, expected] of told.parts) {
          const inView = await handlesInView(root);
          assert.deepEqual(sorted(inView), sorted(expected), `${root} in the Variables view`);
          assert.deepEqual((await show(root)).map(foundIn), inView, `${root} by show`);
        }
      });

      it('are evaluated by the expressions that they are given', async () => {
        for (const [expression, what] of [...told.parts.values()].flat()) {
          assert.equal(handleIn((await run.evaluate(expression, 'watch', frameId)).result), what, expression);
          assert.deepEqual((await show(expression)).map(foundIn), [[expression, what]]);
        }
      });

      it('have as many elements as the program says', async () => {
        assert.ok(told.counts.size >= 6, `${told.counts.size} lists`);
        for (const [list, count] of told.counts) {
          assert.equal((await run.evaluate(list, 'watch', frameId)).indexedVariables, count, list);
          // The elements that show answers, each of which may hold several handles, and those that it leaves out.
          const answers = await show(list);
          const left = answers.map((answer) =>
            'reason' in answer ? /^(\d+) more elements/.exec(answer.reason)?.[1] : 0,
          );
          const elements = new Set(
            answers
              .filter(({ code }) => code !== 'MPIDBG_ERR_OUT_OF_RANGE')
              .map(({ expression }) => elementOf(list, expression!)),
          );
          assert.equal(elements.size + Number(left.at(-1)), count, list);
        }
      });
    });
  }
}

for (const mpi of eitherMpi('lines of structures')) {
  describe(`lines of structures under ${mpi}`, () => {
    it('say what the handles are behind bases and pointers to statuses, and in long arrays', async () => {
      const breakpoints = [{ source: 'parts.cpp', marker: 'all parts told' }];
      const { run } = await DebugRun.stopped({ mpi, program: 'parts', ranks: 2, breakpoints });
      const frameId = (await run.frames(await run.threadOf(0))).find(({ name }) => /^main\b/.test(name))!.id;
      const line = async (expression: string): Promise<string> =>
        (await run.evaluate(`mpi value --full ${expression}`, 'repl', frameId)).result;
      assert.match(
        await line('port'),
        / \{<Harbour> = \{depth = 4\.5, comm = MPI_Comm "part 1" · rank 0 of 1, lanes = /,
      );
      assert.match(
        await line('pointed'),
        / \{first = MPI_Status · source 0 · tag 31 · 4 bytes, second = MPI_Status · source 0 · tag 32 · /,
      );
      assert.match(await line('long_array'), / \{\{comm = MPI_COMM_SELF · rank 0 of 1, width = 100\}, /);
      await run.close();
    });
  });
}

/** Which element of the list it belongs to, by the last subscript; of what is called otherwise, `comms(4)` of a section, all of it. */
function elementOf(list: string, expression: string): string {
  const subscripts = expression.startsWith(list) ? /^[[(]([^\])]*)[\])]/.exec(expression.slice(list.length)) : null;
  return subscripts?.[1]?.split(',').at(-1) ?? expression;
}
