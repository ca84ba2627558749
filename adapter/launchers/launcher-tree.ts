/** The ranks of a running launcher on its host, found by its process tree and the environment of the processes. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { unlessShort } from '../elf/shortage-error';
import type { Host } from '../hosts/host';
import { descendants } from '../hosts/descendants';
import { HostProcess, type ProcessStatus } from '../hosts/host-process';
import { onlyRoot } from '../hosts/ptrace-refusal';
import { userName } from '../hosts/users';
import { toldOf, type ToldPlace } from './rank-places';
import { StartError } from '../job/start-error';

const wrappers = /^(sh|bash|dash|zsh|csh|tcsh|ksh|env|nice|time|numactl|taskset|perl|gdb|gdbserver|xterm)$/;

/**
 * The pids of all ranks below `launcher` (mpirun, mpiexec, or a shell around one), ascending by rank. Rejects with
 * StartError when there are none: with NoRanksError where it seems that none have been started.
 */
export async function ranksOfLauncher(host: Host, launcher: number, mpis: KnownMpis = shippedMpis): Promise<number[]> {
  return (await ranksBelow(host, launcher, mpis)).ranks;
}

/** What is below a launcher on one host. */
export interface RanksBelow {
  /** Ascending by rank: the pid of each, or of the thread through which it is reached (HostProcess.reachable). */
  ranks: number[];
  dead: DeadProcess[];
}

/** It has ended, nobody has waited for it, and it was started as ranks are. */
export interface DeadProcess extends Omit<ToldPlace, 'worldSize' | 'isUnplaced'> {
  name: string;
}

/** `members`: only these are looked at, and what has ended below them. Rejects as ranksOfLauncher does. */
export async function ranksBelow(
  host: Host,
  launcher: number,
  mpis: KnownMpis,
  members?: ReadonlySet<number>,
): Promise<RanksBelow> {
  const root = await new HostProcess(host, launcher).status();
  if (root === undefined)
    throw new StartError(`there is no process ${launcher} on this host: give the PID of a launcher that runs here`);
  const candidates = new Map<string, Candidate[]>();
  const keys = new Map<number, string>();
  const unreadable: ProcessStatus[] = [];
  const ended: ProcessStatus[] = [];
  const all = await descendants(host, launcher);
  const below = members === undefined ? all : all.filter(({ pid, parent }) => members.has(pid) || members.has(parent));
  for (const info of below) {
    // A launcher that runs inside another's job has the environment of a rank.
    if (mpis.startsRanks(info.name)) continue;
    const process = await new HostProcess(host, info.pid).reachable();
    if (process === undefined) {
      ended.push(info);
      continue;
    }
    if (await process.isForbidden()) unreadable.push(info);
    const told = await toldOf(process, mpis);
    const { number, origin } = told;
    if (number === null) continue;
    // Each rank whose world nothing names is by itself, and what it has started is below it.
    const ofUnplaced = keys.get(info.parent) ?? `process ${info.pid}`;
    const key = told.isUnplaced ? ofUnplaced : `${origin?.key ?? ''} ${number}`;
    keys.set(info.pid, key);
    candidates.set(key, [...(candidates.get(key) ?? []), { process, info, number, told }]);
  }
  const found = await Promise.all([...candidates].map(async ([key, of]) => ({ key, ...(await rankAmong(of, mpis)) })));
  const dead = ended.flatMap((info) =>
    deadRank(info, { root, below, mpis, candidates: [...candidates.values()].flat(), found }),
  );
  // What is left of them is only what was around the rank.
  const replaced = new Set(
    dead.flatMap(({ number, origin }) => (number === null ? [] : [`${origin?.key ?? ''} ${number}`])),
  );
  const ranks = found.filter(({ key }) => !replaced.has(key));
  if (ranks.length === 0 && dead.length === 0) throw await whyNone(host, root, unreadable);
  const order = ranks.sort((a, b) => a.number - b.number || a.info.pid - b.info.pid);
  return { ranks: order.map(({ process }) => process.pid), dead };
}

interface Tree {
  root: ProcessStatus;
  below: readonly ProcessStatus[];
  mpis: KnownMpis;
  candidates: readonly Candidate[];
  /** `hasMpi`: it shows an MPI library. */
  found: readonly (Candidate & { hasMpi: boolean })[];
}

/**
 * The kernel keeps nothing of an ended process but its parent: that is what started it as a rank, a launcher or a script around it,
 * or it was no rank.
 */
function deadRank({ pid, parent, name }: ProcessStatus, { root, below, mpis, candidates, found }: Tree): DeadProcess[] {
  const above = candidates.find(({ info }) => info.pid === parent);
  if (above !== undefined) {
    const { number, origin } = above.told;
    const rank = found.find(({ told }) => told.number === number && told.origin?.key === origin?.key);
    return rank?.hasMpi === true ? [] : [{ pid, name, number, origin }];
  }
  const starter = parent === root.pid ? root : below.find((each) => each.pid === parent);
  if (starter === undefined || !mpis.startsRanks(starter.name)) return [];
  return [{ pid, name, number: null, origin: undefined }];
}

interface Candidate {
  process: HostProcess;
  info: ProcessStatus;
  number: number;
  told: ToldPlace;
}

/**
 * Several processes have the environment of one rank: scripts around it, and what the rank itself started. The rank is
 * the outermost one with an MPI library, or, if none shows one (linked statically), the outermost that is not a script.
 */
async function rankAmong(
  outermostFirst: readonly Candidate[],
  mpis: KnownMpis,
): Promise<Candidate & { hasMpi: boolean }> {
  for (const candidate of outermostFirst) {
    const maps = await candidate.process.maps().catch(unlessShort([]));
    if (maps.some(({ path }) => mpis.isMpi(path))) return { ...candidate, hasMpi: true };
  }
  const [outermost] = outermostFirst;
  const program = outermostFirst.find(({ info }) => !wrappers.test(info.name)) ?? outermost;
  if (program === undefined) throw new Error('a rank without a process');
  return { ...program, hasMpi: false };
}

/** It may be that none have been started yet. */
export class NoRanksError extends StartError {
  constructor(sentence: string) {
    super(sentence);
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
  return new NoRanksError(
    `process ${root.pid} (${root.name}) has no MPI ranks below it on this host: give the pid of mpirun or mpiexec, or the ranks' own pids`,
  );
}
