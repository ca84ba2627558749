/** mpidbg report on live jobs: what the page tells, beside what the program tells of itself. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { typeNames } from '../../plugin-api/mpi/describe';
import { CoreFolder } from '../support/core-files';
import { eventually } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { allMpis, launchers, markerLine, SampleJob, samplePath, type Mpi } from '../support/sample-job';

/** Kinds of which the library keeps a list of all objects. */
const listed: Record<Mpi, HandleKind[]> = {
  openmpi: ['comm', 'group', 'errhandler', 'op', 'win', 'info'],
  mpich: ['comm', 'datatype', 'errhandler', 'group', 'info', 'op', 'win'],
};

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mpidbg-report-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

for (const mpi of allMpis) {
  describe(`mpidbg report on ${mpi}`, () => {
    it('has every handle that the program has left, and every process', async () => {
      const job = await SampleJob.startWaiting(mpi, 'leaks');
      try {
        const file = join(folder, 'report.html');
        const { status, stdout, stderr } = await runCli(['report', '--launcher', String(job.launcherPid), '-o', file]);
        assert.equal(stderr, '');
        assert.match(stdout, /^\S+report\.html: 4 ranks, held for \d+\.\d\d s\n$/);
        assert.equal(status, 0);
        assert.deepEqual(readdirSync(folder), ['report.html'], 'nothing else is left');
        const page = readFileSync(file, 'utf8');
        assert.match(page, /<title>leaks on 4 ranks<\/title>/);
        assert.ok(page.includes(hostname()));
        for (const pid of job.pids) assert.ok(page.includes(`<td>${pid}</td>`), `process ${pid}`);
        assert.equal(job.live.length, 4, 'each rank tells what it has left');
        for (const { rank, live } of job.live)
          for (const kind of listed[mpi])
            for (const handle of live[kind] ?? [])
              assert.match(kindSection(page, kind), new RegExp(`\\b${handle}\\b`), `rank ${rank}: ${kind} ${handle}`);
        await job.finish();
      } finally {
        await job.kill();
      }
    });

    it('says first how the rank of a core file died', async () => {
      const cores = new CoreFolder();
      try {
        const paths = await cores.crash(mpi, 'segv', { ranks: 2, args: ['1'] });
        const file = join(folder, 'report.html');
        const { status, stderr } = await runCli(['report', '--core', paths.get(1) ?? '', '-o', file]);
        assert.equal(status, 0, stderr);
        const [, first] = /<ul class="sentences">\s*<li>([^<]*)/.exec(readFileSync(file, 'utf8')) ?? [];
        const line = markerLine('segv.c', 'follows the pointer');
        assert.ok(first?.startsWith(`rank 1: SIGSEGV at segv.c:${line}, address 0x0`), first);
      } finally {
        cores.remove();
      }
    });

    it('says who hangs where', async () => {
      const job = await startHanging(mpi);
      try {
        const file = join(folder, 'report.html');
        // The other ranks are on their way to the barrier when the odd one says that it hangs.
        let page = '';
        for (let attempt = 0; attempt < 5 && !page.includes('ranks 0-1,3 (3 of 4) in MPI_Barrier'); attempt++) {
          const { status } = await runCli(['report', '--launcher', String(job.pid), '--output', file]);
          assert.equal(status, 0);
          page = readFileSync(file, 'utf8');
        }
        assert.match(page, /<li>rank 2 \(1 of 4\) in \w+ at hang\.c:\d+<\/li>/);
        assert.match(page, /<li>ranks 0-1,3 \(3 of 4\) in MPI_Barrier<\/li>/);
        assert.match(page, /class="odd">\s*<summary>\s*<span class="ranks">2</);
        assert.match(page, /rank 2: differs from most in place/);
      } finally {
        await end(job);
      }
    });
  });
}

describe('mpidbg report of what is incomplete', () => {
  it('tells what it could, and ends with status 1', async () => {
    const cores = new CoreFolder();
    try {
      const paths = await cores.crash('mpich', 'segv', { ranks: 2, args: ['1'] });
      const text = join(folder, 'core.text');
      writeFileSync(text, 'no core');
      const file = join(folder, 'report.html');
      const { status } = await runCli(['report', '--core', paths.get(1) ?? '', text, '-o', file]);
      assert.equal(status, 1);
      const page = readFileSync(file, 'utf8');
      assert.match(page, /rank 1: SIGSEGV at segv\.c/);
      assert.match(page, /core\.text[^<]*it is not a core file/);
    } finally {
      cores.remove();
    }
  });

  it('names the variables that differ in the same function', async () => {
    const cores = new CoreFolder();
    const job = await SampleJob.startWaiting('openmpi', 'communicators');
    try {
      const file = join(folder, 'report.html');
      const { status, stderr } = await runCli(['report', '--core', ...(await cores.gcore(job.pids)), '-o', file]);
      assert.equal(status, 0, stderr);
      const page = readFileSync(file, 'utf8');
      const [, row = ''] = /<th scope="row">rank in main<\/th>([^]*?)<\/tr>/.exec(page) ?? [];
      const values = [...row.matchAll(/data-ranks="(\d+)"[^]*?<span class="value">(\d+)</g)];
      assert.deepEqual(
        values.map(([, rank, value]) => [rank, value]),
        ['0', '1', '2', '3'].map((rank) => [rank, rank]),
      );
    } finally {
      await job.kill();
      cores.remove();
    }
  });
});

describe('the file of a report', () => {
  let process: ChildProcess;
  before(() => void (process = spawn('sleep', ['300'], { stdio: 'ignore' })));
  after(() => end(process));

  it('takes the place of an older one, also behind a link, and tells of a process without MPI', async () => {
    const file = join(folder, 'real.html');
    const link = join(folder, 'link.html');
    writeFileSync(file, 'of yesterday');
    symlinkSync(file, link);
    const { status } = await runCli(['report', '--pid', String(process.pid), '-o', link]);
    assert.equal(status, 0);
    assert.match(readFileSync(file, 'utf8'), /^<!DOCTYPE html>[^]*no MPI library is loaded in this process/);
    assert.deepEqual(readdirSync(folder).sort(), ['link.html', 'real.html']);
  });

  it('stays what it was when the report is given up', async () => {
    const file = join(folder, 'report.html');
    writeFileSync(file, 'of yesterday');
    const { status, stderr } = await runCli(['report', '--pid', '4194305', '-o', file]);
    assert.equal(status, 2);
    assert.match(stderr, /no process 4194305/);
    assert.equal(readFileSync(file, 'utf8'), 'of yesterday');
    assert.deepEqual(readdirSync(folder), ['report.html']);
  });
});

/** What the page has of a kind, to the next kind. */
function kindSection(page: string, kind: HandleKind): string {
  const [, section = ''] = new RegExp(`<h3>${typeNames[kind]}</h3>([^]*?)(?:<h3>|</section>)`).exec(page) ?? [];
  return section;
}

async function startHanging(mpi: Mpi): Promise<ChildProcess> {
  const { command, args, env } = launchers[mpi];
  const job = spawn(command, [...args, '-n', '4', samplePath(mpi, 'hang'), '2'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  job.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await eventually('it hangs', () => said.includes('rank 2 hangs'));
  return job;
}

async function end(job: ChildProcess): Promise<void> {
  const exited = once(job, 'exit');
  job.kill('SIGTERM');
  await exited;
}
