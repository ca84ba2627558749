/** From launch.json's attributes to a job that is ready for breakpoints. */
import { open } from 'node:fs/promises';
import { defaultSkip } from '../../../plugin-api/mpi/library-code';
import { namedRanks } from '../../../plugin-api/mpi/rank-names';
import { inWorld } from '../../../plugin-api/mpi/worlds';
import { GdbError } from '../../gdb/mi/mi-connection';
import { skipCode } from '../../gdb/skipped-code';
import { userCommand } from '../../gdb/mi/support-commands';
import { knowsLinesOfMain } from '../../gdb/mi/symbol-query';
import { lentLibraries } from '../../collector/lent-libraries';
import { collectorLibraries, collectorVariables, type CollectorOptions } from '../../collector/preload';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { onceStarted, onlyJobOnceStarted } from '../../launchers/batch/awaited-steps';
import { NoRanksError } from '../../launchers/launcher-tree';
import { isContainerRuntime, startsContainer } from '../../launchers/container-runtimes';
import { chooseLauncher } from '../../launchers/choose-launcher';
import { launch } from '../../job-sources/launch';
import { mapSources, openJob, type JobTarget } from '../../job-sources/open-job';
import { noticeText } from '../../job/advice';
import type { AbsentRank, Job } from '../../job/job';
import { whyAbsent } from '../../query/rank-ids';
import { loadPlugins } from '../../query/load-plugin';
import { takeOver } from '../../query/stops/take-over';
import { holdRegions } from '../../query/overlays/hold-regions';
import { adviceText, launchAdviceText } from '../client/advice';
import type { Client } from '../client/connection';
import type { AttachArguments, LaunchArguments, SharedArguments } from './launch-arguments';
import type { Progress } from '../client/progress';

/** Every rank is held before its first instruction. Rejects with StartError; aborted: nothing is left running. */
export async function launchJob(
  args: LaunchArguments,
  client: Client,
  signal: AbortSignal,
  progress?: Progress,
): Promise<Job> {
  const plugins = loadPlugins(args.plugins, args.libraryCode);
  const { launcher, mpi, warnings } = await chooseLauncher({
    programs: args.programs.map(({ program }) => program),
    launcher: args.launcher,
    cwd: args.cwd,
    env: environmentOf(args.env),
    mpis: plugins.known,
  });
  for (const warning of warnings) client.say(`warning: ${noticeText(warning, launchAdviceText)}`);
  const job = await launch({
    programs: args.programs,
    launcher,
    launcherArgs: args.launcherArgs,
    processManagers: mpi && plugins.known.named(mpi.name)?.processManagers,
    cwd: args.cwd,
    env: { ...args.env, ...(args.collector && collectorVariables(args.collector)) },
    preload: args.collector && librariesFor(args, args.collector),
    ...(args.stdin === undefined ? {} : { stdin: args.stdin }),
    plugins,
    gdb: args.gdb,
    signal,
    onHeld: (held, all) => progress?.counted(held, all, 'held'),
    onOutput: (text, stream) => client.send('output', { category: stream, output: text }),
  });
  if (args.collector) holdRegions(job);
  await warnOfMissingSymbols(job, args, client);
  await mapSources(job, args.sourceFileMap);
  return prepared(job, args, client);
}

/** Every rank is stopped. Rejects as openJob does; aborted: every process is as it was. */
export async function attachJob(
  args: AttachArguments,
  client: Client,
  signal: AbortSignal,
  progress?: Progress,
): Promise<Job> {
  const { target, waits, ranks, world, gdb, sourceFileMap: sourceMap } = args;
  const plugins = loadPlugins(args.plugins, args.libraryCode);
  const options = {
    ...{ plugins, gdb, ranks, world, sourceMap, signal, withLate: true },
    onHeld: (held: number, all: number) => progress?.counted(held, all, 'held'),
    onProgress: (what: string, percentage?: number) => progress?.update(what, percentage),
  };
  const open = async () => openJob(await startedTarget(target, plugins, signal), options);
  if (waits) {
    const words = target.kind === 'batchJob' ? `job ${target.job} has` : 'your job has';
    progress?.update(`waiting until ${words} started`);
    client.say(`waiting until ${words} started`);
  }
  const { job, warnings } = await (waits
    ? onceStarted(open, { signal, isEarly: (error) => error instanceof NoRanksError })
    : open());
  await takeOver(job);
  for (const warning of warnings) client.say(`warning: ${noticeText(warning, adviceText)}`);
  for (const absent of job.absent) client.say(`warning: ${absenceText(absent)}`);
  return prepared(job, args, client);
}

/** Rejects with StartError. */
async function startedTarget(
  target: AttachArguments['target'],
  { known }: PluginRegistry,
  signal: AbortSignal,
): Promise<JobTarget> {
  return target.kind === 'startingJob'
    ? { kind: 'batchJob', job: await onlyJobOnceStarted(known, { signal }) }
    : target;
}

function absenceText(absent: AbsentRank): string {
  const { number, world, pid } = absent;
  const name = number === null ? `process ${pid}` : namedRanks(inWorld(world, String(number)));
  return `${name} is not in the session: ${whyAbsent(absent)}`;
}

async function prepared(job: Job, { setupCommands, skip }: SharedArguments, client: Client): Promise<Job> {
  await job.settings.set('skip', (gdb) => skipCode(gdb, skip ?? defaultSkip));
  const failed = new Set<string>();
  await job.settings.set('setupCommands', async (gdb) => {
    for (const command of setupCommands) {
      try {
        await userCommand(gdb, command);
      } catch (error) {
        if (!(error instanceof GdbError)) throw error;
        if (!failed.has(command)) client.say(`setupCommands: "${command}" failed: ${error.message}`);
        failed.add(command);
      }
    }
  });
  return job;
}

/** What the ranks get: this process' own environment, and what the user adds to it or removes. */
function environmentOf(given: LaunchArguments['env']): NodeJS.ProcessEnv {
  const all = { ...process.env, ...given };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value ?? undefined]));
}

/** To preload into the ranks. */
function librariesFor({ programs, launcherArgs }: LaunchArguments, collector: CollectorOptions): readonly string[] {
  const libraries = collectorLibraries(collector);
  const words = [...launcherArgs, ...programs.flatMap(({ program, args }) => [program, ...args])];
  return startsContainer(words) ? lentLibraries(libraries) : libraries;
}

/** Names programs that were compiled without -g or stripped: the debugger sees nothing in them. */
async function warnOfMissingSymbols(job: Job, { programs }: LaunchArguments, client: Client): Promise<void> {
  let first = 0;
  const told = new Set<string>();
  for (const { program, ranks } of programs) {
    const thread = job.ranks[first]?.threads[0];
    first += ranks;
    if (thread === undefined || told.has(program) || isContainerRuntime(program) || !(await isElfFile(program)))
      continue;
    told.add(program);
    if (!(await knowsLinesOfMain(thread))) {
      client.say(
        `warning: ${program} has no debug information, so its lines and variables are unknown: compile with -g`,
      );
    }
  }
}

/** Not for scripts, where the debugger sees the interpreter. */
async function isElfFile(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString('latin1') === '\x7fELF';
  } finally {
    await file.close();
  }
}
