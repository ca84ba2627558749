/**
 * The programs of MPI-CorrBench (github.com/tudasc/mpi-corrbench) on two ranks: the wrong ones that hang, judged by us, and the
 * correct ones, asked while they run. Not listed: wrong programs that end by themselves, or hang only from time to time.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { HangDocument, HangType } from '../../plugin-api/hang/hang-records';
import { runCli } from '../support/run-cli';
import { launchers, type Mpi } from '../support/sample-job';
import { titleOf, type HangCase } from './hang-case';

const run = promisify(execFile);

const both: Record<string, [HangType, readonly number[]]> = {
  'coll/ArgMismatch-MPIReduce-root': ['root-mismatch', [0, 1]],
  'coll/MisplacedCall-MPIBarrier-Deadlock-1': ['collective-order-mismatch', [0, 1]],
  'coll/MissingCall-MPIGather-Deadlock': ['collective-missing-rank', [1]],
  'conflo/coll/ArgMismatch-MPIReduce-root': ['root-mismatch', [0, 1]],
  'conflo/coll/MisplacedCall-MPIBarrier-Deadlock-1': ['collective-order-mismatch', [0, 1]],
  'conflo/coll/MissingCall-MPIGather-Deadlock': ['collective-missing-rank', [1]],
  'conflo/pt2pt/ArgMismatch-MPIIRecv-Tag-2': ['tag-mismatch', [0, 1]],
  'conflo/pt2pt/ArgMismatch-MPIRecv-Tag-1': ['tag-mismatch', [0, 1]],
  'conflo/pt2pt/ArgMismatch-MPIRecv-Tag-3': ['tag-mismatch', [0, 1]],
  'conflo/pt2pt/MisplacedCall-MPIRecv-Deadlock-1': ['p2p-cycle', [0, 1]],
  'conflo/pt2pt/MissingCall-MPISend-Deadlock': ['p2p-missing-partner', [0]],
  'conflo/rma/MisplacedCall-MPIWinFence-2': ['collective-order-mismatch', [0, 1]],
  'conflo/rma/MissingCall-MPIWinFence-1': ['collective-missing-rank', [1]],
  'openmp/ordering/deadlock': ['p2p-cycle', [0, 1]],
  'openmp/ordering/deadlock_send_recv': ['p2p-cycle', [0, 1]],
  'pt2pt/ArgMismatch-MPIIRecv-Tag-1': ['tag-mismatch', [0, 1]],
  'pt2pt/ArgMismatch-MPIIRecv-Tag-2': ['tag-mismatch', [0, 1]],
  'pt2pt/ArgMismatch-MPIRecv-Tag-1': ['tag-mismatch', [0, 1]],
  'pt2pt/ArgMismatch-MPIRecv-Tag-2': ['tag-mismatch', [0, 1]],
  'pt2pt/ArgMismatch-MPIRecv-Tag-3': ['tag-mismatch', [0, 1]],
  'pt2pt/MisplacedCall-MPIRecv-Deadlock-1': ['p2p-cycle', [0, 1]],
  'pt2pt/MissingCall-MPISend-Deadlock': ['p2p-missing-partner', [0]],
  'rma/MisplacedCall-MPIWinFence-2': ['collective-order-mismatch', [0, 1]],
  'rma/MissingCall-MPIWinFence-1': ['collective-missing-rank', [1]],
};

/** With the other MPI they end. In MPI_Get and MPI_Put the library itself tries again without end. */
const withOne: Record<Mpi, typeof both> = {
  openmpi: {
    'coll/ArgMismatch-MPIGather-Type-1': ['other', [0, 1]],
    'conflo/coll/ArgError-MPIGather-SendType': ['other', [0, 1]],
    'conflo/rma/ArgError-MPIGet-buffer': ['rma', [0]],
    'conflo/rma/ArgError-MPIPut-buffer': ['rma', [0]],
    'rma/ArgError-MPIGet-buffer': ['rma', [0]],
    'rma/ArgError-MPIPut-buffer': ['rma', [0]],
    'pt2pt/ArgError-MPIISend-Tag-2': ['tag-mismatch', [0, 1]],
  },
  mpich: { 'pt2pt/ArgError-MPIISend-Rank-1': ['p2p-missing-partner', [0]] },
};

