/** Opens the core files of a job: a Job whose ranks never run. One core that cannot be opened never keeps the others out. */
import { counted } from '../../../plugin-api/counted';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { AgentError } from '../../agent/agent-script';
import { GuardedHost } from '../../agent/guarded-gdb';
import { Hub } from '../../agent/hub';
import { environmentCd, environmentPwd, fileExecAndSymbols, setSysroot } from '../../gdb/mi/file-commands';
import { GdbError } from '../../gdb/mi/mi-connection';
import { addDebugFileDirectory } from '../../gdb/mi/library-root';
import { targetSelectCore } from '../../gdb/mi/target-manipulation';
import { knowsLinesOfMain } from '../../gdb/mi/symbol-query';
import { listThreads } from '../../gdb/mi/thread-commands';
import type { Job, JobHost, JobSource, UnopenedCore } from '../../job/job';
import type { Notice } from '../../job/advice';
import { newJob } from '../../job/job-record';
import type { Rank } from '../../job/rank';
import { chosenRanks, type RankChoice } from '../../../plugin-api/answers/rank-set';
import { showCore } from '../../job/shown-ranks';
import { learnRoles } from '../../job/thread-role';
import { fetchMissing } from './core-fetching';
import { coreFindings } from './core-findings';
import { identifyCores, type FoundCore } from './core-identity';
import { CoreLibraries } from './core-libraries';
import { readCores, type OnProgress, type ReadCores } from './core-reading';
import { coreStop } from './core-signal';
import { completeSymbols } from './core-symbols';
import { Debuginfod } from './debuginfod';
import { SessionFolder } from './session-folder';
import { GdbPool, type Slot } from '../../gdb/gdb-pool';
import { specialNeighbour } from '../../elf/special-neighbours';
import { StartError, untilAborted } from '../../job/start-error';

/** A core costs its gdb little after it is opened: more of them share the symbols than ranks that run. */
const coresPerGdb = 16;

export type { OnProgress };

export interface CoreOptions {
  /** Paths of core files. */
  cores: readonly string[];
  /** The program that wrote them; default: what each core names. */
  program?: string;
  /** Folders for programs and libraries that are elsewhere than they were. */
  searchPath?: readonly string[];
  /** Path of gdb; default: "gdb" in PATH. */
  gdb?: string;
  /** Aborted: everything is let go, and the promise rejects with StartError (the reason, if it is one). */
  signal?: AbortSignal;
  /** Default: the shipped ones. */
  plugins?: PluginRegistry;
  /** Those that are wanted; default: all. */
  ranks?: RankChoice['ranks'];
  /** Only of this MPI_COMM_WORLD. */
  world?: string | undefined;
  onProgress?: OnProgress;
}

export interface OpenedCores {
  job: Job;
  /** What the user should know of those that are. */
  warnings: readonly Notice[];
}

/** Resolves when every core that can be opened is there with its symbols (state 'core'). Rejects with StartError, UnusableGdbError. */
export async function openCores({
  gdb = 'gdb',
  plugins = new PluginRegistry(),
  signal,
  ...rest
}: CoreOptions): Promise<OpenedCores> {
  const options = { ...rest, plugins };
  if (options.program !== undefined) checkIsFile(options.program);
  const folder = new SessionFolder();
  try {
    return await openIn(folder, gdb, signal, options);
  } catch (error) {
    folder.remove();
    throw error;
  }
}

async function openIn(
  folder: SessionFolder,
  gdb: string,
  signal: AbortSignal | undefined,
  options: CoreOptions & { plugins: PluginRegistry },
): Promise<OpenedCores> {
  const mpis = options.plugins.known;
  const read = await untilAborted(signal, readCores({ ...options, mpis, unpackInto: () => folder.path, signal }));
  if (read.images.length === 0) throw new StartError(nothingToOpen(read.refused));
  try {
    return await openImages(read, folder, gdb, signal, options);
  } catch (error) {
    for (const image of read.images) image.close();
    throw error;
  }
}

