/** The only way to open an existing job: running processes, or the core files that they left. */
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { substitutePath } from '../gdb/mi/file-commands';
import type { Host } from '../hosts/host';
import type { Notice } from '../job/advice';
import type { Job } from '../job/job';
import { lostFilesOf } from '../job/lost-files';
import { chosenRanks, formatRankSet, type RankChoice, type RanksOfWorld } from '../../plugin-api/answers/rank-set';
import { StartError } from '../job/start-error';
import { attachOn, type AttachOptions } from './attach';
import { findCoreFiles, folderIsClosed } from './cores/core-paths';
import { openCores, type OnProgress } from './cores/cores';
import {
  findRanks,
  processesAt,
  ranksOnlyHere,
  targetsHere,
  type FinderOptions,
  type FoundRanks,
  type Reach,
  type Placed,
} from './job-finder';

/** Processes of this machine, or core files. */
export type JobTarget =
  | { kind: 'launcher'; launcherPid: number }
  | { kind: 'batchJob'; job: string }
  | { kind: 'pids'; pids: readonly number[] }
  | CoreTarget;

export interface CoreTarget {
  kind: 'cores';
  /** Paths and patterns. */
  cores: readonly string[];
  /** The program that wrote them, when it is not where it was. */
  program: string | undefined;
  /** Folders for programs and libraries that are elsewhere than they were. */
  searchPath: readonly string[];
}

export interface OpenOptions extends Pick<AttachOptions, 'plugins' | 'signal' | 'beforeHold' | 'onHeld'> {
  gdb?: string | undefined;
  /** Only these are attached to, or opened; default: all. */
  ranks?: readonly RanksOfWorld[] | undefined;
  /** Only of this MPI_COMM_WORLD; default: of all, and `ranks` of the launcher's own. */
  world?: string | undefined;
  /** The way to the target, of a caller that looks again and again: it is left open. */
  reach?: Reach | undefined;
  /**
   * Ranks that the launcher starts later come to the job, where all of its ranks are in it, and those that could not be attached to
   * when they can be.
   */
  withLate?: boolean;
  /** Ranks of this machine go on while this process is stopped by a signal, and are lost to the job: for who looks again then. */
  isForLook?: boolean;
  /** Folders of sources, as the debug information names them and where they are now. */
  sourceMap?: SourceMap;
  onProgress?: OnProgress;
}

export type SourceMap = readonly (readonly [from: string, to: string])[];

export interface OpenedJob {
  job: Job;
  /** What the user should know. */
  warnings: readonly Notice[];
}

/**
 * Resolves when every process is stopped, or every core that can be opened is there. Rejects with StartError, and with
 * RankSetError for a rank that is not there; everything is as it was then.
 */
export async function openJob(target: JobTarget, options: OpenOptions = {}): Promise<OpenedJob> {
  const opened = target.kind === 'cores' ? await openCoreFiles(target, options) : await attachTo(target, options);
  try {
    await mapSources(opened.job, options.sourceMap ?? []);
  } catch (error) {
    await opened.job.release();
    throw error;
  }
  return opened;
}

export async function mapSources({ settings }: Job, sourceMap: SourceMap): Promise<void> {
  await settings.set('sources', async (gdb) => {
    for (const [from, to] of sourceMap) await substitutePath(gdb, from, to);
  });
}

/** Running processes, which nothing is done to. `end` is to be called. Rejects as openJob does. */
export async function findProcesses(
  target: Exclude<JobTarget, CoreTarget>,
  {
    plugins = new PluginRegistry(),
    ranks,
    world,
    signal,
    isForLook,
    reach,
  }: Pick<OpenOptions, 'plugins' | 'ranks' | 'world' | 'signal' | 'isForLook' | 'reach'>,
): Promise<FoundRanks> {
  const finding = { plugins, signal, isForLook };
  const found = await (reach === undefined ? foundAnew(target, finding) : foundThrough(reach));
  try {
    return { ...found, ...chosenOf(found, { ranks, world }) };
  } catch (error) {
    await found.end();
    throw error;
  }
}

