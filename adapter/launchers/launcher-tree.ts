/** The ranks of a running launcher on its host, found by its process tree and the environment of the processes. */
import { groupedBy } from '../../plugin-api/grouped-by';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { unlessShort } from '../elf/shortage-error';
import type { Host } from '../hosts/host';
import { HostProcess, processesOf, type ProcessStatus } from '../hosts/host-process';
import { onlyRoot } from '../hosts/ptrace-refusal';
import { userName } from '../hosts/users';
import { rankOf } from './rank-of-environment';
import { StartError } from '../job/start-error';

const wrappers = /^(sh|bash|dash|zsh|csh|tcsh|ksh|env|nice|time|numactl|taskset|perl|gdb|gdbserver|xterm)$/;

/**
 * The pids of all ranks below `launcher` (mpirun, mpiexec, or a shell around one), ascending by rank. Rejects with
 * StartError when there are none: with NoRanksError where it seems that none have been started.
 */
export async function ranksOfLauncher(host: Host, launcher: number, mpis: KnownMpis = shippedMpis): Promise<number[]> {
  const root = await new HostProcess(host, launcher).status();
  if (root === undefined)
    throw new StartError(`there is no process ${launcher} on this host: give the PID of a launcher that runs here`);
  const candidates = new Map<string, Candidate[]>();
  const unreadable: ProcessStatus[] = [];
  for (const info of await descendants(host, launcher)) {
    // A launcher that runs inside another's job has the environment of a rank.
    if (mpis.startsRanks(info.name)) continue;
    const process = new HostProcess(host, info.pid);
    if (await process.isForbidden()) unreadable.push(info);
    const { number, world } = rankOf(await process.environment(), mpis);
    if (number === null) continue;
    const key = `${world ?? ''} ${number}`;
    candidates.set(key, [...(candidates.get(key) ?? []), { process, info, number }]);
  }
  const ranks = await Promise.all([...candidates.values()].map((each) => rankAmong(each, mpis)));
  if (ranks.length === 0) throw await whyNone(host, root, unreadable);
  return ranks.sort((a, b) => a.number - b.number || a.info.pid - b.info.pid).map(({ info }) => info.pid);
}

interface Candidate {
  process: HostProcess;
  info: ProcessStatus;
  number: number;
}

/**
 * Several processes have the environment of one rank: scripts around it, and what the rank itself started. The rank is
 * the outermost one with an MPI library, or, if none shows one (linked statically), the outermost that is not a script.
 */
async function rankAmong(outermostFirst: readonly Candidate[], mpis: KnownMpis): Promise<Candidate> {
  for (const candidate of outermostFirst) {
    const maps = await candidate.process.maps().catch(unlessShort([]));
    if (maps.some(({ path }) => mpis.isMpi(path))) return candidate;
  }
  const [outermost] = outermostFirst;
  const program = outermostFirst.find(({ info }) => !wrappers.test(info.name)) ?? outermost;
  if (program === undefined) throw new Error('a rank without a process');
  return program;
}

export class NoRanksError extends StartError {
  constructor({ pid, name }: ProcessStatus) {
    super(
      `process ${pid} (${name}) has no MPI ranks below it on this host: give the pid of mpirun or mpiexec, or the ranks' own pids`,
    );
    this.name = 'NoRanksError';
  }
}

async function whyNone(host: Host, root: ProcessStatus, unreadable: readonly ProcessStatus[]): Promise<StartError> {
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0 && uid !== root.uid) {
    const owner = await userName(host, root.uid);
    return new StartError(
      `process ${root.pid} (${root.name}) belongs to the user ${owner}: run mpidbg as that user or as root`,
    );
  }
  const [first] = unreadable;
  if (first !== undefined) {
    const all = unreadable.length === 1 ? `process ${first.pid} (${first.name})` : `${unreadable.length} processes`;
    return new StartError(
      `the kernel does not let ${all} below process ${root.pid} (${root.name}) be read, so that mpidbg cannot tell which are` +
        ` ranks: ${onlyRoot}`,
    );
  }
  return new NoRanksError(root);
}

/** All processes below one; parents before their children. */
export async function descendants(host: Host, root: number): Promise<ProcessStatus[]> {
  const all = await processesOf(host);
  const infos = (await Promise.all(all.map((process) => process.status()))).filter((info) => info !== undefined);
  const children = groupedBy(infos, ({ parent }) => parent);
  const found = [...(children.get(root) ?? [])];
  for (const info of found) for (const child of children.get(info.pid) ?? []) found.push(child);
  return found;
}
