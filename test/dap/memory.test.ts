/** Memory, instructions and data breakpoints. An address belongs to one rank: every rank has a value of its own there. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { openWorkshop, type Workshop } from '../support/compile';
import { markerLine, SampleJob } from '../support/sample-job';
import { areWatched, assertRefused, gdbWithoutWatchpoints } from '../support/watchpoints';
import { DebugRun } from './debug-run';

const inC = { source: 'variables.c', marker: 'all variables set' };

type ReadBody = NonNullable<DebugProtocol.ReadMemoryResponse['body']>;
type Info = DebugProtocol.DataBreakpointInfoResponse['body'];
type SetBody = { breakpoints: DebugProtocol.Breakpoint[] };

describe('memory and instructions', () => {
  let run: DebugRun;
  before(async () => {
    ({ run } = await DebugRun.stopped({ mpi: 'mpich', program: 'variables', breakpoints: [inC] }));
  });
  after(() => run.close());

  const addressOf = async (rank: number, expression: string): Promise<string> => {
    const { memoryReference } = await run.evaluate(`&${expression}`, 'watch', (await run.topFrame(rank)).id);
    assert.ok(memoryReference, `no reference for ${expression}`);
    return memoryReference;
  };

  it('is read of the rank that the reference names', async () => {
    for (const rank of [0, 3]) {
      const memoryReference = await addressOf(rank, 'numbers[4]');
      const { data, unreadableBytes } = await run.client.request<ReadBody>('readMemory', { memoryReference, count: 4 });
      assert.equal(Buffer.from(data ?? '', 'base64').readInt32LE(), 50 + rank);
      assert.equal(unreadableBytes, undefined);
      const before = await run.client.request<ReadBody>('readMemory', { memoryReference, offset: -4, count: 4 });
      assert.equal(Buffer.from(before.data ?? '', 'base64').readInt32LE(), 40);
    }
  });

  it('that is not there is told as unreadable', async () => {
    const body = await run.client.request<ReadBody>('readMemory', { memoryReference: '0x10@2', count: 64 });
    assert.equal(body.data, undefined);
    assert.equal(body.unreadableBytes, 64);
    await assert.rejects(run.client.request('readMemory', { memoryReference: 'here', count: 1 }), /is not an address/);
  });

  it('is written in that rank alone', async () => {
    const memoryReference = await addressOf(2, 'numbers[1]');
    const data = Buffer.from([0x39, 0x30, 0, 0]).toString('base64');
    const body = await run.client.request<{ bytesWritten: number }>('writeMemory', { memoryReference, data });
    assert.equal(body.bytesWritten, 4);
    assert.equal((await run.evaluate('numbers[1]', 'repl')).result, '0-1,3: 20\n2: 12345');
    await assert.rejects(
      run.client.request('writeMemory', { memoryReference: '0x10@2', data }),
      /Could not write memory|Cannot access memory/,
    );
  });

  it('is disassembled on both sides of an address, without holes', async () => {
    const frame = await run.topFrame(1);
    const memoryReference = frame.instructionPointerReference;
    const around = async (
      instructionOffset: number,
      instructionCount: number,
    ): Promise<DebugProtocol.DisassembledInstruction[]> =>
      (
        await run.client.request<{ instructions: DebugProtocol.DisassembledInstruction[] }>('disassemble', {
          memoryReference,
          instructionOffset,
          instructionCount,
        })
      ).instructions;
    const wide = await around(-20, 50);
    assert.equal(wide.length, 50);
    assert.equal(BigInt(wide[20]!.address), BigInt(memoryReference!.replace(/@.*/, '')));
    assert.equal(wide[20]?.line, frame.line);
    assert.equal(wide[20]?.symbol, 'main');
    for (const [i, { address, instructionBytes }] of wide.entries()) {
      const length = (instructionBytes ?? '').split(' ').length;
      const next = wide[i + 1];
      if (next !== undefined) assert.equal(BigInt(address) + BigInt(length), BigInt(next.address), `after ${address}`);
    }
    assert.deepEqual(await around(-3, 6), wide.slice(17, 23));
    assert.deepEqual(await around(4, 3), wide.slice(24, 27));
  });

  it('steps by instructions, and stops at the instruction that a breakpoint names', async () => {
    const frame = await run.topFrame(1);
    const { instructions } = await run.client.request<{ instructions: DebugProtocol.DisassembledInstruction[] }>(
      'disassemble',
      { memoryReference: frame.instructionPointerReference, instructionOffset: 0, instructionCount: 4 },
    );
    const threadId = await run.threadOf(1);
    await run.client.request('next', { threadId, singleThread: true, granularity: 'instruction' });
    assert.equal((await run.nextStop()).reason, 'step');
    const stepped = (await run.topFrame(1)).instructionPointerReference;
    assert.equal(stepped, `${instructions[1]!.address}@1`);
    const { breakpoints } = await run.client.request<SetBody>('setInstructionBreakpoints', {
      breakpoints: [{ instructionReference: `${instructions[3]!.address}@1` }],
    });
    assert.equal(breakpoints[0]?.verified, true, breakpoints[0]?.message);
    await run.client.request('continue', { threadId, singleThread: true });
    const stop = await run.nextStop();
    assert.equal(stop.reason, 'instruction breakpoint');
    assert.equal((await run.topFrame(1)).instructionPointerReference, `${instructions[3]!.address}@1`);
  });

  it('registers are a scope, with the others one level below', async () => {
    const frame = await run.topFrame(0);
    const { scopes } = await run.client.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId: frame.id });
    const scope = scopes.find(({ name }) => name === 'Registers');
    assert.equal(scope?.expensive, true);
    const registers = await run.variables(scope.variablesReference);
    const rip = registers.find(({ name }) => name === 'rip');
    assert.equal(`${rip?.value}@0`, frame.instructionPointerReference);
    assert.equal(BigInt((await run.evaluate('(long)$rip', 'watch', frame.id)).result), BigInt(rip!.value));
    const others = registers.find(({ name }) => name === 'others');
    const all = await run.variables(others!.variablesReference);
    assert.ok(all.some(({ name }) => name === 'xmm0'));
  });
});

