/** Names that every object of JavaScript knows, wherever a client or a program names something: they are names like others. */
import assert from 'node:assert/strict';
import { DebugRun } from './debug-run';

const names = ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf'];

describe('names of JavaScript in requests', () => {
  let run: DebugRun;
  let frameId: number;
  before(async () => {
    const breakpoints = [{ source: 'communicators.c', marker: 'all communicators made' }];
    ({ run } = await DebugRun.stopped({ mpi: 'mpich', program: 'communicators', ranks: 4, breakpoints }));
    frameId = (await run.frames(await run.threadOf(0)))[0]!.id;
  });
  after(() => run.close());

  /** What the user reads: never that mpidbg is wrong. */
  async function problem(command: string, args: object): Promise<string> {
    const answer = await run.client.request(command, args).then(
      (body) => `succeeds: ${JSON.stringify(body)}`,
      (error: Error) => error.message,
    );
    assert.doesNotMatch(answer, /internal error/);
    return answer;
  }

  for (const name of names) {
    it(name, async () => {
      assert.match(await problem(name, {}), /does not support the request/);
      assert.match(await problem(`mpidbg/${name}`, {}), /does not support the request/);
      assert.match(await problem('mpidbg/handles', { kinds: [name] }), /"kinds" must be a list of comm,/);
      for (const expression of [`${name}:ocean`, `${name}.f:1`])
        assert.match(await problem('mpidbg/show', { expressions: [expression] }), /is not a kind of handle/);
      assert.match(await problem('mpidbg/focus', { scope: name }), /scope/);
      assert.match(await problem('setExceptionBreakpoints', { filters: [name] }), /there is no filter/);
      assert.match(await problem('evaluate', { expression: `mpi ${name}`, context: 'repl' }), /unknown command "mpi /);
      assert.match(await problem('evaluate', { expression: name, frameId, context: 'watch' }), /No symbol/);
      assert.match(await problem('evaluate', { expression: '1 + 1', frameId, context: name }), /"result":"2"/);
      assert.match(await problem('restart', { arguments: { [name]: 1, program: 1 } }), /"program" must be a string/);
      assert.match(await problem('restart', { arguments: { program: 'x', scope: name } }), /"scope" must be /);
    });
  }
});
