/** From launch.json's attributes to a job that is ready for breakpoints. */
import { GdbError } from '../gdb/mi-connection';
import { attach } from '../job-sources/attach';
import { chooseLauncher } from '../job-sources/choose-launcher';
import { launch } from '../job-sources/launch';
import { ranksOfLauncher } from '../job-sources/launcher-tree';
import type { Job } from '../job/job';
import type { Client } from './connection';
import { notAvailableYet } from './errors';
import type { AttachArguments, LaunchArguments, SharedArguments } from './launch-arguments';

/** Every rank is held before its first instruction. Rejects with StartError; aborted: nothing is left running. */
export async function launchJob(args: LaunchArguments, client: Client, signal: AbortSignal): Promise<Job> {
  const { launcher, warnings } = chooseLauncher({
    programs: args.programs.map(({ program }) => program),
    launcher: args.launcher,
    cwd: args.cwd,
    env: environmentOf(args.env),
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
    gdb: args.gdb,
    signal,
    onOutput: (text, stream) => {
      client.send('output', { category: isCommandLine ? 'console' : stream, output: text });
      isCommandLine = false;
    },
  });
  return prepared(job, args, client);
}

/** Every rank is stopped. Rejects with StartError; aborted: every process is as it was. */
export async function attachJob(args: AttachArguments, client: Client, signal: AbortSignal): Promise<Job> {
  if ('cores' in args.target) throw notAvailableYet('looking at core files');
  const pids = 'pids' in args.target ? args.target.pids : await ranksOfLauncher(args.target.launcherPid);
  return prepared(await attach({ pids, gdb: args.gdb, signal }), args, client);
}

async function prepared(job: Job, { setupCommands, collector }: SharedArguments, client: Client): Promise<Job> {
  if (collector) client.say('the collector is not available in this version of mpidbg yet: nothing is collected');
  for (const command of setupCommands) {
    for (const gdb of job.gdbs) {
      try {
        await gdb.console(command);
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