describe('data breakpoints', () => {
  it('stop the rank whose variable changes, and no other', async () => {
    const marker = { source: 'variables.c', marker: 'all variables set' };
    const { run, stop } = await DebugRun.stopped({ mpi: 'mpich', program: 'variables', breakpoints: [marker] });
    const frameId = (await run.topFrame(2)).id;
    const { scopes } = await run.client.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId });
    const variablesReference = scopes[0]!.variablesReference;
    const ask = (args: object): Promise<Info> => run.client.request<Info>('dataBreakpointInfo', args);
    const precise = await ask({ variablesReference, name: 'precise' });
    assert.match(precise.description, /^precise of rank 2 \(0x[0-9a-f]+, 8 bytes\)$/);
    assert.equal((await ask({ variablesReference, name: 'long_array' })).dataId, null);
    assert.equal((await ask({ frameId, name: '1 + 1' })).dataId, null);
    const byExpression = await ask({ frameId, name: 'precise' });
    assert.equal(byExpression.dataId, precise.dataId);
    const address = /0x[0-9a-f]+/.exec(precise.description)?.[0];
    const byAddress = await ask({ name: `${address}@2`, asAddress: true, bytes: 8 });
    assert.equal(byAddress.dataId?.split(' ')[0], precise.dataId?.split(' ')[0]);

    const { breakpoints } = await run.client.request<SetBody>('setDataBreakpoints', {
      breakpoints: [{ dataId: precise.dataId, accessType: 'write' }],
    });
    if (!areWatched(breakpoints)) return run.close();
    await run.client.request('continue', { threadId: stop.threadId });
    const hit = await run.nextStop();
    assert.equal(hit.reason, 'data breakpoint');
    assert.equal(hit.threadId, await run.threadOf(2));
    assert.deepEqual(hit.hitBreakpointIds, [breakpoints[0]?.id]);
    // `precise += visit(current, 2)` in the line behind the marker; it was 0.1 * rank.
    assert.match(hit.description ?? '', /^rank 2: data breakpoint, 0\.2 → /);
    const value = await run.evaluate('precise', 'watch', (await run.topFrame(2)).id);
    assert.equal(hit.description?.split(' → ')[1], value.result);
    await run.close();
  });

  it('are at most four in one rank: the fifth is refused', async () => {
    const marker = { source: 'variables.c', marker: 'in visit' };
    const { run } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      ranks: 2,
      breakpoints: [marker],
    });
    const frameId = (await run.topFrame(1)).id;
    const [local] = await run.locals(frameId);
    const info = await run.client.request<Info>('dataBreakpointInfo', { frameId, name: local!.name });
    assert.ok(info.dataId, info.description);
    const five = [0, 256, 512, 768, 1024].map((offset) => {
      const [at, type] = info.dataId!.split(' ');
      const [address] = at!.split('@');
      return { dataId: `0x${(BigInt(address!) - BigInt(offset)).toString(16)}@1 ${type}` };
    });
    const { breakpoints } = await run.client.request<SetBody>('setDataBreakpoints', { breakpoints: five });
    areWatched(breakpoints.slice(0, 4));
    assert.equal(breakpoints[4]?.verified, false);
    assert.match(breakpoints[4]?.message ?? '', /at most 4 places in one process: remove one of rank 1/);
    await run.close();
  });
});

