/** Objects of Fortran whose types are known at run time only, on both MPIs. */
import assert from 'node:assert/strict';
import { eitherMpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

const breakpoints = [{ source: 'polymorphic.f90', marker: 'all objects there' }];

for (const mpi of eitherMpi('fortran polymorphic')) {
  describe(`objects of CLASS under ${mpi}`, () => {
    let run: DebugRun;
    let frameId: number;
    before(async () => {
      ({ run } = await DebugRun.stopped({ mpi, program: 'polymorphic', ranks: 2, breakpoints }));
      const frames = await run.frames(await run.threadOf(1));
      frameId = frames.find(({ name }) => /look$/.test(name))!.id;
    });
    after(() => run.close());

    const shown = async (expression: string): Promise<string> =>
      (await run.evaluate(expression, 'watch', frameId)).result;
    const members = async (expression: string): Promise<string[]> => {
      const { variablesReference } = await run.evaluate(expression, 'watch', frameId);
      return (await run.variables(variablesReference)).map(({ name }) => name);
    };

    it('have the components of the type that they are of', async () => {
      assert.deepEqual(await members('obj'), ['tide', 'height']);
      assert.deepEqual(await members('kept%kept'), ['base', 'handle', 'name', 'halos', 'back']);
      assert.deepEqual(await members('kept%at'), ['base', 'depth']);
      assert.deepEqual(await members('objs(2)'), ['base', 'handle', 'name', 'halos', 'back']);
      for (const [expression, value] of [
        ['obj%height', '2.5'],
        ['obj%id', '2'],
        ['obj%name', "'tide2 '"],
        ['obj%back(2)', '7'],
        ['objs(1)%id', '5'],
        ['objs(3)%name', "'tide1 '"],
        ['size(objs)', '3'],
        ['lbound(objs)', '(1)'],
        ['objs(2)%back(4)', '1'],
        ['kept%at%depth', '12'],
        ['kept%many(2)%id', '2'],
        ['kept%anything%id', '4'],
        ['any', '42'],
      ] as const)
        assert.equal(await shown(expression), value, expression);
    });

    it('have them in conditions and log messages, and also after those', async () => {
      const { source, marker } = breakpoints[0]!;
      const logMessage = 'TOLD {obj%height} {obj%name} {objs(1)%id} {kept%at%depth} END';
      const [breakpoint] = await run.setBreakpoints(source, [
        { source, marker, condition: "obj%back(2) == 7 .and. obj%name == 'tide2'", logMessage },
      ]);
      assert.equal(breakpoint?.verified, true, breakpoint?.message);
      assert.equal(await shown('obj%height'), '2.5');
    });

    it('hold handles', async () => {
      assert.equal(await shown('obj%comm'), 'MPI_Comm "tide2" · rank 0 of 1');
      assert.equal(await shown('comm.f:obj%handle'), 'MPI_Comm "tide2" · rank 0 of 1');
      assert.equal(await shown('objs(2)%comm'), 'MPI_Comm "tide3" · rank 0 of 1');
      assert.equal(await shown('kept%at%comm'), 'MPI_Comm "here" · rank 0 of 1');
    });

    it('are in the Variables view what they are', async () => {
      const locals = await run.locals(frameId);
      const type = (name: string): string | undefined => locals.find((each) => each.name === name)?.type;
      assert.deepEqual(['obj', 'itself', 'any'].map(type), ['Type spring_tide', 'Type tide', 'integer(kind=4)']);
      const objs = locals.find(({ name }) => name === 'objs');
      const elements = await run.variables(objs!.variablesReference);
      assert.deepEqual(
        elements.map(({ name, type: of, evaluateName }) => [name, of, evaluateName]),
        [1, 2, 3].map((i) => [`(${i})`, 'Type tide', `objs(${i})`]),
      );
    });
  });
}