function foundAnew(target: Exclude<JobTarget, CoreTarget>, options: FinderOptions): Promise<FoundRanks> {
  return target.kind === 'pids' ? targetsHere(target.pids, options) : findRanks(target, options);
}

async function foundThrough(reach: Reach): Promise<FoundRanks> {
  return { ...(await reach.find()), end: () => Promise.resolve() };
}

/**
 * The running processes, if all of the job are on this machine. Nothing is started to find them. undefined: some may be on other hosts. Rejects as
 * openJob does.
 */
export async function processesHere(
  target: Exclude<JobTarget, CoreTarget>,
  { plugins = new PluginRegistry(), ranks, world }: Pick<OpenOptions, 'plugins' | 'ranks' | 'world'>,
): Promise<Placed<Host> | undefined> {
  const found = target.kind === 'pids' ? await processesAt(target.pids, plugins) : await ranksOnlyHere(target, plugins);
  return found && chosenOf(found, { ranks, world });
}

async function attachTo(
  target: Exclude<JobTarget, CoreTarget>,
  {
    plugins = new PluginRegistry(),
    gdb,
    ranks,
    world,
    withLate,
    isForLook = false,
    signal,
    beforeHold,
    onHeld,
    reach,
  }: OpenOptions,
): Promise<OpenedJob> {
  const isWhole = target.kind === 'launcher' && ranks === undefined && world === undefined;
  const chosen = { plugins, ranks, world, isForLook, reach };
  const found = await findProcesses(target, { ...chosen, ...(signal === undefined ? {} : { signal }) });
  const options = {
    plugins,
    dead: found.dead,
    takesUpRefused: withLate === true,
    ...(withLate === true && isWhole ? { launcherOfLate: target.launcherPid } : {}),
    ...(gdb === undefined ? {} : { gdb }),
    ...(signal === undefined ? {} : { signal }),
    ...(beforeHold === undefined ? {} : { beforeHold }),
    ...(onHeld === undefined ? {} : { onHeld }),
  };
  try {
    const job = await attachOn(found.targets, options, () => found.end());
    return { job, warnings: lostFilesOf(job.ranks).map((text) => ({ text })) };
  } catch (error) {
    await found.end();
    throw error;
  }
}

/** Throws RankSetError for ranks and worlds that are not there. */
function chosenOf<H extends Host>({ targets, dead }: Placed<H>, choice: RankChoice): Placed<H> {
  const all = [
    ...targets.map((target) => ({ ...target.place, target, ended: undefined })),
    ...dead.map((ended) => ({ ...ended, target: undefined, ended })),
  ];
  const chosen = chosenRanks(all, choice, (missing, present) => {
    const found = present.length === 0 ? 'none whose number is known' : formatRankSet(present);
    return `rank ${missing} was not found; found: ${found}`;
  });
  return { targets: chosen.flatMap(({ target }) => target ?? []), dead: chosen.flatMap(({ ended }) => ended ?? []) };
}

/** A pattern that matches nothing is worth a warning; that no file is left is an error. */
async function openCoreFiles(
  { cores, program, searchPath }: CoreTarget,
  { plugins, gdb, ranks, world, signal, onProgress }: OpenOptions,
): Promise<OpenedJob> {
  const { files, empty, closed } = findCoreFiles(cores, process.cwd());
  if (files.length === 0 && closed.length > 0) throw new StartError(folderIsClosed(closed));
  if (files.length === 0 && empty.length > 0) throw new StartError(`${matchesNothing(empty)}: correct the pattern`);
  const { job, warnings } = await openCores({
    cores: files,
    searchPath,
    ...(plugins === undefined ? {} : { plugins }),
    ...(program === undefined ? {} : { program }),
    ...(gdb === undefined ? {} : { gdb }),
    ...{ ranks, world },
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const ofPatterns = empty.length === 0 ? [] : [{ text: matchesNothing(empty) }];
  const ofFolders = closed.length === 0 ? [] : [{ text: folderIsClosed(closed) }];
  return { job, warnings: [...ofFolders, ...ofPatterns, ...warnings] };
}

function matchesNothing(patterns: readonly string[]): string {
  return `no file matches ${patterns.join(', ')}`;
}
