/** The command line and the debug adapter as a user who is not root, and what such a user may not do. */
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { DapClient } from '../support/dap-client';
import { OrdinaryUser } from '../support/ordinary-user';
import { eventually, processState, tracerOf } from '../support/process-state';
import { allMpis, launchers, markerLine, samplePath } from '../support/sample-job';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Document } from '../../plugin-api/mpi/records';
import { join } from 'node:path';

const source = join(__dirname, '..', '..', 'samples', 'communicators.c');

describe('an ordinary user', () => {
  let user: OrdinaryUser;
  beforeEach(() => (user = new OrdinaryUser()));
  afterEach(() => user.remove());

  for (const mpi of allMpis) {
    it(`asks the ranks of ${mpi} from the command line`, async () => {
      const { command, args } = launchers[mpi];
      const program = user.copyOfProgram(samplePath(mpi, 'communicators'));
      const job = spawn(command, [...args, '-n', '4', program, '--wait'], {
        ...user.spawnOptions,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      try {
        const pids = await waitingPids(job, 4);
        const shown = runAsUser(user, ['show', 'ocean', '--launcher', String(job.pid)]);
        assert.equal(shown.stderr, '');
        assert.match(shown.stdout, /^ocean {2}0-3 {2}MPI_Comm "ocean" · rank 0-3 of 4$/m);
        await eventually('the ranks are free', () => pids.every((pid) => tracerOf(pid) === 0));
      } finally {
        const exited = once(job, 'exit');
        job.kill('SIGTERM');
        await exited;
      }
    });

    it(`launches and stops ${mpi} in the debug adapter`, async () => {
      const program = user.copyOfProgram(samplePath(mpi, 'communicators'));
      const adapter = spawn(process.execPath, [user.dist('adapter.js')], {
        ...user.spawnOptions,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const client = new DapClient(adapter.stdout, adapter.stdin);
      await client.request('initialize', { adapterID: 'mpidbg' });
      const launched = client.request('launch', { program, ranks: 4, launcher: launchers[mpi].command });
      await Promise.race([client.waitFor('initialized'), launched]);
      const line = markerLine('communicators.c', 'all communicators made');
      await client.request('setBreakpoints', { source: { path: source }, breakpoints: [{ line }] });
      await client.request('configurationDone');
      await launched;
      await client.waitFor<DebugProtocol.StoppedEvent>('stopped', ({ body }) => body.allThreadsStopped === true);
      const document = await client.request<Document>('mpidbg/show', { expressions: ['ocean'], ranks: '3' });
      const [rank] = document.ranks;
      assert.ok(rank !== undefined && 'answers' in rank);
      const [answer] = rank.answers;
      assert.ok(answer?.code === 'MPIDBG_SUCCESS' && 'size' in answer.info);
      assert.equal(answer.info.size, 4);
      const exited = once(adapter, 'exit');
      await client.request('disconnect', { terminateDebuggee: true });
      adapter.stdin.end();
      await exited;
    });
  }

  it("is told why another user's process cannot be attached to", () => {
    const { status, stdout, stderr } = runAsUser(user, ['info', '--pid', '1']);
    assert.match(stderr, /^mpidbg: [^\n]*belongs to[^\n]*\n$/);
    assert.equal(stdout, '');
    assert.equal(status, 2);
  });

  it('is told that processes below a launcher forbid to be read', async () => {
    const prctl = process.arch === 'arm64' ? 167 : 157;
    const forbids = `$| = 1; syscall(${prctl}, 4, 0, 0, 0, 0); print "ready\\n"; sleep 600`;
    const shell = spawn('sh', ['-c', `perl -e '${forbids}'; true`], {
      ...user.spawnOptions,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    try {
      await once(shell.stdout, 'data');
      const { status, stderr } = runAsUser(user, ['info', '--launcher', String(shell.pid)]);
      assert.match(stderr, /does not let process \d+ \(perl\) below process \d+ \(sh\) be read.*PR_SET_DUMPABLE\)\n$/);
      assert.equal(status, 2);
    } finally {
      process.kill(-shell.pid!, 'SIGKILL');
    }
  });

  it('is told who traces a process already', async () => {
    const traced = spawn('sleep', ['600'], { ...user.spawnOptions, stdio: 'ignore' });
    const gdb = spawn('gdb', ['-nx', '-q', '-p', String(traced.pid)], { ...user.spawnOptions, stdio: 'pipe' });
    try {
      await eventually('gdb has it', () => tracerOf(traced.pid!) === gdb.pid && processState(traced.pid!) === 't');
      const { status, stdout, stderr } = runAsUser(user, ['info', '--pid', String(traced.pid)]);
      assert.match(stderr, new RegExp(`^mpidbg: [^\\n]*${gdb.pid}[^\\n]*\\n$`));
      assert.equal(stdout, '');
      assert.equal(status, 2);
    } finally {
      gdb.kill('SIGKILL');
      traced.kill('SIGKILL');
    }
  });
});

function runAsUser(user: OrdinaryUser, args: readonly string[]): { status: number; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [user.dist('cli.js'), ...args], {
    ...user.spawnOptions,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status: status ?? -1, stdout, stderr };
}

/** The pids of all ranks of a job that was started with --wait. */
async function waitingPids(job: ChildProcess, ranks: number): Promise<number[]> {
  let output = '';
  for (const stream of [job.stdout, job.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const pids = (): number[] => [...output.matchAll(/MPIDBG-WAITING .*?"pid":(\d+)/g)].map((match) => Number(match[1]));
  await eventually(`${ranks} ranks wait`, () => {
    if (job.exitCode !== null) throw new Error(`the job ended: ${output}`);
    return pids().length === ranks;
  });
  return pids();
}