/**
 * Called correct, and they can hang: the threads of rank 0 enter MPI_Barrier and MPI_Bcast in any order; a thread that waits
 * in MPI_Recv may have taken the lock that the sender needs.
 */
const wronglyCorrect = [
  'openmp/ordering/correct/two_collectives_3.c',
  'openmp/ordering/correct/dependant/deadlock_probe.c',
];

/** Until then a job that hangs is still being started. */
const maxQuestions = 4;

export class CorrBench {
  private readonly folder = mkdtempSync(join(tmpdir(), 'mpidbg-corrbench-'));
  private readonly sources: string;

  constructor(
    clone: string,
    private readonly mpi: Mpi,
  ) {
    this.sources = join(clone, 'micro-benches', '0-level');
  }

  cases(): HangCase[] {
    const hangs = Object.entries({ ...both, ...withOne[this.mpi] }).map(([program, [type, culprits]]): HangCase => {
      return { program: `${program}.c`, args: [], expected: { type, culprits } };
    });
    const correct = readdirSync(this.sources, { recursive: true, encoding: 'utf8' })
      .filter((path) => /(^|\/)correct\/.*\.c$/.test(path) && !wronglyCorrect.includes(path))
      .map((program): HangCase => ({ program, args: [], expected: undefined }));
    return [...hangs, ...correct];
  }

  /** undefined: it cannot be built with this MPI, or was over before it could be asked. */
  async judge(each: HangCase): Promise<HangDocument | undefined> {
    const program = join(this.folder, each.program.replaceAll('/', '-').replace(/\.c$/, ''));
    const isBuilt = await this.compile(each, program);
    if (!isBuilt && each.expected !== undefined) throw new Error('it cannot be built');
    return isBuilt ? await this.ask(each, program) : undefined;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private compile({ program }: HangCase, to: string): Promise<boolean> {
    const includes = ['correct/include', 'openmp'].map((path) => `-I${join(this.sources, path)}`);
    const options = ['-g', '-O1', '-w', '-fopenmp', ...includes, '-o', to, join(this.sources, program), '-lm'];
    return run(`mpicc.${this.mpi}`, options).then(
      () => true,
      () => false,
    );
  }

  private async ask(each: HangCase, program: string): Promise<HangDocument | undefined> {
    const { command, args, env } = launchers[this.mpi];
    const launcher = spawn(command, [...args, '-n', '2', program], {
      env: { ...process.env, ...env, OMPI_MCA_mpi_yield_when_idle: '1', OMP_NUM_THREADS: '2' },
      stdio: 'ignore',
      cwd: this.folder,
    });
    const closed = once(launcher, 'close');
    const isOver = (): boolean => launcher.exitCode !== null || launcher.signalCode !== null;
    try {
      let last: HangDocument | undefined;
      for (let question = 0; question < maxQuestions && !isOver(); question++) {
        const { stdout } = await runCli(['hang', '--launcher', String(launcher.pid), '--json']);
        if (stdout === '') continue; // no rank has begun yet, or the job has ended meanwhile
        last = JSON.parse(stdout) as HangDocument;
        if (each.expected === undefined || last.verdict === 'deadlock') break;
      }
      if (last === undefined && each.expected !== undefined)
        throw new Error(`${basename(titleOf(each))} does not hang`);
      return last;
    } finally {
      launcher.kill('SIGTERM');
      const killed = setTimeout(() => launcher.kill('SIGKILL'), 10_000);
      await closed;
      clearTimeout(killed);
    }
  }
}
