/**
 * What a plugin says of one sample, held against its truth, for whoever writes a decoder: every difference.
 *
 *     npx tsx test/tools/compare.ts openmpi|mpich[-abi] SAMPLE [LAUNCHER OPTION...]
 *
 * -abi: the sample built for the standard ABI of MPI 5, where this machine has it.
 */
import { readFileSync } from 'node:fs';
import type { LayoutTable } from '../../plugin-api/layout';
import { compareRanks } from '../support/compare-ranks';
import { allMpis, type StandardAbi } from '../support/sample-job';

async function main([mpiName, sample, ...rest]: string[]): Promise<void> {
  const [types, launcherArgs] = rest[0] === '--types' ? [readTable(rest[1] ?? ''), rest.slice(2)] : [undefined, rest];
  const mpi = allMpis.find((name) => name === mpiName?.replace(/-abi$/, ''));
  if (mpi === undefined || sample === undefined)
    throw new Error('usage: compare.ts openmpi|mpich[-abi] SAMPLE [LAUNCHER OPTION...]');
  const build: StandardAbi | undefined = mpiName === mpi ? undefined : `${mpi}-abi`;
  const { facts, differences } = await compareRanks(
    mpi,
    sample,
    { launcherArgs, build },
    launcherArgs.includes('ucx') ? 'openmpi with ucx' : mpi,
    types,
  );
  for (const difference of differences) console.log(difference);
  console.log(`${differences.length} of ${facts} facts differ`);
}

function readTable(path: string): LayoutTable {
  return JSON.parse(readFileSync(path, 'utf8')) as LayoutTable;
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
