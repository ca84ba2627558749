import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { markerLine, type Mpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

const source = 'callbacks.cpp';
const ranks = [0, 1];

/** Where both ranks are after a step into the line of this marker: "twice(int):18". */
async function stepFrom(run: DebugRun, marker: string, args: object = {}): Promise<string> {
  await run.setBreakpoints(source, [{ source, marker }]);
  await run.client.request('continue', { threadId: await run.threadOf(0) });
  await run.nextStops(ranks, 'breakpoint');
  await run.setBreakpoints(source, []);
  await run.client.request('stepIn', { threadId: await run.threadOf(0), ...args });
  await run.nextStops(ranks, 'step');
  const tops = await Promise.all(ranks.map((rank) => run.topFrame(rank)));
  const [first, second] = tops.map(({ source: of, line }) => `${basename(of?.path ?? '')}:${line}`);
  assert.equal(first, second);
  return first ?? '';
}

function at(marker: string): string {
  return `${source}:${markerLine(source, marker)}`;
}

describe('stepping into code', () => {
  for (const mpi of ['openmpi', 'mpich'] satisfies Mpi[])
    it(`of others stops where it calls the program back (${mpi})`, async () => {
      const run = await DebugRun.launch({ mpi, program: 'callbacks', ranks: 2, attributes: { stopOnEntry: true } });
      await run.nextStops(ranks, 'entry');
      const nothing = markerLine(source, 'nothing of the program is called');
      assert.equal(await stepFrom(run, 'nothing of the program is called'), `${source}:${nothing + 4}`);
      assert.equal(await stepFrom(run, 'sort'), at('in lambda'));
      assert.equal(await stepFrom(run, 'each'), at('in each'));
      assert.equal(await stepFrom(run, 'function'), at('in twice'));
      assert.equal(await stepFrom(run, 'qsort'), at('in compare'));
      assert.equal(await stepFrom(run, 'emplace'), at('in constructor'));
      assert.equal(await stepFrom(run, 'direct'), at('in twice'));
      assert.equal(await stepFrom(run, 'parallel'), at('in region'));
      await run.close();
    });

  it('that is skipped, when it is asked for', async () => {
    const run = await DebugRun.launch({
      ...{ mpi: 'mpich', program: 'callbacks', ranks: 2 },
      attributes: { stopOnEntry: true, skip: ['**/include/c++/**', 'twice'] },
    });
    await run.nextStops(ranks, 'entry');
    assert.match(await stepFrom(run, 'nothing of the program is called', { anyway: true }), /^stl_vector\.h:/);
    const direct = markerLine(source, 'direct');
    assert.equal(await stepFrom(run, 'direct'), `${source}:${direct + 1}`);
    await run.close();
  });
});
