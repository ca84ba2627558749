/** Stacks deeper than anybody reads: an endless recursion. */
import assert from 'node:assert/strict';
import { SourceFiles } from '../../adapter/dap/references/source-files';
import { StackFrames } from '../../adapter/dap/references/stack-frames';
import { framesToTry, type FrameChoice } from '../../adapter/expressions/frames';
import { ThreadStack } from '../../adapter/expressions/thread-stack';
import type { RankThread } from '../../adapter/job/rank';
import { ownRank, type ThreadRecord } from '../../adapter/job/rank-record';
import { learnRoles } from '../../adapter/job/thread-role';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { FakeJob } from '../support/fake-job';

const code = { modules: [], mpis: shippedMpis };

/** A thread in main, which called dive, which has called itself. As gdb answers for it; `asked` is what it was asked. */
function threadAt(depth: number): { thread: RankThread; asked: string[] } {
  const asked: string[] = [];
  const command = async (text: string): Promise<object> => {
    asked.push(text);
    const most = /^-stack-info-depth .* (\d+)$/.exec(text)?.[1];
    if (most !== undefined) return { depth: String(Math.min(Number(most), depth)) };
    const [, first = 0, last = -1] = (/ (\d+) (\d+)$/.exec(text) ?? []).map(Number);
    const end = last < 0 ? depth : Math.min(last + 1, depth);
    const levels = Array.from({ length: end - first }, (_, index) => first + index);
    return {
      stack: levels.map((level) => ({
        level: String(level),
        addr: '0x1000',
        func: level === depth - 1 ? 'main' : 'dive',
        file: 'deep.c',
        line: '7',
      })),
    };
  };
  const rank = { number: 0, state: 'stopped', canBeRead: true };
  return { thread: { gdbThread: 1, rank, gdb: { command } } as unknown as RankThread, asked };
}

describe('a stack of 5000 frames', () => {
  const chosen = async (depth: number, choice: FrameChoice): Promise<number | undefined> =>
    (await framesToTry(new ThreadStack(threadAt(depth).thread), code, [], choice))[0]?.level;

  it('has any frame by its number', async () => {
    assert.equal(await chosen(5000, 4999), 4999);
    assert.equal(await chosen(5000, 0), 0);
    await assert.rejects(chosen(5000, 5000), /^NoFrameError: no frame 5000 on the stack of this rank$/);
  });

  it('is searched for a function down to a depth that is named', async () => {
    assert.equal(await chosen(200, 'main'), 199);
    await assert.rejects(chosen(200, 'other'), /no function other on the stack of this rank/);
    await assert.rejects(chosen(201, 'main'), /no function main among the 200 innermost frames of this rank/);
  });

  it('goes in pages to a client that asks for all of it', async () => {
    const { thread, asked } = threadAt(5000);
    const trace = await new StackFrames(new PluginRegistry(), new SourceFiles()).stackTrace(thread, { threadId: 1 });
    assert.equal(trace.stackFrames.length, 1000);
    assert.equal(trace.totalFrames, 1021);
    assert.deepEqual(asked, ['-stack-list-frames --thread 1 0 1000']);
    const last = await new StackFrames(new PluginRegistry(), new SourceFiles()).stackTrace(thread, {
      threadId: 1,
      startFrame: 4500,
    });
    assert.equal(last.stackFrames.length, 500);
    assert.equal(last.totalFrames, 5000);
  });

  it('is not read to its end to learn whose thread it is', async () => {
    const fake = await FakeJob.attached('in one piece', { threads: [[1]] });
    const rank = ownRank(fake.rank(0));
    const { thread, asked } = threadAt(5000);
    rank.threads.push(thread as ThreadRecord);
    await learnRoles(rank, shippedMpis, () => Promise.resolve({ name: 'worker', tid: undefined }));
    assert.deepEqual(thread.role, { name: 'worker', helperOf: undefined });
    assert.deepEqual(asked, ['-stack-list-frames --thread 1 0 200']);
  });
});

describe('a function that is chosen by its name', () => {
  const stackOf = (functions: readonly string[]): ThreadStack => {
    const frames = functions.map((func, level) => ({
      level: String(level),
      addr: '0x1000',
      func,
      file: 'a.cpp',
      line: '7',
    }));
    const command = (text: string): Promise<object> =>
      Promise.resolve(text.includes('-info-depth') ? { depth: String(frames.length) } : { stack: frames });
    const rank = { number: 0, state: 'stopped', canBeRead: true };
    return new ThreadStack({ gdbThread: 1, rank, gdb: { command } } as unknown as RankThread);
  };
  const chosen = async (functions: readonly string[], choice: string): Promise<number | undefined> =>
    (await framesToTry(stackOf(functions), code, [], choice))[0]?.level;

  it('is found without its module, namespace, class and template arguments', async () => {
    assert.equal(await chosen(['write', 'texts::show', 'main'], 'show'), 1);
    assert.equal(await chosen(['write', 'texts::show', 'main'], 'SHOW'), 1);
    assert.equal(await chosen(['write', 'io::Halo<std::pair<int, int> >::show', 'main'], 'show'), 1);
    assert.equal(await chosen(['write', 'io::Halo<int>::show', 'main'], 'Halo::show'), 1);
    assert.equal(await chosen(['write', '(anonymous namespace)::show<int>', 'main'], 'show'), 1);
    await assert.rejects(
      chosen(['write', 'texts::reshow', 'main'], 'show'),
      /^NoFrameError: no function show on the stack/,
    );
  });

  it('has to be one: its exact name wins, and the innermost call of it', async () => {
    assert.equal(await chosen(['texts::show', 'Halo::show', 'show', 'main'], 'show'), 2);
    assert.equal(await chosen(['texts::show', 'Halo::show', 'main'], 'Halo::show'), 1);
    assert.equal(await chosen(['write', 'Halo::show', 'Halo::show', 'main'], 'show'), 1);
    await assert.rejects(
      chosen(['texts::show', 'Halo::show', 'texts::show', 'main'], 'show'),
      /^NoFrameError: several functions on the stack of this rank are called show: texts::show, Halo::show; choose one$/,
    );
  });
});