describe('data breakpoints on a local variable', () => {
  it('of several ranks at once: each stops for its own, when it is written, read, or either', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'openmpi',
      program: 'variables',
      ranks: 3,
      breakpoints: [inC],
    });
    const dataId = async (rank: number, name: string): Promise<string> => {
      const frameId = (await run.topFrame(rank)).id;
      const info = await run.client.request<Info>('dataBreakpointInfo', { frameId, name });
      assert.deepEqual(info.accessTypes, ['read', 'write', 'readWrite']);
      return info.dataId!;
    };
    // The line reads `rounds` and writes `here`, the next one changes `precise`.
    const { breakpoints } = await run.client.request<SetBody>('setDataBreakpoints', {
      breakpoints: [
        { dataId: await dataId(0, 'here'), accessType: 'write' },
        { dataId: await dataId(1, 'rounds'), accessType: 'read' },
        { dataId: await dataId(2, 'precise'), accessType: 'readWrite' },
      ],
    });
    if (!areWatched(breakpoints)) return run.close();
    const ids = breakpoints.map(({ id }) => id);
    await run.client.request('continue', { threadId: stop.threadId });
    const hits = new Map<number | undefined, number[] | undefined>();
    while (hits.size < 3) {
      const hit = await run.nextStop();
      assert.equal(hit.reason, 'data breakpoint');
      if (hit.allThreadsStopped === true && hits.size === 0) {
        // All in one event: it names the breakpoints of the rank that it shows.
        for (const rank of [0, 1, 2]) hits.set(await run.threadOf(rank), [ids[rank]!]);
      } else hits.set(hit.threadId, hit.hitBreakpointIds);
    }
    for (const rank of [0, 1, 2]) assert.deepEqual(hits.get(await run.threadOf(rank)), [ids[rank]], `rank ${rank}`);
    const line = markerLine('variables.c', 'all variables set');
    const lines = await Promise.all([0, 1, 2].map(async (rank) => (await run.topFrame(rank)).line));
    assert.ok(lines[0] === line || lines[0] === line + 1, 'the line that wrote, or the next');
    await run.close();
  });

  it('watches its memory, also when the function has returned', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      ranks: 2,
      breakpoints: [{ source: 'variables.c', marker: 'in visit' }],
    });
    const frameId = (await run.topFrame(1)).id;
    const info = await run.client.request<Info>('dataBreakpointInfo', { frameId, name: 'sum' });
    assert.match(info.description, /^sum of rank 1 \(0x[0-9a-f]+, 8 bytes\)$/);
    await run.setBreakpoints('variables.c', []);
    const { breakpoints } = await run.client.request<SetBody>('setDataBreakpoints', {
      breakpoints: [{ dataId: info.dataId, accessType: 'write' }],
    });
    if (!areWatched(breakpoints)) return run.close();
    const inside: string[] = [];
    // In visit first, then in whatever has its stack where visit had it.
    for (let hits = 0; hits < 12 && (inside.at(-1) ?? 'visit') === 'visit'; hits++) {
      await run.client.request('continue', { threadId: stop.threadId });
      const hit = await run.nextStop();
      assert.deepEqual([hit.reason, hit.hitBreakpointIds], ['data breakpoint', [breakpoints[0]?.id]]);
      inside.push((await run.topFrame(1)).name);
    }
    assert.equal(inside[0], 'visit');
    assert.notEqual(inside.at(-1), 'visit');
    const removed = await run.client.request<SetBody>('setDataBreakpoints', { breakpoints: [] });
    assert.deepEqual(removed.breakpoints, []);
    await run.client.request('continue', { threadId: stop.threadId });
    assert.equal(await run.terminated(), 0);
    await run.close();
  });

  it('that the processor has no room for is refused in one sentence, and everything else works', async () => {
    const { run, stop } = await DebugRun.stopped({ mpi: 'mpich', program: 'variables', ranks: 2, breakpoints: [inC] });
    const frameId = (await run.topFrame(0)).id;
    const names = ['here', 'precise', 'large', 'largest', 'rank'];
    const dataIds = await Promise.all(
      names.map(async (name) => (await run.client.request<Info>('dataBreakpointInfo', { frameId, name })).dataId),
    );
    const { breakpoints } = await run.client.request<SetBody>('setDataBreakpoints', {
      breakpoints: dataIds.map((dataId) => ({ dataId, accessType: 'write' })),
    });
    const isWatched = areWatched(breakpoints.slice(0, 4));
    assert.equal(breakpoints[4]?.verified, false);
    assert.equal(
      breakpoints[4]?.message,
      'the processor can watch at most 4 places in one process: remove one of rank 0',
    );
    if (!isWatched) return run.close();
    await run.client.request('continue', { threadId: stop.threadId });
    const hit = await run.nextStop();
    assert.deepEqual(hit.hitBreakpointIds, [breakpoints[0]?.id]);
    await run.client.request('next', { threadId: stop.threadId });
    await run.nextStop();
    await run.client.request('setDataBreakpoints', { breakpoints: [] });
    await run.client.request('continue', { threadId: stop.threadId });
    assert.equal(await run.terminated(), 0);
    await run.close();
  });
});

