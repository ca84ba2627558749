import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { RanksBody } from '../../adapter/dap/queries/custom-requests';
import { ownerOf } from '../../adapter/hosts/same-user';
import { DapClient } from '../support/dap-client';
import { eventually, hasEnded, processState } from '../support/process-state';
import { allMpis, launchers, SampleJob, samplePath } from '../support/sample-job';
import { DebugRun } from './debug-run';

const tokenArrived = { source: 'ring.c', marker: 'token arrived' };
const inALoop = { program: 'hang', attributes: { args: ['1'] } };

for (const mpi of allMpis) {
  describe(`ending a session with ${mpi}`, () => {
    it('kills the whole job on disconnect, stopped or running', async () => {
      const { run } = await DebugRun.stopped({ mpi, program: 'ring', breakpoints: [tokenArrived] });
      await run.close();
      const running = await DebugRun.launch({ mpi, ...inALoop });
      await running.client.waitFor('output', ({ body }) => (body as { output: string }).output.includes('hangs'));
      await running.close();
    });

    it('kills it on terminate, and tells the end once', async () => {
      const { run } = await DebugRun.stopped({ mpi, program: 'ring', breakpoints: [tokenArrived] });
      await run.client.request('terminate');
      await run.terminated();
      await run.close();
      assert.equal(run.client.events.filter(({ event }) => event === 'terminated').length, 1);
    });

    it('ends when the client goes away, and on SIGTERM', async () => {
      const first = await DebugRun.stopped({ mpi, program: 'ring', breakpoints: [tokenArrived] });
      first.run.adapter.stdin?.end();
      await first.run.ended();
      const second = await DebugRun.stopped({ mpi, program: 'ring', breakpoints: [tokenArrived] });
      second.run.adapter.kill('SIGTERM');
      await second.run.ended();
    });

    it('leaves a job that it launched running when the user wants that', async () => {
      const run = await DebugRun.launch({ mpi, ...inALoop });
      await run.client.waitFor('output', ({ body }) => (body as { output: string }).output.includes('hangs'));
      await run.client.request('pause', { threadId: await run.threadOf(0) });
      await run.nextStop();
      const { ranks } = await run.client.request<RanksBody>('mpidbg/ranks');
      const launcher = run.launcher();
      try {
        await run.client.request('disconnect', { terminateDebuggee: false });
        await once(run.adapter, 'exit', { signal: AbortSignal.timeout(20_000) });
        for (const { pid = 0 } of ranks) {
          await eventually(`rank of process ${pid} runs`, () => /^[SR]$/.test(processState(pid) ?? 'ended'));
        }
        assert.deepEqual(
          run.processes().filter(({ commandLine }) => /gdb|guardian/.test(commandLine)),
          [],
        );
      } finally {
        process.kill(launcher, 'SIGTERM');
      }
      await eventually('the job ends with its launcher', () => run.processes().length === 0);
      await run.ended();
    });

    it('gives up a start that the user stops', async () => {
      const run = await DebugRun.open();
      const { command, env } = launchers[mpi];
      const launched = run.client.request('launch', {
        program: samplePath(mpi, 'ring'),
        ranks: 4,
        launcher: command,
        env,
      });
      const refused = assert.rejects(launched, /the start was cancelled/);
      // The command line is printed when the launcher is about to be started.
      await run.client.waitFor('output');
      await run.close();
      await refused;
    });

    it('ends a job that was attached to when the user wants that', async () => {
      const job = await SampleJob.startWaiting(mpi, 'communicators');
      try {
        const run = await DebugRun.open();
        await run.client.request('attach', { pids: job.pids });
        await run.client.request('configurationDone');
        await run.nextStop();
        await run.client.request('disconnect', { terminateDebuggee: true });
        run.adapter.stdin?.end();
        await run.ended();
        await eventually('the ranks end', () => job.pids.every(hasEnded));
      } finally {
        await job.kill();
      }
    });

    it('attaches to a running job, and leaves it running', async () => {
      const job = await SampleJob.startWaiting(mpi, 'communicators');
      try {
        const run = await DebugRun.open();
        await run.attach({ launcherPid: job.launcherPid });
        const stop = await run.nextStop();
        assert.equal(stop.allThreadsStopped, true);
        assert.equal(stop.description, 'ranks 0-3: attached');
        const { ranks } = await run.client.request<RanksBody>('mpidbg/ranks');
        assert.deepEqual(
          ranks.map(({ rank, pid, state }) => ({ rank, pid, state })),
          job.pids.map((pid, rank) => ({ rank, pid, state: 'stopped' })),
        );
        const stack = await run.frames(await run.threadOf(3));
        const main = stack.find(({ name }) => name === 'main');
        assert.ok(main, 'main is on the stack');
        const ocean = (await run.locals(main.id)).find(({ name }) => name === 'ocean');
        assert.equal(ocean?.value, 'MPI_Comm "ocean" · rank 3 of 4');
        await run.close();
        for (const pid of job.pids) assert.match(processState(pid) ?? 'ended', /^[SR]$/);
        await job.finish();
      } finally {
        await job.kill();
      }
    });
  });
}

describe('the adapter as a server', () => {
  it('serves sessions of the same user, one after another', async () => {
    const adapter = spawn(process.execPath, [join(__dirname, '../../dist/adapter.js'), '--server=0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const [line] = (await once(adapter.stderr, 'data')) as [Buffer];
      const port = Number(/:(\d+)/.exec(line.toString())?.[1]);
      for (const rank of [1, 2]) {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        const client = new DapClient(socket, socket);
        const capabilities = await client.request<{ supportsConfigurationDoneRequest: boolean }>('initialize', {});
        assert.equal(capabilities.supportsConfigurationDoneRequest, true, `session ${rank}`);
        await client.request('disconnect');
        socket.end();
        await once(socket, 'close');
      }
    } finally {
      adapter.kill('SIGTERM');
      const [status] = (await once(adapter, 'exit')) as [number];
      assert.equal(status, 0);
    }
  });

  it('knows who is at the other end', () => {
    const table = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      '   0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 1',
      '   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 2',
      '   2: 0A00000A:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 3',
      // Closed at its own end: whose it was is not told.
      '   3: 0100007F:C352 0100007F:1F90 05 00000000:00000000 03:00001754 00000000     0        0 0',
    ].join('\n');
    assert.equal(ownerOf(table, 50000, 8080), 1000);
    assert.equal(ownerOf(table, 8080, 50000), 0);
    assert.equal(ownerOf(table, 50001, 8080), undefined);
    assert.equal(ownerOf(table, 50002, 8080), undefined);
  });
});
