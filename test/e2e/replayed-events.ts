/** Core files of a job that has a recorded region of the collector: with events, which no MPI of this machine raises. */
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { localHost } from '../../adapter/hosts/local-host';
import { ranksOfLauncher } from '../../adapter/launchers/launcher-tree';
import { readOverlay } from '../../plugin-api/overlays/read-overlay';
import type { RankOverlay } from '../../plugin-api/overlays/records';
import { CoreFolder } from '../support/core-files';
import { eventually } from '../support/process-state';
import { recordedImage } from '../support/recorded-job';
import { listRecordedRegions, readRecordedRegion, regionBytes } from '../support/recorded-region';
import { eventsOf } from '../support/tool-events';
import { launchers } from '../support/sample-job';

const source = 'replayed-region.c';
const program = 'replayed-region';

/** Puts the program, its source and core.RANK into the folder; what the recording has of each rank. */
export async function putReplayedCores(folder: string): Promise<RankOverlay[]> {
  const [name] = listRecordedRegions();
  if (name === undefined) throw new Error('there is no recorded region: docs/testing-releases.md');
  const { ranks } = readRecordedRegion(name);
  const regions = mkdtempSync(path.join(tmpdir(), 'mpidbg-regions-'));
  try {
    const told: RankOverlay[] = [];
    for (const { rank, recording } of ranks) {
      writeFileSync(path.join(regions, `region.${rank}`), await regionBytes(recording));
      const overlay = await readOverlay(recordedImage(recording), 'events', { last: Infinity, isWanted: () => true });
      told.push({ rank, host: localHost.name, ...overlay });
    }
    copyFileSync(path.join(__dirname, '../support', source), path.join(folder, source));
    const native = path.join(__dirname, '../../adapter/collector/native');
    execFileSync('mpicc.openmpi', ['-g', '-O0', '-I', native, source, '-o', program], { cwd: folder });
    await putCores(folder, [regions, ...told.map(firstComm)]);
    return told;
  } finally {
    rmSync(regions, { recursive: true, force: true });
  }
}

/** The handle of the communicator that the first event names. */
function firstComm(overlay: RankOverlay): string {
  const comm = eventsOf(overlay).find(({ refersTo }) => refersTo?.kind === 'comm')?.refersTo;
  if (comm === undefined) throw new Error('the recording has no event that names a communicator');
  return comm.handle;
}

async function putCores(folder: string, args: readonly string[]): Promise<void> {
  const ranks = 2;
  const { command, args: options, env } = launchers.openmpi;
  const job = spawn(command, [...options, '-n', String(ranks), path.join(folder, program), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const cores = new CoreFolder();
  try {
    let said = '';
    job.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await eventually('both ranks replay their regions', () => said.split('ready').length === ranks + 1);
    const made = await cores.gcore(await ranksOfLauncher(localHost, job.pid!));
    for (const [rank, core] of made.entries()) renameSync(core, path.join(folder, `core.${rank}`));
  } finally {
    job.kill();
    cores.remove();
  }
}
