/** What a launcher is started with: its command line and its environment. */
import { keptVariable } from '../hosts/own-environment';
import { forwardOptions, type Launcher } from '../launchers/launcher';
import type { LaunchOptions } from '../launchers/launch-options';

/** The environment of this process with the user's variables; null takes one away. */
export function environmentOf({ env = {} }: LaunchOptions): NodeJS.ProcessEnv {
  const result = new Map(Object.entries(process.env));
  for (const [name, value] of Object.entries(env)) {
    if (value === null) result.delete(name);
    else result.set(name, value);
  }
  return Object.fromEntries(result);
}

/**
 * The launcher's command line. `before`: what each rank's program is started by; `variables`: the names of variables for ranks on
 * other hosts.
 */
export function launchCommand(
  launcher: Launcher,
  { programs, launcherArgs: userArgs = [] }: LaunchOptions,
  options: readonly string[],
  before: readonly string[] = [],
  variables: readonly string[] = [],
): string[] {
  const forward = forwardOptions(launcher, variables);
  const parts = programs.map(({ program, args, ranks }) => [
    ...[...forward, '-n', String(ranks), ...before, program],
    ...args,
  ]);
  return [launcher.command, ...options, ...userArgs, ...parts.flatMap((part, i) => (i > 0 ? [':', ...part] : part))];
}

/** The command line as a user would type it: without our agents, variables and marks of the output. */
export function commandAsTyped(launcher: Launcher, launch: LaunchOptions, options: readonly string[]): string {
  return launchCommand(launcher, launch, options)
    .map((word) => shellQuoted(fromFolder(word, launch)))
    .join(' ');
}

/** The names of the variables of the user that ranks on other hosts do not inherit from the launcher. */
export function variablesOfUser({ env = {} }: LaunchOptions): string[] {
  return Object.entries(env).flatMap(([name, value]) => (value === null ? [] : name));
}

/** The variables by which what MPI_Comm_spawn starts, which has the launcher's environment, loads these libraries. */
export function preloadOfSpawned(preload: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  if (preload.length === 0) return {};
  const ofUser = env.LD_PRELOAD ?? '';
  return keptVariable('LD_PRELOAD', [...preload, ...(ofUser === '' ? [] : [ofUser])].join(':'));
}

/** Words that a shell takes apart are quoted, so that the line can be tried in a terminal. */
function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}

/** A program below the folder that the job starts in, as one types it there: "./ripple". */
function fromFolder(word: string, { programs, cwd }: Pick<LaunchOptions, 'programs' | 'cwd'>): string {
  const isProgram = cwd !== undefined && programs.some(({ program }) => program === word);
  return isProgram && word.startsWith(`${cwd}/`) ? `.${word.slice(cwd.length)}` : word;
}
