/** Dummy arguments and components of which gdb does not know all: they are told as such, and the others are shown. */
import assert from 'node:assert/strict';
import { eitherMpi } from '../support/sample-job';
import { DebugRun, type Place } from './debug-run';

const given: Place = { source: 'arguments.f90', marker: 'all arguments given' };
const absent = 'absent: OPTIONAL and not passed, not allocated, or a POINTER to nothing';
const absentOrLost =
  'absent: OPTIONAL and not passed, not allocated, a POINTER to nothing, or not kept by optimized code';

for (const mpi of eitherMpi('fortran arguments')) {
  describe(`Fortran arguments under ${mpi}`, () => {
    let run: DebugRun;
    let frameId: number;
    before(async () => {
      ({ run } = await DebugRun.stopped({ mpi, program: 'arguments', ranks: 1, breakpoints: [given] }));
      frameId = (await run.topFrame(0)).id;
    });
    after(() => run.close());

    const shown = async (name: string): Promise<string> => (await run.local(0, name)).value;
    const watched = async (expression: string): Promise<string> =>
      (await run.evaluate(expression, 'watch', frameId)).result;

    it('are all listed beside one whose type gdb cannot write', async () => {
      for (const [name, value] of [
        ['n', '4'],
        ['m', '2'],
        ['at', '1'],
      ] as const)
        assert.equal(await shown(name), value, name);
      assert.equal(await shown('field'), '4×5 numbers, all 1000.5');
      assert.equal(await watched('field(3, 2)'), '1000.5');
    });

    it('that are not passed are absent, in Variables as in a watch', async () => {
      for (const [name, words] of [
        ['opt', absent],
        ['list', absentOrLost],
      ] as const) {
        assert.equal(await shown(name), words, name);
        await assert.rejects(watched(name), new RegExp(words), name);
      }
    });

    it('of assumed size have a slice that begins with the first element', async () => {
      assert.equal(await watched('ends@3'), '(7, 8, 9)');
      assert.equal(await watched('ends(2)@2'), '(8, 9)');
      const { variablesReference } = await run.evaluate('ends@3', 'watch', frameId);
      const elements = await run.variables(variablesReference);
      assert.deepEqual(
        elements.map(({ value, evaluateName }) => [value, evaluateName]),
        [
          ['7', 'ends(1)'],
          ['8', 'ends(2)'],
          ['9', 'ends(3)'],
        ],
      );
    });

    it('have components without a type in the debug information', async () => {
      const components = await run.variables((await run.local(0, 'here')).variablesReference);
      const parts = components.find(({ name }) => name === 'parts');
      assert.match(parts?.value ?? '', /^<the debug information does not tell its type/);
      await assert.rejects(watched('here%parts'), /the debug information does not tell its type/);
      assert.equal(await watched('here%inner%depth'), '50');
    });
  });
}
