/** Ranks whose memory is read while they run, and core files: no rank is held, and no gdb attaches to one. */
import type { ProcessImage } from '../../../plugin-api/image';
import type { RankId } from '../../../plugin-api/mpi/records';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import { OverlayMemory } from '../../../plugin-api/overlays/overlay-memory';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { HostProcess } from '../../hosts/host-process';
import type { EpochImage } from '../../images/epoch-image';
import type { LastingImage, LastingMemory } from '../../images/live/lasting-image';
import type { Notice } from '../../job/advice';
import type { Rank } from '../../job/rank';
import type { RanksOfWorld } from '../../../plugin-api/answers/rank-set';
import { compareWorlds } from '../../../plugin-api/mpi/worlds';
import type { AttachTarget } from '../../job-sources/attach';
import { findProcesses, openJob, type JobTarget } from '../../job-sources/open-job';
import { rankId } from '../rank-ids';
import { imageWithRegion, memoryOf, memoryOfProcess, RankImages, regionOf, regionOfRank } from '../rank-images';

export interface SeenRank {
  id: RankId;
  image: ProcessImage;
  /** What looks at it remember. */
  memory: OverlayMemory;
  /** Its MPI, where nothing of the process runs. */
  mpi?: () => Promise<MpiProcess | undefined>;
  /** What outlives it, of a live process. */
  lasting?: LastingMemory;
}

export interface SeenRanks {
  target: 'live' | 'core';
  /** Ascending. */
  ranks: readonly SeenRank[];
  warnings: readonly Notice[];
  /** To be called when they are not needed any more. */
  end(): Promise<void>;
}

export interface SeeOptions {
  plugins: PluginRegistry;
  ranks: readonly RanksOfWorld[] | undefined;
  world?: string | undefined;
  gdb: string | undefined;
  signal: AbortSignal;
}

/** Rejects as openJob does. */
export async function seeRanks(target: JobTarget, options: SeeOptions): Promise<SeenRanks> {
  if (target.kind === 'cores') return seeCores(target, options);
  const found = await findProcesses(target, options);
  const ranks = found.targets.map(seeProcess);
  return {
    target: 'live',
    ranks: ranks.sort((a, b) => compareWorlds(a.id.world, b.id.world) || (a.id.rank ?? 0) - (b.id.rank ?? 0)),
    warnings: [],
    end: async () => {
      for (const { image, lasting } of ranks) {
        image.invalidate();
        lasting.close();
      }
      await found.end();
    },
  };
}

function seeProcess({ host, pid, place }: AttachTarget): SeenRank & { image: LastingImage; lasting: LastingMemory } {
  const process = new HostProcess(host, pid);
  const { number, world } = place;
  const id = { rank: number, ...(world === undefined ? {} : { world }), host: host.name, pid: place.pid };
  const lasting = regionOf(process);
  return { id, image: imageWithRegion(memoryOfProcess(process), lasting), memory: new OverlayMemory(), lasting };
}

/** A rank of a job that runs, or has ended since. */
export function seeRunning(rank: Rank, plugins: PluginRegistry): SeenRank & { image: EpochImage } {
  const image = memoryOf(rank, plugins.known);
  const lasting = regionOfRank(rank);
  const seen = { id: rankId(rank), memory: memoryOfLooks(rank) };
  return lasting === undefined ? { ...seen, image } : { ...seen, image: imageWithRegion(image, lasting), lasting };
}

async function seeCores(target: JobTarget, options: SeeOptions): Promise<SeenRanks> {
  const { job, warnings } = await openJob(target, options);
  return {
    target: 'core',
    ranks: job.ranks.map((rank) => seeStopped(rank, options.plugins)),
    warnings,
    end: () => job.release(),
  };
}

/** A rank that does not run, or a core file. */
export function seeStopped(rank: Rank, plugins: PluginRegistry): SeenRank {
  const image = new RankImages(rank, plugins.known).untyped();
  const lasting = regionOfRank(rank);
  const seen = { id: rankId(rank), image, memory: memoryOfLooks(rank), mpi: () => plugins.open(image) };
  return lasting === undefined ? seen : { ...seen, lasting };
}

const memories = new WeakMap<Rank, OverlayMemory>();

/** What looks at a rank of a job remember, as long as there is the job. */
function memoryOfLooks(rank: Rank): OverlayMemory {
  const memory = memories.get(rank) ?? new OverlayMemory();
  memories.set(rank, memory);
  return memory;
}
