/** `callStack: "merged"`: one thread for all ranks that are at one place. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError } from '../support/dap-client';
import { eventually } from '../support/process-state';
import { eitherMpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

const arrived = { source: 'ring.c', marker: 'token arrived' };
const source = readFileSync(path.join(__dirname, '../../samples/ring.c'), 'utf8').split('\n');
const lineOf = (marker: string): number => source.findIndex((line) => line.includes(marker)) + 1;
const at = (marker: string): string => `main · ring.c:${lineOf(marker)}`;
const merged = { callStack: 'merged', helperThreads: false };

/** The client's list, when it has become this one: ranks that stop in parts join it one by one. */
async function untilListed(run: DebugRun, ...names: string[]): Promise<DebugProtocol.Thread[]> {
  let threads: DebugProtocol.Thread[] = [];
  const list = async (): Promise<string[]> => {
    threads = await run.threads();
    return threads.map(({ name }) => name);
  };
  await eventually(
    () => `not ${names.join(', ')} but ${threads.map(({ name }) => name).join(', ')}`,
    async () => JSON.stringify(await list()) === JSON.stringify(names),
  );
  return threads;
}

/** What the last event about it says, as VS Code reads events. */
function isToldStopped(run: DebugRun, threadId: number): boolean {
  const about = run.client.events.flatMap(({ event, body }) => {
    const told = (body ?? {}) as { threadId?: number; allThreadsStopped?: boolean; allThreadsContinued?: boolean };
    const isIt = told.threadId === threadId;
    if (event === 'stopped' && (isIt || told.allThreadsStopped === true)) return [true];
    return event === 'continued' && (isIt || told.allThreadsContinued === true) ? [false] : [];
  });
  return about.at(-1) === true;
}

for (const mpi of eitherMpi('merged threads')) {
  describe(`a merged call stack with ${mpi}`, () => {
    it('has one thread for the ranks of one place, split by the focus, by steps, and by what runs', async () => {
      const start = { mpi, program: 'ring', breakpoints: [arrived], attributes: merged };
      const { run } = await DebugRun.stopped(start);
      const [all] = await untilListed(run, `0-3 · ${at('stop: token arrived')}`);
      const [frame] = await run.frames(all!.id);
      assert.equal(frame?.line, lineOf('stop: token arrived'));

      await run.client.request('mpidbg/focus', { ranks: '1-2' });
      const [, focused] = await untilListed(
        run,
        `0,3 · ${at('stop: token arrived')}`,
        `1-2 · ${at('stop: token arrived')}`,
      );
      await run.client.request('next', { threadId: focused!.id });
      const [, stepped] = await untilListed(run, `0,3 · ${at('stop: token arrived')}`, `1-2 · ${at('for (int lap')}`);
      assert.ok(isToldStopped(run, stepped!.id));
      // A rank that is hidden is shown when it is asked for, and stands for the others from then on.
      const { threadId } = await run.client.request<{ threadId: number }>('mpidbg/select', { ranks: '3' });
      const [shown] = await untilListed(run, `0,3 · ${at('stop: token arrived')}`, `1-2 · ${at('for (int lap')}`);
      assert.equal(shown!.id, threadId);
      await run.close();
    });

    it('shows a rank that stops while the others run, told by an event', async () => {
      const run = await DebugRun.launch({
        ...{ mpi, program: 'ring', attributes: merged },
        breakpoints: [{ ...arrived, condition: '$rank == 3' }],
      });
      const [, third] = await untilListed(run, '0-2 · running', `3 · ${at('stop: token arrived')}`);
      await eventually('the stop is told', () => isToldStopped(run, third!.id));
      await run.client.request('continue', { threadId: third!.id, ranks: '3' });
      await run.close();
    });
  });
}

describe('the attribute callStack', () => {
  it('takes two words', async () => {
    const wrong = DebugRun.launch({ mpi: 'mpich', program: 'ring', attributes: { callStack: 'some' } });
    await assert.rejects(wrong, (error) => error instanceof DapError && /"all" or "merged"/.test(error.message));
  });
});
