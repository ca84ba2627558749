/** A debug configuration as VS Code hands it over, after it has replaced the variables. */
export interface Configuration {
  type: string;
  request: string;
  name: string;
  [attribute: string]: unknown;
}

/**
 * The numbers that variables (`${input:ranks}`, `${command:pickLauncher}`) have put in as text, as numbers; anything
 * else stays as the user wrote it, for the adapter to judge.
 */
export function withNumbers<C extends Configuration>(configuration: C): C {
  const { ranks, launcherPid, pids, programs } = configuration;
  return {
    ...configuration,
    ...(ranks !== undefined && { ranks: asNumber(ranks) }),
    ...(launcherPid !== undefined && { launcherPid: asNumber(launcherPid) }),
    ...(Array.isArray(pids) && { pids: pids.map(asNumber) }),
    ...(Array.isArray(programs) && {
      programs: (programs as { ranks?: unknown }[]).map((part) =>
        part?.ranks === undefined ? part : { ...part, ranks: asNumber(part.ranks) },
      ),
    }),
  };
}

/** What the user has to add before the configuration says what to debug, or undefined. */
export function missingTarget(configuration: Configuration): string | undefined {
  const { name, request, program, programs, launcherPid, pids, cores } = configuration;
  if (request === 'launch') {
    if (isGiven(program) || isList(programs)) return undefined;
    return `The configuration "${name}" names no program. Set "program" to your compiled MPI program in launch.json.`;
  }
  if (request === 'attach') {
    if (isGiven(launcherPid) || isList(pids) || isList(cores)) return undefined;
    return `The configuration "${name}" does not say what to attach to. Set "launcherPid", "pids" or "cores" in launch.json.`;
  }
  return `The configuration "${name}" has "request": "${request}" in launch.json; it can be "launch" or "attach".`;
}

function asNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
}

const isGiven = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null;
const isList = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
