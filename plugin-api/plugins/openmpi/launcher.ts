/** Open MPI's launchers: orterun until 4.x; since 5.0 prterun, or an mpirun that is one inside. */
import type { LauncherFacts } from '../../mpi/facts';

const withTwoValues = /^--?(o?mca|gmca|prtemca|gprtemca|pmixmca|gpmixmca)$/;
const withValue = new RegExp(
  '^(-(n|np|c|N|H|x|wd|rf|am|s)|--?(n|np|host|hostfile|machinefile|default-hostfile|rankfile|map-by|rank-by|bind-to|wdir|path|' +
    'prefix|app|tune|timeout|stdin|output|output-filename|cpu-set|cpu-list|slot-list|npernode|npersocket|report-uri|report-pid|' +
    'personality|xterm|launch-agent|display|runtime-options|forward-signals|server-wait-time|ompi-server|preload-files))$',
);

const common = {
  names: ['mpirun.openmpi', 'mpiexec.openmpi', 'mpirun', 'mpiexec'],
  package: 'openmpi-bin',
  rootEnvironment: { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' },
  options({ ranks, userArgs, cores }) {
    const placed = userArgs.some((arg) => /^--?(oversubscribe|map-by|hostfile|machinefile|host|H)$/.test(arg));
    // It places ranks on cores, not on hardware threads.
    return !placed && ranks > cores ? ['--oversubscribe'] : [];
  },
  // Each program has its own, and none from the program before it.
  forward: (names) => names.flatMap((name) => ['-x', name]),
  valuesBehind: (option) => (withTwoValues.test(option) ? 2 : withValue.test(option) ? 1 : 0),
  hosts: {
    lists: /^--?(host|H)$/,
    files: /^--?(hostfile|machinefile|default-hostfile|rankfile|rf)$/,
    variables: ['OMPI_MCA_orte_default_hostfile', 'PRTE_MCA_prte_default_hostfile'],
  },
  onePerHost: (args, hosts) => [
    // How it reaches them, and over which networks.
    ...args.flatMap((arg, at) => (/^--?(omca|mca|prtemca|pmixmca)$/.test(arg) ? args.slice(at, at + 3) : [])),
    ...['--host', hosts.join(), '--map-by', 'ppr:1:node', '-n', String(hosts.length)],
  ],
} satisfies LauncherFacts;

const orterun: LauncherFacts = {
  ...common,
  names: [...common.names, 'orterun'],
  daemons: ['orted'],
  file: /^orterun/,
  needs: /^libopen-rte\.so/,
  texts: ['orterun'],
  version: /\((Open MPI|OpenRTE)\) [1-4]\./,
  outputTag: {
    options: ['--tag-output'],
    markOrEnd: /\n|\[(?<world>\d+),(?<rank>\d+)\]<(?:stdout|stderr|stddiag)>:/g,
    beginning: /\[\d*(?:,\d*(?:\](?:<[a-z]*>?)?)?)?$/,
    // The number of a job is that of its launcher and, in the lower half, its own.
    worlds: { own: '1', numberOf: (key) => (/^\d+$/.test(key) ? String(Number(key) % 65536) : undefined) },
  },
};

const prterun: LauncherFacts = {
  ...common,
  names: [...common.names, 'prterun'],
  daemons: ['prte', 'prted'],
  file: /^prte(run)?$/,
  needs: /^libprrte\.so/,
  texts: ['prterun'],
  version: /\((Open MPI|PRRTE)\)/,
  // As orterun's, with a blank behind it that is not the rank's.
  outputTag: {
    options: ['--tag-output'],
    markOrEnd: /\n|\[(?<world>\d+),(?<rank>\d+)\]<(?:stdout|stderr|stddiag)>: /g,
    beginning: /\[\d*(?:,\d*(?:\](?:<[a-z]*(?:>:?)?)?)?)?$/,
    worlds: { own: '1', numberOf: (key) => /@(\d+)$/.exec(key)?.[1] },
  },
};

export const launchers: readonly LauncherFacts[] = [orterun, prterun];
