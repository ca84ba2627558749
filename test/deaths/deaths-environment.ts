import { deathsLibrary, deathsVariables, preloading, type DeathsOptions } from '../../adapter/collector/preload';

/** As `mpidbg run` gives it to ranks of its own host. */
export function deathsEnvironment(options: DeathsOptions, before: NodeJS.ProcessEnv): Record<string, string> {
  return { ...preloading([deathsLibrary()], before), ...deathsVariables(options, before) };
}
