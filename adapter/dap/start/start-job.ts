/** From launch.json's attributes to a job that is ready for breakpoints. */
import { open } from 'node:fs/promises';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { substitutePath } from '../../gdb/mi/file-commands';
import { GdbError } from '../../gdb/mi/mi-connection';
import { userCommand } from '../../gdb/mi/support-commands';
import { knowsLinesOfMain } from '../../gdb/mi/symbol-query';
import { attach } from '../../job-sources/attach';
import { chooseLauncher } from '../../launchers/choose-launcher';
import { findCoreFiles, folderIsClosed } from '../../job-sources/cores/core-paths';
import { openCores, type OnProgress } from '../../job-sources/cores/cores';
import { launch } from '../../job-sources/launch';
import { pidsOfRanks, ranksOfLauncher } from '../../launchers/launcher-tree';
import { StartError } from '../../job/start-error';
import type { Job } from '../../job/job';
import { loadPlugins } from '../../query/load-plugin';
import type { Client } from '../client/connection';
import type { AttachArguments, CoreTarget, LaunchArguments, SharedArguments } from './launch-arguments';
import type { StartProgress } from './start-progress';

/** Every rank is held before its first instruction. Rejects with StartError; aborted: nothing is left running. */
export async function launchJob(
  args: LaunchArguments,
  client: Client,
  signal: AbortSignal,
  progress?: StartProgress,
): Promise<Job> {
  const plugins = loadPlugins(args.plugins);
  const { launcher, warnings } = chooseLauncher({
    programs: args.programs.map(({ program }) => program),
    launcher: args.launcher,
    cwd: args.cwd,
    env: environmentOf(args.env),
    mpis: plugins.known,
  });
  for (const warning of warnings) client.say(`warning: ${warning}`);
  let isCommandLine = true;
  const job = await launch({
    programs: args.programs,
    launcher,
    launcherArgs: args.launcherArgs,
    cwd: args.cwd,
    env: args.env,
    ...(args.stdin === undefined ? {} : { stdin: args.stdin }),
    plugins,
    gdb: args.gdb,
    signal,
    onHeld: (held, all) => progress?.held(held, all),
    onOutput: (text, stream) => {
      client.send('output', { category: isCommandLine ? 'console' : stream, output: text });
      isCommandLine = false;
    },
  });
  await warnOfMissingSymbols(job, args, client);
  return prepared(job, args, client);
}

/** Every rank is stopped. Rejects with StartError; aborted: every process is as it was. */
export async function attachJob(
  args: AttachArguments,
  client: Client,
  signal: AbortSignal,
  progress?: StartProgress,
): Promise<Job> {
  const plugins = loadPlugins(args.plugins);
  if ('cores' in args.target) {
    const onProgress: OnProgress = (what, percentage) => progress?.update(what, percentage);
    return prepared(await openCoreFiles(args, args.target, { plugins, client, signal, onProgress }), args, client);
  }
  const pids = 'pids' in args.target ? args.target.pids : await ranksOfLauncher(args.target.launcherPid, plugins.known);
  const chosen = args.ranks === undefined ? pids : await pidsOfRanks(pids, args.ranks, plugins.known);
  return prepared(
    await attach({ pids: chosen, plugins, gdb: args.gdb, signal, onHeld: (held, all) => progress?.held(held, all) }),
    args,
    client,
  );
}

async function openCoreFiles(
  { gdb, ranks }: AttachArguments,
  { cores, program, searchPath }: CoreTarget,
  {
    plugins,
    client,
    signal,
    onProgress,
  }: { plugins: PluginRegistry; client: Client; signal: AbortSignal; onProgress: OnProgress },
): Promise<Job> {
  const { files, empty, closed } = findCoreFiles(cores, '/');
  if (files.length === 0 && closed.length > 0) throw new StartError(folderIsClosed(closed));
  if (files.length === 0) throw new StartError(`no file is like ${empty.join(', ')}: correct "cores"`);
  if (closed.length > 0) client.say(`warning: ${folderIsClosed(closed)}`);
  for (const pattern of empty) client.say(`warning: no file is like ${pattern}`);
  const { job, warnings } = await openCores({
    cores: files,
    plugins,
    searchPath,
    gdb,
    signal,
    onProgress,
    ...(program === undefined ? {} : { program }),
    ...(ranks === undefined ? {} : { ranks }),
  });
  for (const warning of warnings) client.say(`warning: ${warning}`);
  return job;
}

async function prepared(
  job: Job,
  { setupCommands, sourceFileMap, collector }: SharedArguments,
  client: Client,
): Promise<Job> {
  if (collector) client.say('the collector is not available in this version of mpidbg yet: nothing is collected');
  for (const gdb of job.gdbs) for (const [from, to] of sourceFileMap) await substitutePath(gdb, from, to);
  for (const command of setupCommands) {
    for (const gdb of job.gdbs) {
      try {
        await userCommand(gdb, command);
      } catch (error) {
        if (!(error instanceof GdbError)) throw error;
        client.say(`setupCommands: "${command}" failed: ${error.message}`);
        break;
      }
    }
  }
  return job;
}

/** What the ranks get: this process' own environment, and what the user adds to it or removes. */
function environmentOf(given: LaunchArguments['env']): NodeJS.ProcessEnv {
  const all = { ...process.env, ...given };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value ?? undefined]));
}

/** Says which programs were compiled without -g, or stripped: nothing can be seen in them. */
async function warnOfMissingSymbols(job: Job, { programs }: LaunchArguments, client: Client): Promise<void> {
  let first = 0;
  const told = new Set<string>();
  for (const { program, ranks } of programs) {
    const thread = job.ranks[first]?.threads[0];
    first += ranks;
    if (thread === undefined || told.has(program) || !(await isElfFile(program))) continue;
    told.add(program);
    if (!(await knowsLinesOfMain(thread))) {
      client.say(
        `warning: ${program} has no debug information, so its lines and variables are unknown: compile with -g`,
      );
    }
  }
}

/** Not a script, of which the debugger sees what runs it. */
async function isElfFile(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString('latin1') === '\x7fELF';
  } finally {
    await file.close();
  }
}
