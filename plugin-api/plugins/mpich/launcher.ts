/** MPICH's launcher, hydra. Intel MPI and MVAPICH have their own editions of it. */
import type { LauncherFacts } from '../../mpi/facts';

const withTwoValues = /^--?g?env$/;
const withValue = new RegExp(
  '^--?(n|np|hosts?|f|hostfile|machinefile|wdir|gwdir|launcher|bootstrap|launcher-exec|bootstrap-exec|rmk|bind-to|map-by|membind|' +
    'topolib|g?envlist|iface|ppn|perhost|prepend-pattern|outfile-pattern|errfile-pattern|nameserver|usize|order-nodes|configfile|' +
    'localhost|gpath|path|arch|soft|file|demux|port-range|pmi-port|timeout)$',
);

const hydra: LauncherFacts = {
  names: ['mpiexec.hydra', 'mpiexec.mpich', 'mpirun.mpich', 'mpiexec', 'mpirun'],
  daemons: ['hydra_pmi_proxy'],
  worldOf: worldOfProxy,
  package: 'mpich',
  file: /^mpiexec\.hydra/,
  texts: ['HYDRA_', 'mpiexec.hydra'],
  version: /HYDRA|MPICH|Intel\(R\) MPI|MVAPICH/i,
  valuesBehind: (option) => (withTwoValues.test(option) ? 2 : withValue.test(option) ? 1 : 0),
  hosts: { lists: /^--?hosts?$/, files: /^--?(f|hostfile|machinefile)$/, variables: ['HYDRA_HOST_FILE'] },
  onePerHost: (args, hosts) => [
    // How it reaches them, and over which network.
    ...args.flatMap((arg, at) => (/^--?((launcher|bootstrap)(-exec)?|iface)$/.test(arg) ? args.slice(at, at + 2) : [])),
    ...['-hosts', hosts.map((host) => `${host}:1`).join(), '-n', String(hosts.length)],
  ],
  outputTag: {
    // Not -prepend-rank: its mark also appears inside lines, where it may be the program's own text.
    options: ['-prepend-pattern', '[mpidbg:%r]'],
    markOrEnd: /\n|\[mpidbg:(\d+)\]/g,
    beginning: /\[(?:m|mp|mpi|mpid|mpidb|mpidbg(?::\d*)?)?$/,
  },
};

/**
 * Each host has one for each process group of its mpiexec. The first group is mpiexec's own world, the others were spawned; by
 * which group, it does not tell.
 */
function worldOfProxy(args: readonly string[]): { key: string; parent: string | undefined } | undefined {
  const [mpiexec, group] = ['--control-port', '--pgid'].map((name) => args[args.indexOf(name) + 1]);
  if (!args.includes('--control-port') || !args.includes('--pgid')) return undefined;
  return { key: `${mpiexec} ${group}`, parent: group === '0' ? undefined : `${mpiexec} 0` };
}

export const launchers: readonly LauncherFacts[] = [hydra];
