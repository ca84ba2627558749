/**
 * All MPIs that a session knows, shipped or from third parties: the only place that decides which MPI something belongs
 * to.
 */
import type { BatchSystem } from '../batch/batch-system';
import { onceFor } from '../once';
import type { ErrorFacts, JobStarter, LauncherFacts, MpiFacts, RankEnvironment } from './facts';
import type { HandleKind } from './records';

export interface KnownLauncher {
  /** undefined: it starts the programs of any MPI. */
  readonly mpi: MpiFacts | undefined;
  readonly facts: LauncherFacts;
}

export class KnownMpis {
  readonly launchers: readonly KnownLauncher[];
  /** The environments that known launchers and schedulers give to ranks. */
  readonly environments: readonly RankEnvironment[];
  readonly handleStructs: ReadonlyMap<string, HandleKind>;
  /** The facts of those that tell where they have their errors. */
  readonly errors: readonly ErrorFacts[];
  /** Functions by which a process has its launcher end the job. */
  readonly aborts: readonly string[];
  /** Variables in which a batch script has the name of its job. */
  readonly batchJob: readonly string[];
  readonly batchSystems: readonly BatchSystem[];

  /** Whether the file is an MPI's own library or component. Asked for each module of each rank. */
  readonly isMpi = onceFor((path: string) => this.all.some(({ libraries }) => libraries?.test(path)));

  /** Whether the file holds an MPI's objects. Asked as often. */
  readonly holdsObjects = onceFor((path: string) =>
    this.all.some(({ objectLibraries }) => objectLibraries?.test(path)),
  );

  /** In both lists the first match wins. `schedulers` start ranks of any MPI. */
  constructor(
    readonly all: readonly MpiFacts[],
    schedulers: readonly JobStarter[] = [],
  ) {
    this.launchers = [
      ...all.flatMap((mpi) => (mpi.launchers ?? []).map((facts) => ({ mpi, facts }))),
      ...schedulers.flatMap(({ launchers = [] }) => launchers.map((facts) => ({ mpi: undefined, facts }))),
    ];
    this.environments = [...all, ...schedulers].flatMap(({ environment }) => environment ?? []);
    this.errors = all.flatMap(({ errors }) => errors ?? []);
    this.aborts = [...all, ...schedulers].flatMap(({ aborts = [] }) => aborts);
    this.batchJob = schedulers.flatMap(({ batchJob = [] }) => batchJob);
    this.batchSystems = schedulers.flatMap(({ batchSystem }) => batchSystem ?? []);
    this.handleStructs = new Map(all.flatMap(({ handleStructs = {} }) => Object.entries(handleStructs)));
  }

  /** The environment variables that may hold this fact about a rank, the most reliable first. */
  variables(what: 'rank' | 'size' | 'world' | 'spawned' | 'host' | 'local'): readonly string[] {
    return this.environments.flatMap((each) => each[what] ?? []);
  }

  named(name: string): MpiFacts | undefined {
    return this.all.find((mpi) => mpi.name === name);
  }

  /** Whether an MPI maps this file to exchange messages. */
  isForMessages(path: string): boolean {
    return this.all.some(({ messageFiles }) => messageFiles?.test(path));
  }

  /**
   * The title of the MPI, or of the software below it, that owns a library: "UCX"; undefined for all other libraries.
   */
  ownerOf(path: string): string | undefined {
    for (const { name, title = name, libraries, below = [] } of this.all) {
      const software = below.find((each) => each.libraries.test(path));
      if (software !== undefined) return software.title;
      if (libraries?.test(path)) return title;
    }
    return undefined;
  }

  /** Whether a function of this name is MPI_Finalize or runs in its place. */
  isFinalizer(name: string): boolean {
    return /^p?mpi_finalize\w*$/i.test(name) || this.all.some(({ finalizers }) => finalizers?.test(name));
  }

  /** Whether a process of this name (truncated by the kernel) belongs to a launcher and is not a rank. */
  startsRanks(process: string): boolean {
    if (/^mpi(run|exec)/.test(process)) return true;
    return this.starters.some((name) => name.slice(0, maxProcessNameLength) === process);
  }

  /** The names of launchers and of their daemons. */
  get starters(): readonly string[] {
    return [...new Set(this.launchers.flatMap(({ facts: { names, daemons = [] } }) => [...names, ...daemons]))];
  }
}

/** The kernel's TASK_COMM_LEN, without the terminating zero. */
const maxProcessNameLength = 15;
