/**
 * What a plugin says of one sample, held against its truth, for whoever writes a decoder: every difference.
 *
 *     npx tsx test/tools/compare.ts openmpi|mpich[-abi] SAMPLE [LAUNCHER OPTION...]
 *
 * -abi: the sample built for the standard ABI of MPI 5, where this machine has it.
 */
import { compareRanks } from '../support/compare-ranks';
import { allMpis, type StandardAbi } from '../support/sample-job';

async function main([mpiName, sample, ...launcherArgs]: string[]): Promise<void> {
  const mpi = allMpis.find((name) => name === mpiName?.replace(/-abi$/, ''));
  if (mpi === undefined || sample === undefined)
    throw new Error('usage: compare.ts openmpi|mpich[-abi] SAMPLE [LAUNCHER OPTION...]');
  const build: StandardAbi | undefined = mpiName === mpi ? undefined : `${mpi}-abi`;
  const { facts, differences } = await compareRanks(
    mpi,
    sample,
    { launcherArgs, build },
    launcherArgs.includes('ucx') ? 'openmpi with ucx' : mpi,
  );
  for (const difference of differences) console.log(difference);
  console.log(`${differences.length} of ${facts} facts differ`);
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