describe('data breakpoints where the processor reports none', () => {
  let workshop: Workshop;
  let gdb: string;

  before(() => {
    workshop = openWorkshop();
    gdb = gdbWithoutWatchpoints(workshop);
  });

  after(() => workshop.close());

  async function assertRefusedIn(run: DebugRun, name: string): Promise<void> {
    const frameId = (await run.topFrame(1)).id;
    const { dataId } = await run.client.request<Info>('dataBreakpointInfo', { frameId, name });
    const { breakpoints } = await run.client.request<SetBody>('setDataBreakpoints', { breakpoints: [{ dataId }] });
    assert.equal(breakpoints.length, 1);
    assertRefused(breakpoints[0]!);
  }

  it('are refused in one sentence, and everything else works', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      ranks: 2,
      breakpoints: [inC],
      attributes: { gdb },
    });
    await assertRefusedIn(run, 'precise');
    await run.client.request('next', { threadId: stop.threadId });
    await run.nextStops([0, 1], 'step');
    await run.client.request('continue', { threadId: stop.threadId });
    assert.equal(await run.terminated(), 0);
    await run.close();
  });

  it('are refused in a job that was attached to', async () => {
    const job = await SampleJob.startWaiting('openmpi', 'communicators', { ranks: 2 });
    try {
      const run = await DebugRun.open();
      await run.attach({ launcherPid: job.launcherPid, gdb });
      await run.nextStop();
      await assertRefusedIn(run, '*(long *)$sp');
      await run.close();
    } finally {
      await job.kill();
    }
  });
});

describe('goto', () => {
  it('chooses the next line of one rank, within its function', async () => {
    const { run, stop } = await DebugRun.stopped({ mpi: 'mpich', program: 'variables', ranks: 2, breakpoints: [inC] });
    const source = (await run.topFrame(0)).source;
    const line = markerLine('variables.c', 'all variables set');
    const targets = async (at: number): Promise<DebugProtocol.GotoTarget[]> =>
      (await run.client.request<{ targets: DebugProtocol.GotoTarget[] }>('gotoTargets', { source, line: at })).targets;
    const [target] = await targets(line + 2);
    assert.equal(target?.line, line + 2);
    const threadId = await run.threadOf(1);
    await run.client.request('goto', { threadId, targetId: target.id });
    const moved = await run.nextStop();
    assert.equal(moved.reason, 'goto');
    assert.equal(moved.threadId, threadId);
    assert.deepEqual([(await run.topFrame(0)).line, (await run.topFrame(1)).line], [line, line + 2]);
    const [elsewhere] = await targets(markerLine('variables.c', 'in visit'));
    await assert.rejects(run.client.request('goto', { threadId, targetId: elsewhere!.id }), /is not in main/);
    await run.client.request('continue', { threadId: stop.threadId });
    assert.equal(await run.terminated(), 0);
    await run.close();
  });
});
