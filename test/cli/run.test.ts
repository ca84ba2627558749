/** mpidbg run: the job as its launcher runs it, and its end when it stands still. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCoresBesideTheProgram } from '../../scripts/core-pattern.mjs';
import { openWorkshop, type Workshop } from '../support/compile';
import { eventually, hasEnded } from '../support/process-state';
import { cli, runCli } from '../support/run-cli';
import { allMpis, launchers, type Mpi } from '../support/sample-job';

/** hang: rank 0 waits for a message that rank 1 never sends. work: rank 1 computes for SECONDS, and rank 0 waits for it. crash: rank 1. */
const program = `
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* Launchers may leave the dead unburied. */
static int lives(int pid)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'Z';
    if (file != NULL) fclose(file);
    return state != 'Z';
}
int main(int argc, char **argv)
{
    int rank, one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "rank %d is process %d\\n", rank, (int)getpid());
    if (strcmp(argv[1], "hang") == 0 && rank == 0)
        MPI_Recv(&one, 1, MPI_INT, 1, 17, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(argv[1], "work") == 0 && rank == 1) {
        double end = MPI_Wtime() + atoi(argv[2]);
        volatile long rounds = 0;
        while (MPI_Wtime() < end) for (int i = 0; i < 1000000; i++) rounds++;
    }
    if (strcmp(argv[1], "crash") == 0 && rank == 1) *(volatile int *)argv[2] = one;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("done\\n");
    // Rank 0 is the last to end: its status has the launcher kill whoever is left.
    int other = getpid();
    MPI_Bcast(&other, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Finalize();
    while (rank == 0 && lives(other)) usleep(1000);
    return rank == 0 ? 5 : 0;
}
`;

const minute = 60_000;
let workshop: Workshop;
let files: string[];
before(() => {
  workshop = openWorkshop();
  const path = (name: string): string => join(workshop.directory, name);
  files = ['--report', path('run.html'), '--sarif', path('run.sarif'), '--junit', path('run.xml')];
});
after(() => workshop.close());

