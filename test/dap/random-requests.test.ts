/** 1 000 requests of any kind at any time: each is answered, the adapter lives, and nothing is left behind. */
import assert from 'node:assert/strict';
import { DapError } from '../support/dap-client';
import { randomNumbers } from '../support/random-numbers';
import { eitherMpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

const requestsPerSession = 250;
/** Milliseconds; a machine that is busy with other things is slow. */
const maxAnswerLength = 60_000;

for (const mpi of eitherMpi('random requests')) {
  for (const seed of [1, 2]) {
    it(`any request in any state with ${mpi}, seed ${seed}`, async () => {
      const random = randomNumbers(seed * 7919);
      const pick = <T>(values: readonly T[]): T => values[random(values.length)]!;
      const run = await DebugRun.launch({ mpi, program: 'hang', ranks: 3, attributes: { args: ['1'] } });
      const pending: Promise<unknown>[] = [];
      let answered = 0;
      for (let i = 0; i < requestsPerSession; i++) {
        const known = run.client.events.flatMap(({ event, body }) =>
          event === 'stopped' ? [(body as { threadId: number }).threadId] : [],
        );
        const [command, args] = anyRequest(pick, random, [...known.slice(-3), 1, 2, 3, 4711]);
        const answer = run.client.request(command, args).then(
          () => (answered += 1),
          (error: unknown) => {
            assert.ok(error instanceof DapError, String(error));
            assert.doesNotMatch(error.message, /internal error in mpidbg/);
            answered += 1;
          },
        );
        pending.push(answer);
        // Some come together, some one after another.
        if (random(4) > 0) await inTime(command, answer);
      }
      await inTime('all', Promise.all(pending));
      assert.equal(answered, requestsPerSession);
      assert.doesNotMatch(run.client.outputText('console'), /internal error in mpidbg/);
      await run.close();
    }).timeout(200_000);
  }
}

function anyRequest(
  pick: <T>(values: readonly T[]) => T,
  random: (limit: number) => number,
  threadIds: readonly number[],
): [command: string, args: object] {
  const threadId = pick(threadIds);
  const scope = pick([undefined, undefined, 'thread', 'rank', 'focus', 'all', 'nonsense']);
  const moving = { threadId, singleThread: random(2) === 0, scope };
  return pick<[string, object]>([
    ['continue', moving],
    ['next', moving],
    ['stepIn', moving],
    ['stepOut', moving],
    ['pause', moving],
    ['pause', { threadId }],
    ['threads', {}],
    ['stackTrace', { threadId, startFrame: random(3), levels: random(5) }],
    ['scopes', { frameId: random(50) }],
    ['variables', { variablesReference: random(50) }],
    ['evaluate', { expression: pick(['rank', 'mpi ranks', 'ocean', ')(', '-exec info threads']), context: 'repl' }],
    ['evaluate', { expression: 'rank', frameId: random(50), context: 'watch' }],
    ['setFunctionBreakpoints', { breakpoints: pick([[], [{ name: 'usleep' }], [{ name: 'no_such_function' }]]) }],
    ['mpidbg/ranks', { places: random(2) === 0 }],
    ['mpidbg/stacks', { ranks: pick(['0', '0-2', '9', 'x']) }],
    ['mpidbg/focus', { ranks: pick(['0', '0-1', 'all', '7']) }],
    ['mpidbg/value', { expression: 'rank' }],
    ['mpidbg/differences', { frameId: random(50) }],
    ['mpidbg/rankSet', { where: 'rank > 0' }],
    ['noSuchRequest', {}],
    ['launch', {}],
  ]);
}

async function inTime(what: string, answer: Promise<unknown>): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    late = setTimeout(
      () => reject(new Error(`${what} was not answered within ${maxAnswerLength} ms`)),
      maxAnswerLength,
    );
  });
  await Promise.race([answer, deadline]).finally(() => clearTimeout(late));
}
