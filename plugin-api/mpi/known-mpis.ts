/**
 * Every MPI that a session knows, shipped or from third parties: the only place to ask which MPI something belongs to.
 */
import type { JobStarter, LauncherFacts, MpiFacts, RankEnvironment } from './facts';
import type { HandleKind } from './records';

/** A launcher that is known. */
export interface KnownLauncher {
  /** undefined: it starts the programs of any MPI. */
  readonly mpi: MpiFacts | undefined;
  readonly facts: LauncherFacts;
}

export class KnownMpis {
  readonly launchers: readonly KnownLauncher[];
  /** The environments that possible launchers give to ranks. */
  readonly environments: readonly RankEnvironment[];
  readonly handleStructs: ReadonlyMap<string, HandleKind>;

  /** The first match wins. `schedulers`: what starts the ranks of any MPI. */
  constructor(
    readonly all: readonly MpiFacts[],
    schedulers: readonly JobStarter[] = [],
  ) {
    this.launchers = [
      ...all.flatMap((mpi) => (mpi.launchers ?? []).map((facts) => ({ mpi, facts }))),
      ...schedulers.flatMap(({ launchers = [] }) => launchers.map((facts) => ({ mpi: undefined, facts }))),
    ];
    this.environments = [...all, ...schedulers].flatMap(({ environment }) => environment ?? []);
    this.handleStructs = new Map(all.flatMap(({ handleStructs = {} }) => Object.entries(handleStructs)));
  }

  /** The variables by which a rank may have been told something, the best first. */
  variables(what: 'rank' | 'size' | 'world' | 'host' | 'local'): readonly string[] {
    return this.environments.flatMap((each) => each[what] ?? []);
  }

  named(name: string): MpiFacts | undefined {
    return this.all.find((mpi) => mpi.name === name);
  }

  /** Whether the file is an MPI's own library or component. */
  isMpi(path: string): boolean {
    return this.all.some(({ libraries }) => libraries?.test(path));
  }

  /** Whether the file holds an MPI's objects. */
  holdsObjects(path: string): boolean {
    return this.all.some(({ objectLibraries }) => objectLibraries?.test(path));
  }

  /** Whether the file is mapped for messages. */
  isForMessages(path: string): boolean {
    return this.all.some(({ messageFiles }) => messageFiles?.test(path));
  }

  /** The owner of a library, an MPI or what it is built on: "UCX"; undefined for the program's and the system's. */
  ownerOf(path: string): string | undefined {
    for (const { name, title = name, libraries, below = [] } of this.all) {
      const software = below.find((each) => each.libraries.test(path));
      if (software !== undefined) return software.title;
      if (libraries?.test(path)) return title;
    }
    return undefined;
  }

  /** Whether the function, by its name, is or ends MPI_Finalize. */
  isFinalizer(name: string): boolean {
    return /^p?mpi_finalize\w*$/i.test(name) || this.all.some(({ finalizers }) => finalizers?.test(name));
  }

  /** Whether a process of this name, as the kernel cuts it, starts ranks and is none. */
  startsRanks(process: string): boolean {
    if (/^mpi(run|exec)/.test(process)) return true;
    const names = this.launchers.flatMap(({ facts: { names, daemons = [] } }) => [...names, ...daemons]);
    return names.some((name) => name.slice(0, maxProcessNameLength) === process);
  }
}

/** TASK_COMM_LEN, without the end. */
const maxProcessNameLength = 15;
