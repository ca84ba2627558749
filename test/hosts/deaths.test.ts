/** Deaths in a job on two hosts: `mpidbg run` on the first, the rank that dies on the second, which has no file of mpidbg. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { basename, extname, join } from 'node:path';
import { withoutChance } from '../deaths/built-programs';
import { lineThatDies, programs, type DeathCase } from '../deaths/death-case';
import { cli } from '../support/run-cli';
import { allMpis, launchers, type Mpi } from '../support/sample-job';
import { launcherArgs } from './cluster';
import { TwoHosts } from './two-hosts';

interface Ended {
  status: number | null;
  /** The lines of the job. */
  lines: readonly string[];
  /** The lines of mpidbg, which come last. */
  said: string;
}

/** What ranks say that lose one of another host, if they live long enough, and mpirun of its own start: with and without mpidbg. */
const ofChance = / UCX {2}ERROR |plm:rsh: Warning: setpgid/;

describe('mpidbg run on two hosts', () => {
  let hosts: TwoHosts;
  let folder: string;
  let cache: string;
  before(async () => {
    hosts = await TwoHosts.start();
    [folder, cache] = [hosts.newFolder(), hosts.newFolder()];
  });
  after(() => hosts.stop());
  afterEach(() => hosts.isQuiet());

  function built(mpi: Mpi, source: string): string {
    const program = join(folder, `${mpi}-${basename(source, extname(source))}`);
    execFileSync(`mpicc.${mpi}`, ['-g', '-O0', '-pthread', '-w', '-o', program, join(programs, source)]);
    return program;
  }

  /** By four ranks, of which the last two are on the second host. `options`: undefined: without mpidbg. */
  async function run(mpi: Mpi, options: readonly string[] | undefined, words: readonly string[]): Promise<Ended> {
    const { command, env } = launchers[mpi];
    const by = options === undefined ? [] : [process.execPath, cli, 'run', ...options, '--'];
    const cacheToo = mpi === 'openmpi' ? ['-x', 'XDG_CACHE_HOME'] : [];
    const job = [command, ...launcherArgs(mpi, 'nodea:2,nodeb:2'), ...cacheToo, '-n', '4', ...words];
    const [first = '', ...others] = hosts.cluster.on('nodea', [...by, ...job]);
    const child = spawn(first, others, {
      env: { ...process.env, ...env, XDG_CACHE_HOME: cache },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += String(part)));
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
    const own = output.indexOf('mpidbg: ');
    const [ofJob, said] = own < 0 ? [output, ''] : [output.slice(0, own), output.slice(own)];
    const lines = withoutChance(ofJob).split('\n').toSorted();
    return { status, lines: lines.filter((line) => !ofChance.test(line)), said };
  }

  // A busy machine may need longer than a user would wait.
  const patient = ['--hold-dying', '60'];
  /** hasAllStarted: else some may still be in MPI_Init, which may fail for them in words of its own. */
  const dying: readonly { of: DeathCase; marker: string; words: RegExp; hasAllStarted: boolean; mpi?: Mpi }[] = [
    {
      of: { program: 'signals.c', how: 'null', says: '' },
      marker: 'fault',
      words: /died of SIGSEGV at address 0x0 .*\n.*\n {2}ranks? .* MPI_/,
      hasAllStarted: false,
    },
    {
      of: { program: 'messages.c', how: 'receive', says: '' },
      marker: 'receive',
      words:
        /died of MPI_ERR_TRUNCATE.*\n {2}in MPI_Recv\(count 4 MPI_INT, from 0, tag 7, "ocean"\).*\n.*\n {2}ranks 0-2 were in MPI_Barrier/,
      hasAllStarted: true,
    },
    {
      of: { program: 'mpi-errors.c', how: 'abort', says: '' },
      marker: 'plain abort',
      words: /called MPI_Abort\(MPI_COMM_WORLD, 9\)\n.*\n {2}ranks? .* MPI_/,
      hasAllStarted: false,
      mpi: 'mpich',
    },
    {
      of: { program: 'ends.c', how: 'assert', says: '' },
      marker: 'assert',
      words: /failed an assertion: how == NULL && "no case"\n.*\n {2}ranks? .* MPI_/,
      hasAllStarted: false,
      mpi: 'openmpi',
    },
  ];

  for (const mpi of allMpis) {
    for (const { of, marker, words, hasAllStarted } of dying.filter((each) => (each.mpi ?? mpi) === mpi)) {
      it(`tells how a rank of the other one died, and where all were: ${mpi} ${of.program} ${of.how}`, async () => {
        const program = built(mpi, of.program);
        const { status, lines, said } = await run(mpi, patient, [program, of.how]);
        assert.match(said, /^mpidbg: rank 3 /);
        assert.match(said, words);
        assert.ok(said.includes(`${of.program}:${lineThatDies(of, marker)} `), said);
        if (!hasAllStarted) return;
        const alone = await run(mpi, undefined, [program, of.how]);
        assert.deepEqual({ status, lines }, { status: alone.status, lines: alone.lines });
      });
    }

    it(`tells which rank of the other one was killed: ${mpi}`, async () => {
      const { said } = await run(mpi, [], [built(mpi, 'signals.c'), 'killed']);
      assert.match(said, /^mpidbg: ranks? [0-2,-]*3 (was|were) ended by SIGKILL/);
    });

    it(`brings the collector there: ${mpi}`, async () => {
      const { status, lines, said } = await run(mpi, ['--collect', 'calls'], ['sh', '-c', tellsEnvironment]);
      const preloads = lines.filter((line) => line.startsWith('LD_PRELOAD='));
      const copied = preloads.filter((line) => line.includes(cache));
      const names = preloads.map((line) => line.replace(/[^=:]*\b(?=mpidbg-\w+\.so)/g, ''));
      assert.deepEqual(new Set(names), new Set(['LD_PRELOAD=mpidbg-deaths.so:mpidbg-calls.so:mpidbg-collector.so']));
      assert.deepEqual({ status, said, of: [preloads.length, copied.length] }, { status: 0, said: '', of: [4, 2] });
      // The loader would say so where one of them is not there, and no secret gets into a rank.
      assert.deepEqual(
        lines.filter((line) => line !== '' && !preloads.includes(line)),
        [],
      );
    });
  }

  it('runs the program where nobody hands its agents what they need, and says so of a job that fails', async () => {
    const words = ['-genvlist', 'PATH', 'sh', '-c', 'exit 3'];
    const { status } = await run('mpich', undefined, words);
    const seen = await run('mpich', [], words);
    assert.equal(seen.status, status);
    assert.match(seen.said, /^mpidbg: 2 ranks could not reach mpidbg: how they die was not watched\n$/);
  });
});

const tellsEnvironment = 'echo LD_PRELOAD=$LD_PRELOAD; printenv MPIDBG_TOKEN MPIDBG_AGENT MPIDBG_HUB MPIDBG_DOOR; true';
