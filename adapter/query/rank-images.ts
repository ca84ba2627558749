/** Builds the images of ranks: where their bytes come from, and what is kept of them. No other file of the queries builds one. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { QueryError } from '../../plugin-api/result';
import { GdbImage } from '../gdb/gdb-image';
import type { HostProcess } from '../hosts/host-process';
import { CachedImage } from '../images/cached-image';
import type { EpochImage } from '../images/epoch-image';
import { LastingImage, LastingMemory } from '../images/live/lasting-image';
import { LiveImage } from '../images/live/live-image';
import { RememberingImage } from '../images/remembering-image';
import type { Rank } from '../job/rank';

/** The images of one rank, one for each stop. */
export class RankImages {
  private atStop: EpochImage | undefined;

  constructor(
    private readonly rank: Rank,
    private readonly mpis: KnownMpis,
  ) {}

  /** Memory, symbols and the types that gdb knows, as they are at this stop. Throws QueryError when the rank cannot be read. */
  typed(): EpochImage {
    return (this.atStop ??= new GdbImage(this.untyped(), () => this.rank.threads[0] ?? this.rank));
  }

  /** A new image without gdb's types; whoever asks for it invalidates it. Throws QueryError when the rank cannot be read. */
  untyped(): CachedImage {
    return new CachedImage(memoryOf(this.rank, this.mpis));
  }

  /** The rank has run. */
  forget(): void {
    this.atStop?.invalidate();
  }
}

/**
 * The memory of a live process or of a core file, with nothing cached. Throws QueryError when it cannot be read. `mpis` are those
 * that will decode it; they decide which symbols will be needed.
 */
export function memoryOf({ image, process, label, host }: Rank, mpis?: KnownMpis): EpochImage {
  if (image !== undefined) return image;
  if (process !== undefined) return memoryOfProcess(process, mpis);
  throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `${label} runs on ${host}: its memory cannot be reached from here`);
}

/** As memoryOf, for a process that need not be a rank of a job. */
export function memoryOfProcess(process: HostProcess, mpis?: KnownMpis): LiveImage {
  return new LiveImage(process, mpis && ((path) => mpis.isMpi(path)));
}

/** For a process that is looked at without gdb; `invalidate` it when the process has run. */
export function imageOfProcess(process: HostProcess, mpis: KnownMpis): CachedImage {
  return new CachedImage(memoryOfProcess(process, mpis));
}

/** What is decoded through it stays right while its `isSame` is true, also when the process has run. */
export function rememberingImage(image: EpochImage): RememberingImage {
  return new RememberingImage(image);
}

/** The collector's region of a process, which can be read after the process has ended. */
export function regionOf(process: HostProcess): LastingMemory {
  return new LastingMemory(process, /^\/memfd:mpidbg-collector\b/);
}

const regions = new WeakMap<Rank, LastingMemory>();

/** The same one each time; undefined for a core file. */
export function regionOfRank(rank: Rank): LastingMemory | undefined {
  if (rank.process === undefined) return undefined;
  const region = regions.get(rank) ?? regionOf(rank.process);
  regions.set(rank, region);
  return region;
}

/** `image`, and the region also when the process has ended. */
export function imageWithRegion(image: EpochImage, region: LastingMemory): LastingImage {
  return new LastingImage(image, region);
}
