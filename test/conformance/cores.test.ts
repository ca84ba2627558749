/** The core files that the kernel writes: of a rank that crashed, and such as hold less than by default. */
import assert from 'node:assert/strict';
import type { Document, RankAnswer } from '../../plugin-api/mpi/records';
import { assertCoresAgree } from '../support/compare-cores';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, markerLine, SampleJob, type Mpi } from '../support/sample-job';
import { conformancePrograms, type ConformanceProgram } from './programs';

/** Bits of coredump_filter, see core(5). */
const anonymousPrivate = 0x01;
const anonymousShared = 0x02;
const elfHeaders = 0x10;

for (const mpi of allMpis) {
  it(`a kernel core of ${mpi} tells its rank, what it died of and where, and its handles`, async () => {
    const folder = new CoreFolder();
    try {
      const cores = await folder.crash(mpi, 'segv', { ranks: 3, args: ['2'] });
      const core = cores.get(2);
      assert.ok(core !== undefined, 'rank 2 follows a null pointer');
      const info = await onlyRank(['info', '--core', core]);
      assert.equal(info.rank, 2);
      assert.deepEqual(info.crash, {
        signal: 'SIGSEGV',
        text: `SIGSEGV at segv.c:${markerLine('segv.c', 'follows the pointer')}, address 0x0 (nothing is mapped there)`,
        address: '0x0',
        frame: {
          name: 'read_depth',
          source: info.crash?.frame?.source,
          line: markerLine('segv.c', 'follows the pointer'),
        },
      });
      const [world] = (await onlyRank(['show', 'MPI_COMM_WORLD', '--core', core])).answers;
      assert.ok(world?.code === 'MPIDBG_SUCCESS', JSON.stringify(world));
      assert.deepEqual(world.info, { ...world.info, rank: 2, size: 3, name: 'MPI_COMM_WORLD' });
    } finally {
      folder.remove();
    }
  });

  it(`the smallest useful kernel cores of ${mpi}, without shared memory, give the answers that MPI gave`, async () => {
    const [{ name, ranks, atLeast }] = conformancePrograms(mpi) as [ConformanceProgram];
    await withCores(mpi, name, ranks, anonymousPrivate | elfHeaders, ({ truth }, cores) =>
      assertCoresAgree(truth, cores, mpi, atLeast),
    );
  });

  it(`kernel cores of ${mpi} without the pages that were written to say so, and guess nothing`, () =>
    withCores(mpi, 'communicators', 2, anonymousShared | elfHeaders, async (_, cores) => {
      const { status, stdout, stderr } = await runCli(['show', 'comm:MPI_COMM_WORLD', '--json', '--core', ...cores]);
      assert.equal(status, 0, stderr);
      const document = JSON.parse(stdout) as Document;
      assert.equal(document.ranks.length, 2);
      for (const rank of document.ranks) {
        const told = JSON.stringify(rank);
        assert.match(told, /at 0x[0-9a-f]+: the core file does not hold these pages/);
        assert.doesNotMatch(told, /"(rank|size)":\d/, 'nothing is told of what is not there');
      }
    }));
}

/** Runs `look` with the cores of a job that ended where it waited. `filter`: what its cores hold. */
async function withCores(
  mpi: Mpi,
  name: string,
  ranks: number,
  filter: number,
  look: (job: SampleJob, cores: string[]) => Promise<unknown>,
): Promise<void> {
  const folder = new CoreFolder();
  try {
    const job = await SampleJob.startWaiting(mpi, name, { ranks, through: folder.inFolderOfRank() });
    await look(job, await folder.crashWaiting(job, { signal: 'SIGABRT', filter }));
  } finally {
    folder.remove();
  }
}

async function onlyRank(args: string[]): Promise<RankAnswer> {
  const { stdout, stderr, status } = await runCli([...args, '--json']);
  assert.equal(status, 0, stderr);
  const [rank] = (JSON.parse(stdout) as Document).ranks;
  assert.ok(rank !== undefined && 'answers' in rank, JSON.stringify(rank));
  return rank;
}
