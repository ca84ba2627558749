/** Variables that a process has several times under one name. Truth: what the code that uses each of them prints. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { startLoadedCopies } from '../support/loaded-copies';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

for (const mpi of allMpis) {
  it(`of several variables of one name that of the frame is read, or it is told which, with ${mpi}`, async () => {
    const { job, workshop, told } = await startLoadedCopies(mpi);
    try {
      const run = await DebugRun.attachedWithoutFilters(job.pid);
      const frames = await run.frames(await run.threadOf(0));
      const frame = (name: string): number => frames.find((each) => each.name === name)!.id;
      for (const context of ['watch', 'hover', 'repl'])
        for (const [name, of] of [
          ['a_enter', 'a'],
          ['b_enter', 'b'],
        ] as const)
          for (const [, , variable = '', value] of told.filter(([library]) => library === of))
            assert.equal((await run.evaluate(variable, context, frame(name))).result, value, `${context} ${variable}`);
      for (const context of ['watch', 'hover']) {
        const { result } = await run.evaluate('stride', context, frame('main'));
        assert.match(
          result,
          /^(11 · in program \(step1\.o\.c\); another is 'step2|22 · in program \(step2\.o\.c\); another is 'step1)/,
        );
      }
      const places = { source: { path: `${workshop.directory}/program.c` } };
      const line = frames.find(({ name }) => name === 'main')!.line;
      const conditions = ['stride == 11', "'step1.o.c'::stride == 11", 'shared == 101', 'depth == 4'];
      const { breakpoints } = await run.client.request<{ breakpoints: DebugProtocol.Breakpoint[] }>('setBreakpoints', {
        ...places,
        breakpoints: conditions.map((condition) => ({ line, condition })),
      });
      assert.deepEqual(
        breakpoints.map(({ verified }) => verified),
        [false, true, false, true],
      );
      assert.match(breakpoints[0]!.message!, /several variables are called stride, in program \(step\d.*: write 'step/);
      assert.match(breakpoints[2]!.message!, /several variables are called shared, in lib\w\.so/);
      await run.close();
    } finally {
      await job.kill();
      workshop.close();
    }
  });
}
