/** MPICH's launcher, hydra. Intel MPI and MVAPICH have their own editions of it. */
import type { AroundDaemon, LauncherFacts } from '../../mpi/facts';
import type { WorldOrigin } from '../../mpi/worlds';

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
    options: ['-prepend-pattern', '[mpidbg:%g:%r]'],
    markOrEnd: /\n|\[mpidbg:(?<world>\d+):(?<rank>\d+)\]/g,
    beginning: /\[(?:m|mp|mpi|mpid|mpidb|mpidbg(?::\d*(?::\d*)?)?)?$/,
    // Keys end with the number of the process group (worldOfProxy).
    worlds: { own: '0', numberOf: (key) => / (\d+)$/.exec(key)?.[1] },
  },
};

/** The name of a process group: the pid of mpiexec, the number of the group, a random number and the host. */
export const nameOfGroup = /^kvs_(\d+)_(\d+)_-?\d+_([\w.-]+)/;

export function launcherAndNumber(name: string): { launcher: string; number: number } | undefined {
  const [, pid, number, host] = nameOfGroup.exec(name) ?? [];
  return number === undefined ? undefined : { launcher: `${pid} ${host}`, number: Number(number) };
}

/**
 * The first process group is mpiexec's own world, the others were spawned; by which group, it does not tell. Until 4.0 each host
 * has a proxy for each group, and mpiexec a port for each; later ones have one for all of mpiexec.
 */
function worldOfProxy(
  args: readonly string[],
  { nameInHeap, besides = [] }: AroundDaemon = {},
): WorldOrigin | undefined {
  const proxy = portAndGroup(args);
  if (proxy === undefined) return undefined;
  const group = nameInHeap === undefined ? proxy.group : String(launcherAndNumber(nameInHeap)?.number);
  if (group === '0') return { key: `${proxy.port} 0`, parent: undefined };
  const first = proxy.group === '0' ? proxy : besides.map(portAndGroup).find((other) => other?.group === '0');
  return { key: `${proxy.port} ${group}`, parent: first === undefined ? `above ${proxy.port}` : `${first.port} 0` };
}

function portAndGroup(args: readonly string[]): { port: string; group: string } | undefined {
  const [port, group] = ['--control-port', '--pgid'].map((name) =>
    args.includes(name) ? args[args.indexOf(name) + 1] : undefined,
  );
  return port === undefined || group === undefined ? undefined : { port, group };
}

export const launchers: readonly LauncherFacts[] = [hydra];