async function openImages(
  { images, refused, unfinished }: ReadCores,
  folder: SessionFolder,
  gdb: string,
  signal: AbortSignal | undefined,
  { program, searchPath = [], ranks, world, onProgress, plugins }: CoreOptions & { plugins: PluginRegistry },
): Promise<OpenedCores> {
  const missing = { images, searchPath, folder: () => folder.path, mpis: plugins.known, signal, onProgress };
  const fetched = await untilAborted(signal, fetchMissing(Debuginfod.of(process.env), missing));
  const cores = await identifyCores(images, plugins);
  const warnings = [...coreFindings(cores, { program, unfinished }), ...fetched.warnings.map((text) => ({ text }))];
  const wanted = coresOf(cores, { ranks, world });
  onProgress?.('symbols');

  const hub = await Hub.listen(plugins.known);
  let source: CoreFilesOfJob | undefined;
  try {
    const pool = await untilAborted(signal, startGdbs(new GuardedHost(hub), wanted.length, gdb));
    const debugFolders = [...fetched.debugFolders, ...searchPath.filter(hasBuildIds)];
    source = new CoreFilesOfJob(hub, pool, wanted, folder, debugFolders, plugins);
    await addDebugFolders(pool, debugFolders);
    const failed = await untilAborted(signal, source.open());
    if (failed.length === wanted.length) throw new StartError(nothingToOpen(failed));
    source.jobHost.setUnopened([...refused, ...failed]);
    const withheld = [...source.withheld].map(([file, neighbour]) => ({ text: withholds(file, neighbour) }));
    return {
      job: source.job,
      warnings: [...warnings, ...withheld, ...[...source.stripped].map(withoutDebugInformation)],
    };
  } catch (error) {
    await source?.release();
    hub.close();
    if (error instanceof AgentError) throw new StartError(error.message);
    throw error;
  }
}

function startGdbs(host: GuardedHost, cores: number, gdb: string): Promise<GdbPool> {
  const hosts = Array.from({ length: cores }, () => host);
  return GdbPool.start(hosts, gdb, coresPerGdb);
}

/** gdb looks in the folder that was added last first. */
async function addDebugFolders(pool: GdbPool, folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed())
    for (const { gdb } of pool.members) await addDebugFileDirectory(gdb, folder);
}

/** It may be of another build, or not runnable here: a message about each core says so. Throws StartError. */
function checkIsFile(program: string): void {
  const status = statSync(program, { throwIfNoEntry: false });
  if (status === undefined) throw new StartError(`there is no program ${program}`, { kind: 'correctProgram' });
  if (status.isDirectory()) throw new StartError(`${program} is a folder: name the program in it`);
  if (!status.isFile()) throw new StartError(`${program} is not a regular file: name the program`);
}

/** Throws RankSetError for a rank of which there is no core. */
function coresOf(cores: readonly FoundCore[], choice: RankChoice): FoundCore[] {
  const all = cores.map((core) => ({ core, number: core.identity.number, world: core.identity.world }));
  return chosenRanks(all, choice, (rank) => `there is no core of rank ${rank} among these files`).map(
    ({ core }) => core,
  );
}

function withoutDebugInformation(program: string): Notice {
  const text = `${program} has no debug information, so its lines and variables are unknown`;
  return { text, advice: { kind: 'debugInformation' } };
}

function withholds(file: string, neighbour: string): string {
  return `mpidbg does not give ${file} to gdb, which would then open ${neighbour}: that is not a regular file, so remove it`;
}

function hasBuildIds(folder: string): boolean {
  return existsSync(join(folder, '.build-id'));
}

function nothingToOpen(refused: readonly UnopenedCore[]): string {
  const [first] = refused;
  if (first === undefined) return 'no core file is named: name at least one';
  const others = refused.length === 1 ? '' : ` (and ${counted(refused.length - 1, 'more file')} that cannot be opened)`;
  return `${first.core}: ${first.reason}${others}`;
}

class CoreFilesOfJob implements JobSource {
  readonly kind = 'core';
  readonly job: Job;
  readonly jobHost: JobHost;
  /** Programs without debug information. */
  readonly stripped = new Set<string>();
  /** Files that gdb does not get, and what it would open with them. */
  readonly withheld = new Map<string, string>();
  private readonly libraries: CoreLibraries;
  private readonly forGdb = new Map<string, boolean>();
  private released: Promise<void> | undefined;

  constructor(
    private readonly hub: Hub,
    private readonly pool: GdbPool,
    private readonly cores: readonly FoundCore[],
    private readonly folder: SessionFolder,
    private readonly debugFolders: readonly string[],
    readonly plugins: PluginRegistry,
  ) {
    this.libraries = new CoreLibraries(
      () => folder.path,
      (file) => this.isForGdb(file),
    );
    const gdbs = pool.members.map(({ gdb }) => gdb);
    const { job, jobHost } = newJob(this, gdbs);
    this.job = job;
    this.jobHost = jobHost;
  }

