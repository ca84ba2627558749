/** Structures, containers and pointers in views and in the console: their handles read as what they are. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

for (const mpi of allMpis) {
  describe(`nested handles under ${mpi}`, () => {
    let run: DebugRun;
    let frameId: number;
    const rank = 1;

    before(async () => {
      const breakpoints = [{ source: 'nested.cpp', marker: 'all values in place' }];
      ({ run } = await DebugRun.stopped({ mpi, program: 'nested', ranks: 2, breakpoints }));
      const threads = await run.threads();
      const thread = threads.find(({ name }) => name.startsWith(`rank ${rank}`));
      assert.ok(thread);
      const { stackFrames } = await run.client.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', {
        threadId: thread.id,
      });
      frameId = stackFrames.find(({ name }) => /^main\b/.test(name))!.id;
    });
    after(() => (run as DebugRun | undefined)?.close());

    const evaluate = async (expression: string, context = 'watch'): Promise<DebugProtocol.EvaluateResponse['body']> =>
      run.client.request('evaluate', { expression, frameId, context });
    const ocean = `MPI_Comm "ocean" · rank ${rank} of 2`;

    it('a struct says what its handles are, wherever it is', async () => {
      const start = `{comm "ocean", cells 3, `;
      for (const each of [
        'halo',
        '*to_halo',
        'to_halo',
        'history[1]',
        '*owned',
        'owned',
        'by_day[4]',
        '*later',
        'later',
      ])
        assert.equal((await evaluate(each)).result.slice(0, start.length), start, each);
      assert.equal((await evaluate('ocean')).result.slice(-1), '}');
      assert.equal((await evaluate('table')).result, '3 receives, all pending, MPI_REQUEST_NULL');
    });

    it('a hover has more of it, in one line', async () => {
      const line = /^\{comm "ocean", cells 3, requests 2 receives, all pending, status source 1 tag 1\}$/;
      for (const each of ['halo', '*to_halo', 'history[1]', '*owned', 'by_day[4]', '*later'])
        assert.match((await evaluate(each, 'hover')).result, line, each);
      assert.match((await evaluate('ocean', 'hover')).result, /^\{.*comm_ "ocean"/);
    });

    it('so has the console, merged over ranks, and says how to see all of it', async () => {
      const lines = (await evaluate('halo', 'repl')).result.split('\n');
      const told = [0, 1].map(
        (rank) =>
          `${rank}: {comm "ocean", cells 3, requests 2 receives, all pending, status source ${rank} tag ${rank}}`,
      );
      assert.deepEqual(lines, told);
      const { result } = await evaluate('mpi value --full halo', 'repl');
      const all = result.trimEnd().split('\n');
      assert.equal(all.length, 2, result);
      for (const [i, line] of all.entries())
        assert.match(
          line,
          new RegExp(
            `^(?:halo)? +${i} +\\{comm = MPI_Comm "ocean" · rank ${i} of 2, cells = 3, requests = .*, status = .*\\}$`,
          ),
        );
    });

    it('keys of maps and targets of optionals are evaluated, and those that are not there are told', async () => {
      assert.equal((await evaluate('comm:by_name["self"]')).result, 'MPI_COMM_SELF · rank 0 of 1');
      assert.equal((await evaluate('by_day[-7].cells')).result, '3');
      assert.equal((await evaluate('later->comm')).result, ocean);
      assert.equal((await evaluate('comm:comms')).result, '[MPI_COMM_WORLD, MPI_Comm "ocean"]');
      await assert.rejects(evaluate('by_day[5]'), /it has no such key/);
      await assert.rejects(evaluate('*never'), /it has no value/);
      await assert.rejects(evaluate('by_name["none"]'), /it has no such key/);
    });

    it('elements of containers can be evaluated by the names that they are given', async () => {
      for (const container of ['by_day', 'history', 'by_name', 'numbered']) {
        const { variablesReference } = await evaluate(container);
        const elements = await run.variables(variablesReference);
        assert.equal(elements.length, 2, container);
        for (const { evaluateName, value, name } of elements) {
          assert.ok(evaluateName, `${container} ${name}`);
          assert.equal((await evaluate(evaluateName)).result, value, evaluateName);
        }
      }
    });

    if (mpi === 'openmpi')
      it('containers whose types tell it hold handles', async () => {
        assert.equal((await evaluate('comms')).result, '[MPI_COMM_WORLD, MPI_Comm "ocean"]');
        assert.match((await evaluate('by_name')).result, /^\["ocean/);
        assert.match((await evaluate('by_name', 'hover')).result, /^\{"ocean.*": "ocean", "self": MPI_COMM_SELF\}$/);
        assert.equal((await evaluate('numbered')).result, '{first 7, second "ocean"}');
        assert.match((await evaluate('maybe')).result, /MPI_Comm "ocean" · rank 1 of 2/);
      });
  });
}
