/**
 * npm run record [-- MPI[-abi]|SAMPLE…]: records what queries touch of the ranks of running samples, for the MPIs that are
 * installed, into test/recordings. Recordings of other versions stay. -abi: built for the standard ABI of MPI 5.
 * With --debug-information TABLE, what `mpidbg layout` printed of the MPI library is its debug information, and "-debug" is
 * added to the recording's name: docs/adding-a-version.md. With --ucx, UCX carries Open MPI's messages.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LiveImage } from '../../adapter/images/live/live-image';
import { RecordingImage } from '../../adapter/images/recording-image';
import type { LayoutTable } from '../../plugin-api/layout';
import { ucxOptions } from '../conformance/programs';
import { askProcess } from '../support/ask-process';
import { compareFacts } from '../support/compare-facts';
import { assertNothingPersonal } from '../support/nothing-personal';
import type { RecordedJob } from '../support/recorded-job';
import { packRecorded, recordedPrograms, recordingName, recordingsFolder } from '../support/recorded-job';
import type { Build, Mpi } from '../support/sample-job';
import { allMpis, isBuilt, SampleJob } from '../support/sample-job';
import { TypedImage } from '../support/typed-image';
import { localProcess } from '../support/local-process';

const allBuilds: readonly Build[] = [...allMpis, 'openmpi-abi', 'mpich-abi'];

async function record(build: Build, program: string, types: LayoutTable | undefined, usesUcx: boolean): Promise<void> {
  const isStandardAbi = build === 'openmpi-abi' || build === 'mpich-abi';
  const mpi = isStandardAbi ? (build.slice(0, -'-abi'.length) as Mpi) : build;
  const job = await SampleJob.startWaiting(mpi, program, {
    ...(isStandardAbi ? { build } : {}),
    ...(usesUcx ? { launcherArgs: ucxOptions() } : {}),
  });
  try {
    const recorded: RecordedJob = {
      format: 'mpidbg-recorded-job/1',
      program,
      mpi,
      ...(isStandardAbi ? { isStandardAbi } : {}),
      ...(usesUcx ? { usesUcx } : {}),
      version: '',
      ranks: [],
    };
    for (const [rank, pid] of job.pids.entries()) {
      const truth = job.truth.filter((each) => each.rank === rank);
      const live = new LiveImage(localProcess(pid));
      const image = new RecordingImage(types === undefined ? live : new TypedImage(live, types));
      const { process: asked, answers } = await askProcess(image, mpi, truth);
      const { facts, differences } = compareFacts(truth, answers, usesUcx ? 'openmpi with ucx' : mpi);
      console.log(`${build} ${asked.implementation.version} ${program} rank ${rank}: ${facts} facts`);
      for (const difference of differences) console.log(`  ${difference}`);
      recorded.version = asked.implementation.version;
      recorded.ranks.push({ recording: await image.recording(), truth });
      live.close();
    }
    assertNothingPersonal(recorded.ranks.map(({ recording }) => recording));
    mkdirSync(recordingsFolder, { recursive: true });
    const packed = packRecorded(recorded);
    const name = recordingName(recorded).replace('.json', types === undefined ? '.json' : '-debug.json');
    writeFileSync(join(recordingsFolder, name), packed);
    console.log(`  ${name}: ${packed.length} bytes`);
  } finally {
    await job.kill();
  }
}

/** `chosen`: MPIs and samples; of what is not named, all. */
async function main(words: readonly string[]): Promise<void> {
  const at = words.indexOf('--debug-information');
  const chosen = (at < 0 ? words : [...words.slice(0, at), ...words.slice(at + 2)]).filter((word) => word !== '--ucx');
  const types = at < 0 ? undefined : (JSON.parse(readFileSync(words[at + 1] ?? '', 'utf8')) as LayoutTable);
  const isChosen = (name: string) => chosen.includes(name);
  const builds = allBuilds.some(isChosen) ? allBuilds.filter(isChosen) : allBuilds.filter(isBuilt);
  const samples = chosen.filter((name) => !allBuilds.some((build) => build === name));
  for (const build of builds)
    for (const program of samples.length > 0 ? samples : recordedPrograms[build])
      await record(build, program, types, words.includes('--ucx'));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
