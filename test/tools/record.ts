/**
 * npm run record [-- MPI|SAMPLE…]: records what queries touch of the ranks of running samples, for the MPIs that are
 * installed, into test/recordings. Recordings of other versions stay.
 * With --debug-information TABLE, what `mpidbg layout` printed of the MPI library is its debug information, and "-debug" is
 * added to the recording's name: docs/adding-a-version.md.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { LiveImage } from '../../adapter/images/live-image';
import { RecordingImage } from '../../adapter/images/recording-image';
import type { LayoutTable } from '../../plugin-api/layout';
import { askProcess } from '../support/ask-process';
import { compareFacts } from '../support/compare-facts';
import type { RecordedJob } from '../support/recorded-job';
import { packRecordedJob, recordedPrograms, recordingName, recordingsFolder } from '../support/recorded-job';
import type { Mpi } from '../support/sample-job';
import { allMpis, SampleJob } from '../support/sample-job';
import { TypedImage } from '../support/typed-image';

async function record(mpi: Mpi, program: string, types: LayoutTable | undefined): Promise<void> {
  const job = await SampleJob.startWaiting(mpi, program);
  try {
    const recorded: RecordedJob = { format: 'mpidbg-recorded-job/1', program, mpi, version: '', ranks: [] };
    for (const [rank, pid] of job.pids.entries()) {
      const truth = job.truth.filter((each) => each.rank === rank);
      const live = new LiveImage(pid);
      const image = new RecordingImage(types === undefined ? live : new TypedImage(live, types));
      const { process: asked, answers } = await askProcess(image, truth);
      const { facts, differences } = compareFacts(truth, answers);
      console.log(`${mpi} ${asked.implementation.version} ${program} rank ${rank}: ${facts} facts`);
      for (const difference of differences) console.log(`  ${difference}`);
      recorded.version = asked.implementation.version;
      recorded.ranks.push({ recording: await image.recording(), truth });
      live.close();
    }
    assertNothingPersonal(recorded);
    mkdirSync(recordingsFolder, { recursive: true });
    const packed = packRecordedJob(recorded);
    const name = recordingName(recorded).replace('.json', types === undefined ? '.json' : '-debug.json');
    writeFileSync(join(recordingsFolder, name), packed);
    console.log(`  ${name}: ${packed.length} bytes`);
  } finally {
    await job.kill();
  }
}

/** Libraries keep copies of paths and variables in their memory, and a block may hold one by chance. */
function assertNothingPersonal({ ranks }: RecordedJob): void {
  const names = [homedir(), process.cwd(), hostname(), userInfo().username].filter((name) => name.length > 4);
  for (const { recording } of ranks) {
    for (const { address, bytes } of recording.memory) {
      const found = names.find((name) => Buffer.from(bytes, 'hex').includes(name));
      if (found !== undefined) throw new Error(`not recorded: the memory at 0x${address} holds "${found}"`);
    }
  }
}

/** `chosen`: MPIs and samples; of what is not named, all. */
async function main(words: readonly string[]): Promise<void> {
  const at = words.indexOf('--debug-information');
  const chosen = at < 0 ? words : [...words.slice(0, at), ...words.slice(at + 2)];
  const types = at < 0 ? undefined : (JSON.parse(readFileSync(words[at + 1] ?? '', 'utf8')) as LayoutTable);
  const isChosen = (name: string) => chosen.includes(name);
  const mpis = allMpis.some(isChosen) ? allMpis.filter(isChosen) : allMpis;
  const samples = chosen.filter((name) => !allMpis.some((mpi) => mpi === name));
  for (const mpi of mpis)
    for (const program of samples.length > 0 ? samples : recordedPrograms) await record(mpi, program, types);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