  /** Answers those that gdb cannot open. */
  async open(): Promise<UnopenedCore[]> {
    const slots = await this.pool.slots();
    const pairs = slots.map((slot, index) => ({ slot, core: this.cores[index]! }));
    const failed = await Promise.all(
      this.pool.members.map((member) => this.openInTurn(pairs.filter(({ slot }) => slot.member === member))),
    );
    return failed.flat();
  }

  /** All cores of one gdb, which does one thing at a time. */
  private async openInTurn(pairs: readonly { slot: Slot; core: FoundCore }[]): Promise<UnopenedCore[]> {
    const failed: UnopenedCore[] = [];
    const first = pairs[0]?.slot.member.gdb;
    const own = first === undefined ? '' : await environmentPwd(first);
    for (const { slot, core } of pairs) {
      const reason = await this.openOne(slot, core);
      if (reason !== undefined) failed.push({ core: core.identity.core, reason });
    }
    if (first !== undefined) await environmentCd(first, own);
    const ranks = this.jobHost.ranks.filter((rank) => rank.gdb === first);
    await this.showThreads(ranks);
    await this.findStripped(ranks);
    return failed;
  }

  async start(): Promise<void> {
    for (const rank of this.jobHost.ranks) this.jobHost.group(rank).tellAgain(rank);
  }

  release(): Promise<void> {
    this.released ??= this.letGo();
    return this.released;
  }

  /** Answers why gdb cannot open it. */
  private async openOne({ member, threadGroup }: Slot, core: FoundCore): Promise<string | undefined> {
    const outside = await this.libraries.nameOutside(core.identity.image);
    if (outside !== undefined) return `it is damaged: it names a file "${outside}", which cannot exist`;
    const { folder, workingFolder } = await this.libraries.rootFor(core.identity.image);
    await setSysroot({ gdb: member.gdb, threadGroup }, folder);
    await environmentCd(member.gdb, workingFolder);
    const rank = this.jobHost.addRank(core.identity, member.gdb, threadGroup);
    try {
      if (core.program !== undefined && this.isForGdb(core.program)) await fileExecAndSymbols(rank, core.program);
      this.jobHost
        .group(rank)
        .addThreads(rank, await targetSelectCore(rank, this.folder.nameForGdb(core.identity.image.path)));
      await this.jobHost.group(rank).loadSymbols(rank);
      await completeSymbols(rank, (file) => this.isForGdb(file));
      return undefined;
    } catch (error) {
      if (!(error instanceof GdbError)) throw error;
      this.jobHost.removeRank(rank);
      return `gdb cannot open it: ${error.message}`;
    }
  }

  private isForGdb(file: string): boolean {
    const known = this.forGdb.get(file);
    if (known !== undefined) return known;
    const neighbour = specialNeighbour(file, this.debugFolders);
    if (neighbour !== undefined) this.withheld.set(file, neighbour);
    this.forGdb.set(file, neighbour === undefined);
    return neighbour === undefined;
  }

  /** All ranks of one gdb. */
  private async showThreads(ranks: readonly Rank[]): Promise<void> {
    const [first] = ranks;
    if (first === undefined) return;
    const listing = await listThreads(first.gdb);
    for (const rank of ranks) {
      const threads = rank.threads.map(({ gdbThread }) => ({ gdbThread, lwp: listing.get(gdbThread)?.tid ?? 0 }));
      const { core } = rank.image!;
      const pid = core.process?.pid;
      threads.sort((a, b) => Number(b.lwp === pid) - Number(a.lwp === pid) || a.lwp - b.lwp);
      const hit = threads.find(({ lwp }) => lwp === core.threads[0]?.lwp);
      const order = threads.map(({ gdbThread }) => gdbThread);
      showCore(rank, order, hit?.gdbThread ?? order[0] ?? 0, coreStop(core));
      await learnRoles(rank, this.plugins.known);
    }
  }

  /** The ranks of one gdb. */
  private async findStripped(ranks: readonly Rank[]): Promise<void> {
    const asked = new Set<string>();
    for (const { threads, image } of ranks) {
      const program = image?.program()?.here;
      const [thread] = threads;
      if (program === undefined || thread === undefined || asked.has(program)) continue;
      asked.add(program);
      if (!(await knowsLinesOfMain(thread))) this.stripped.add(program);
    }
  }

  private async letGo(): Promise<void> {
    for (const rank of this.jobHost.ranks) this.jobHost.group(rank).release();
    for (const { identity } of this.cores) identity.image.close();
    await this.pool.end();
    this.hub.close();
    this.folder.remove();
  }
}
