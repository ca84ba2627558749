/** Everything that a user can get wrong: one clear sentence, no process left behind, and a session that ends cleanly. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DapError } from '../support/dap-client';
import { allMpis, launchers, samplePath } from '../support/sample-job';
import { DebugRun } from './debug-run';

/** Tries to launch; answers the error's text, when the session has ended and nothing is left. */
async function refusal(configuration: object, command = 'launch'): Promise<string> {
  const run = await DebugRun.open();
  let message: string | undefined;
  await assert.rejects(run.client.request(command, configuration), (error: DapError) => {
    message = (error.body as { error: { format: string; showUser: boolean } }).error.format;
    assert.equal((error.body as { error: { showUser: boolean } }).error.showUser, true);
    return true;
  });
  await run.terminated();
  await assert.rejects(run.client.request(command, configuration), /this session has ended: start another session/);
  await run.close();
  assert.ok(message !== undefined && !message.includes('\n'), message);
  return message;
}

describe('bad input', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mpidbg-bad-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const ring = (): string => samplePath('mpich', 'ring');

  it('a program that is missing, a folder, or not executable', async () => {
    assert.match(await refusal({ program: join(folder, 'absent') }), /there is no program .*absent.*: build it/);
    assert.match(await refusal({ program: folder }), /is a folder: name the program in it/);
    const file = join(folder, 'plain.txt');
    writeFileSync(file, 'text');
    assert.match(await refusal({ program: file }), /is not executable/);
    assert.match(await refusal({}), /"program" is missing: name the MPI program to debug/);
  });

  it('numbers of ranks that cannot be meant', async () => {
    for (const ranks of [0, -3, 2.5, 'many', 10_000]) {
      const message = await refusal({ program: ring(), ranks });
      assert.match(
        message,
        ranks === 10_000 ? /10000 ranks are more than/ : /"ranks" must be a whole number of at least 1/,
      );
    }
  });

  // Another host has no file with the variables of its agent.
  const elsewhere = `sh -c 'words="$1 $2 $3"; shift 4; PMI_RANK=1 exec $words /nonexistent/variables "$@"' sh "$@"`;
  for (const [then, script] of [
    ['waits for the other ones', `PMI_RANK=0 "$@" &\n${elsewhere} &\nwait\n`],
    ['ends the other ones', `PMI_RANK=0 "$@" &\n${elsewhere}\nkill -KILL $!\ntrap "" TERM\nexec tail -f /dev/null\n`],
  ] as const) {
    it(`a launcher that puts a rank on another host, and ${then}`, async () => {
      const launcher = join(folder, 'launcher-of-two-hosts');
      writeFileSync(launcher, `#!/bin/sh\nshift 2\n${script}`, { mode: 0o755 });
      assert.match(
        await refusal({ program: ring(), ranks: 2, launcher }),
        /^the debugger cannot be reached from \S+: it expects ranks on its own host only, so name the others/,
      );
    });
  }

  it('attributes of the wrong type, and a focus that the job does not have', async () => {
    assert.match(await refusal({ program: ring(), args: 'text' }), /"args" must be a list/);
    assert.match(await refusal({ program: ring(), env: { A: [] } }), /"env.A" must be a string/);
    assert.match(await refusal({ program: ring(), focus: '3-1' }), /"focus": .*runs backwards/);
    assert.match(await refusal({ program: ring(), ranks: 2, focus: '0-7' }), /rank 2 is not in this job/);
    assert.match(
      await refusal({ program: ring(), breakpointRanks: '0;1' }),
      /^"breakpointRanks": "0;1" is not a rank set/,
    );
    assert.match(await refusal({ program: ring(), ranks: 2, breakpointRanks: '1-2' }), /rank 2 is not in this job/);
    assert.match(await refusal({ program: ring(), programs: [{ program: ring() }] }), /exclude each other/);
  });

  it('a launcher that is missing, or belongs to another MPI', async () => {
    assert.match(await refusal({ program: ring(), launcher: 'no-such-mpirun' }), /no-such-mpirun/);
    const message = await refusal({ program: ring(), launcher: 'mpirun.openmpi' });
    assert.match(message, /is linked with MPICH.*but the launcher .*mpirun.openmpi.* is one of Open MPI/);
  });

  it('a gdb that is missing, or too old', async () => {
    const missing = await refusal({ program: ring(), ranks: 2, gdb: join(folder, 'no-gdb') });
    assert.match(missing, /no-gdb/);
    const old = join(folder, 'old-gdb');
    writeFileSync(
      old,
      `#!/bin/sh\nexec gdb -iex 'python gdb.VERSION' "$@" | sed -u 's/GNU gdb ([^)]*) 1[0-9.]*/GNU gdb (old) 9.2/'\n`,
    );
    chmodSync(old, 0o755);
    assert.match(
      await refusal({ program: ring(), ranks: 2, gdb: old }),
      /gdb 9\.2 is too old: install gdb 12 or newer, or name one with "gdb"$/,
    );
  });

  it('a program without debug information runs, and the user is told', async () => {
    const stripped = join(folder, 'stripped');
    copyFileSync(ring(), stripped);
    execFileSync('strip', ['--strip-debug', stripped]);
    const run = await DebugRun.launch({ mpi: 'mpich', program: 'ring', ranks: 2, attributes: { program: stripped } });
    assert.equal(await run.terminated(), 0);
    assert.match(
      run.client.outputText('console'),
      /^warning: .*stripped has no debug information.*: compile with -g$/m,
    );
    await run.close();
  });

  it('a program in which no MPI is visible needs a launcher, and works with one', async () => {
    const script = join(folder, 'hello.sh');
    writeFileSync(script, '#!/bin/sh\necho hello from $PMI_RANK\n');
    chmodSync(script, 0o755);
    assert.match(await refusal({ program: script, ranks: 2 }), /set "launcher" to the mpirun or mpiexec/);
    const run = await DebugRun.launch({ mpi: 'mpich', program: 'ring', ranks: 2, attributes: { program: script } });
    assert.equal(await run.terminated(), 0);
    assert.match(run.client.outputText('console'), /^warning: .*hello\.sh/m);
    assert.match(run.client.outputText('stdout'), /^\[1\] hello from 1$/m);
    await run.close();
  });

  it('something to attach to that is not there', async () => {
    assert.match(await refusal({}, 'attach'), /no job to attach to is given/);
    assert.match(await refusal({ pids: [] }, 'attach'), /"pids" is empty/);
    assert.match(await refusal({ pids: [999_999_999] }, 'attach'), /there is no process 999999999/);
    assert.match(await refusal({ launcherPid: process.pid }, 'attach'), /has no MPI ranks below it/);
    assert.match(await refusal({ cores: ['core.1'] }, 'attach'), /core\.1: there is no such file/);
  });

  for (const mpi of allMpis) {
    it(`a rank that crashes before MPI_Init, with ${mpi}`, async () => {
      const run = await DebugRun.launch({ mpi, program: 'crash-before-init', attributes: { args: ['1'] } });
      const stop = await run.nextStop();
      assert.equal(stop.description, 'rank 1: SIGSEGV (Segmentation fault)');
      await run.continueUntil(run.terminated());
      assert.match(run.client.outputText('console'), /^rank 1 was ended by SIGSEGV$/m);
      await run.close();
    });
  }

  it('requests before there is a job, of unknown threads, and of what is gone', async () => {
    const run = await DebugRun.open();
    await assert.rejects(run.client.request('continue', { threadId: 1 }), /send launch or attach before continue/);
    await assert.rejects(run.client.request('stackTrace', { threadId: 1 }), /send launch or attach before stackTrace/);
    assert.deepEqual(await run.threads(), []);
    await run.launch({
      mpi: 'mpich',
      program: 'ring',
      ranks: 2,
      breakpoints: [{ source: 'ring.c', marker: 'token arrived' }],
    });
    await run.nextStop();
    await assert.rejects(run.client.request('launch', { program: ring() }), /already has a job/);
    await assert.rejects(run.client.request('stackTrace', { threadId: 4711 }), /there is no thread 4711/);
    await assert.rejects(run.client.request('scopes', { frameId: 4711 }), /belongs to an earlier stop/);
    await assert.rejects(run.variables(4711), /belongs to an earlier stop/);
    await run.close();
  });

  it('launchers of both MPIs are there', () => {
    for (const mpi of allMpis) execFileSync('which', [launchers[mpi].command]);
  });
});