for (const mpi of allMpis) {
  describe(`mpidbg run with ${mpi}`, () => {
    let command: string[];
    before(() => (command = jobOf(mpi, workshop.compile(`job-${mpi}`, program, `mpicc.${mpi}`, ['-g']))));

    it('ends a job that stands still, and says why', async () => {
      // Its thread samples, and writes to memory that is shared, while the ranks stand still.
      const collect = mpi === 'mpich' ? ['--collect', 'pvars'] : [];
      const options = [...collect, '--hang-after', '2', ...files];
      const { status, stdout, stderr } = await run(mpi, [...options, '--', ...command, 'hang']);
      assert.equal(status, 124, stderr);
      assert.ok(!stdout.includes('mpidbg') && !stdout.includes('done'), stdout);
      assert.match(stderr, /^mpidbg: the job has stood still for 2 s and is ended\nRank 0 waits in MPI_Recv \(/m);
      assert.match(stderr, /from rank 1 with tag 17 on MPI_COMM_WORLD/);
      const pids = [...stderr.matchAll(/rank \d is process (\d+)/g)].map(([, pid]) => Number(pid));
      assert.equal(pids.length, 2);
      const [, sentence = ''] = /is ended\n([^\n]*)/.exec(stderr) ?? [];
      assert.deepEqual(
        readResults().map(({ ruleId, message, locations }) => [ruleId, message.text, locations.length]),
        [['hang/collective-missing-rank', sentence, 1]],
      );
      assert.ok(read('run.html').includes(`<li>${sentence}</li>`));
      assert.deepEqual(
        pids.filter((pid) => !hasEnded(pid)),
        [],
        'nothing of it is left',
      );
    });

    it('leaves one alone that goes on, and ends as its launcher does', async () => {
      const { status, stdout, stderr } = await run(mpi, ['--hang-after', '1', ...files, '--', ...command, 'work', '5']);
      assert.equal(status, 5, stderr);
      assert.deepEqual(
        readResults().map(({ ruleId }) => ruleId),
        ['status'],
      );
      assert.match(read('run.html'), /The launcher ended with status 5\.[^]*no core file of a rank was found/);
      assert.match(stdout, /^done$/m);
      assert.doesNotMatch(stderr, /mpidbg:/);
    });

    it('tells from the core files who has died of what', async () => {
      const restore = writeCoresBesideTheProgram();
      try {
        // Where ranks cannot say themselves how they die.
        const alone = ['env', '-u', 'LD_PRELOAD'];
        const run = [process.execPath, cli, 'run', ...files, '--', ...alone];
        const shell = ['-c', 'ulimit -c unlimited; exec "$@"', 'sh', ...run];
        const options = { cwd: workshop.directory, env: { ...process.env, ...launchers[mpi].env } };
        const { status } = spawnSync('sh', [...shell, ...command, 'crash'], options);
        assert.ok(status !== 0 && status !== null, String(status));
      } finally {
        restore();
      }
      const [crash, ended] = readResults();
      assert.equal(crash?.ruleId, 'crash/SIGSEGV');
      assert.match(crash.message.text, /^rank 1: SIGSEGV at job-/);
      assert.equal(crash.locations[0]?.physicalLocation.artifactLocation.uri, `job-${mpi}.c`);
      assert.equal(ended?.ruleId, 'status');
      assert.match(read('run.html'), /<li>rank 1: SIGSEGV at job-/);
    });
  });
}

describe('mpidbg run', () => {
  it('says at once, at the end and in its files that it watches nothing', async () => {
    // The period passes before the launcher ends: it looks whether that has been said.
    const said = join(workshop.directory, 'said');
    const job = spawn(
      'sh',
      [
        '-c',
        `"$@" 2>&1 >/dev/null | tee "${said}"`,
        'sh',
        process.execPath,
        cli,
        'run',
        '--hang-after',
        '1',
        ...files,
      ].concat(['--', 'sh', '-c', `until grep -q 'is not watched' "${said}"; do sleep 0.1; done; exit 3`]),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    job.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(job, 'close');
    const reason = 'no MPI rank was found below the launcher on this host in 1 s';
    assert.match(
      text,
      new RegExp(`^mpidbg: the job is not watched: ${reason} .*\nmpidbg: the job was not watched: ${reason}`),
    );
    for (const name of ['run.html', 'run.sarif', 'run.xml'])
      assert.ok(read(name).includes(`the job was not watched: ${reason}`), name);
    assert.deepEqual(
      readResults().map(({ ruleId }) => ruleId),
      ['status'],
    );
  });

  it('ends what it cannot watch, where it is told to', async () => {
    const options = ['--hang-after', '1', '--require-watch', ...files];
    const { status, stdout, stderr } = await runCli(['run', ...options, '--', 'sh', '-c', 'sleep 600'], minute);
    assert.deepEqual({ status, stdout }, { status: 125, stdout: '' });
    assert.match(stderr, /^mpidbg: the job is not watched: no MPI rank .*; it is ended \(--require-watch\)\n$/);
    assert.deepEqual(
      readResults().map(({ ruleId }) => ruleId),
      ['unwatched'],
    );
    assert.match(read('run.html'), /The job is not watched: no MPI rank was found/);
  });

  it('needs --hang-after to require a watch', async () => {
    const { status, stderr } = await runCli(['run', '--require-watch', '--', 'true']);
    assert.deepEqual({ status, stderr }, { status: 2, stderr: 'mpidbg: --require-watch needs --hang-after SECONDS\n' });
  });

  it('is missed where it is killed: at once, and the job is ended where it is to be watched', async () => {
    const built = workshop.compile('killed-watch', program, 'mpicc.mpich', ['-g']);
    for (const option of [[], ['--require-watch']]) {
      const words = ['run', '--hang-after', '600', ...option, '--', 'mpiexec.mpich', '-n', '2', built, 'hang'];
      const run = spawn(process.execPath, [cli, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
      let told = '';
      run.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
      const closed = once(run, 'close');
      await eventually('both ranks run', () => told.match(/rank \d is process/g)?.length === 2);
      const ranks = [...told.matchAll(/is process (\d+)/g)].map(([, pid]) => Number(pid));
      try {
        run.kill('SIGKILL');
        const sentence = /^mpidbg: mpidbg was killed, and nobody watches the job any more: (.*)$/m;
        await eventually('that is told', () => sentence.test(told));
        const [, then = ''] = sentence.exec(told) ?? [];
        if (option.length > 0) {
          assert.equal(then, 'it is ended (--require-watch)');
          await eventually('the ranks have ended', () => ranks.every(hasEnded));
        } else {
          assert.match(then, /^mpidbg hang --launcher \d+ looks at it$/);
          assert.ok(!ranks.some(hasEnded));
        }
      } finally {
        for (const pid of ranks.filter((each) => !hasEnded(each))) process.kill(pid, 'SIGKILL');
      }
      await closed;
    }
  });

  it('gives the job its standard streams as they are', () => {
    const input = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'run', '--', 'sh', '-c', 'cat; echo b >&2'], {
      input,
    });
    assert.equal(status, 0);
    assert.ok(stdout.equals(input));
    assert.equal(stderr.toString(), 'b\n');
  });

  it('passes signals on, and ends with the status that the launcher gives', async () => {
    for (const [name, trapped] of [
      ['SIGTERM', 'TERM'],
      ['SIGUSR1', 'USR1'],
    ] as const) {
      const script = `trap 'exit 7' ${trapped}; echo ready; while :; do sleep 0.1; done`;
      const job = spawn(process.execPath, [cli, 'run', '--hang-after', '60', '--', 'sh', '-c', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(job.stdout, 'data');
      job.kill(name);
      assert.deepEqual(await once(job, 'exit'), [7, null], name);
    }
  });

  it('ends with 128 + n where signal n ended the launcher, and lets it live that long', async () => {
    const job = spawn(process.execPath, [cli, 'run', '--', 'sh', '-c', 'echo $$; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = (await once(job.stdout, 'data')) as [Buffer];
    job.kill('SIGTERM');
    assert.deepEqual(await once(job, 'exit'), [128 + 15, null]);
    await eventually('the launcher has ended', () => hasEnded(Number(pid.toString())));
  });

  it('ends with 127 where the launcher cannot be started', async () => {
    const { status, stdout, stderr } = await runCli(['run', '--hang-after', '60', '--', 'no-such-launcher']);
    assert.deepEqual({ status, stdout }, { status: 127, stdout: '' });
    assert.match(stderr, /^mpidbg: there is no launcher no-such-launcher: [^\n]*\n$/);
  });
});

function read(name: string): string {
  return readFileSync(join(workshop.directory, name), 'utf8');
}

/** The results in the SARIF file; JUnit's has as many failures. */
function readResults(): SarifResult[] {
  const { runs } = JSON.parse(read('run.sarif')) as { runs: [{ results: SarifResult[] }] };
  const [{ results }] = runs;
  assert.match(read('run.xml'), new RegExp(` failures="${Math.min(results.length, 1)}"`));
  return results;
}

interface SarifResult {
  ruleId: string;
  message: { text: string };
  locations: { physicalLocation: { artifactLocation: { uri: string } } }[];
}

function jobOf(mpi: Mpi, path: string): string[] {
  const { command, args } = launchers[mpi];
  return [command, ...args, '-n', '2', path];
}

function run(mpi: Mpi, args: readonly string[]): ReturnType<typeof runCli> {
  return runCli(['run', ...args], minute, launchers[mpi].env);
}
