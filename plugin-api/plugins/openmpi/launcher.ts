/** Open MPI's launcher: orterun until 4.x, prterun behind mpirun since 5.0. */
import type { LauncherFacts } from '../../mpi/facts';

export const launcher: LauncherFacts = {
  names: ['mpirun.openmpi', 'mpiexec.openmpi', 'mpirun', 'mpiexec', 'orterun', 'prterun'],
  daemons: ['orted', 'prte', 'prted'],
  package: 'openmpi-bin',
  file: /^(orterun|prterun|mpirun\.openmpi)/,
  needs: /^lib(open-rte|open-pal|prrte)\.so/,
  texts: ['prterun', 'orterun'],
  version: /Open MPI|OpenRTE|PRTE/i,
  rootEnvironment: { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' },
  options({ ranks, userArgs, cores }) {
    const placed = userArgs.some((arg) => /^--?(oversubscribe|map-by|hostfile|machinefile|host|H)$/.test(arg));
    // Cores, not their hardware threads, are its places for ranks.
    const more = !placed && ranks > cores ? ['--oversubscribe'] : [];
    return ['--tag-output', ...more];
  },
  // Each program has its own, and none of the program before it.
  forward: (names) => names.flatMap((name) => ['-x', name]),
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
  outputTag: {
    markOrEnd: /\n|\[\d+,(\d+)\]<(?:stdout|stderr|stddiag)>:/g,
    beginning: /\[\d*(?:,\d*(?:\](?:<[a-z]*>?)?)?)?$/,
  },
};
