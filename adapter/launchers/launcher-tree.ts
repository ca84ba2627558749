/** The ranks of a running launcher on this host, found by its process tree and the environment of the processes. */
import { readdir, readFile } from 'node:fs/promises';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { parseMaps } from '../hosts/process-maps';
import { processEnvironment, processInfo, userName, type ProcessInfo } from '../hosts/process-info';
import { rankOf } from './rank-of-environment';
import { firstMissing, rankSetHas, rankSetOf, RankSetError, type RankSet } from '../job/rank-set';
import { StartError } from '../job/start-error';

const wrappers = /^(sh|bash|dash|zsh|csh|tcsh|ksh|env|nice|time|numactl|taskset|perl|gdb|gdbserver|xterm)$/;

/**
 * The pids of all ranks below `launcher` (mpirun, mpiexec, or a shell around one), ascending by rank. Rejects with
 * StartError when there are none.
 */
export async function ranksOfLauncher(launcher: number, mpis: KnownMpis = shippedMpis): Promise<number[]> {
  const root = await processInfo(launcher);
  if (root === undefined) throw new StartError(`there is no process ${launcher} on this host`);
  const candidates = new Map<string, Candidate[]>();
  for (const info of await descendants(launcher)) {
    // A launcher that runs inside another's job has the environment of a rank.
    if (mpis.startsRanks(info.name)) continue;
    const environment = await processEnvironment(info.pid);
    const { number, world } = rankOf(environment, mpis);
    if (number === null) continue;
    const key = `${world ?? ''} ${number}`;
    candidates.set(key, [...(candidates.get(key) ?? []), { info, number }]);
  }
  const ranks = await Promise.all([...candidates.values()].map((each) => rankAmong(each, mpis)));
  if (ranks.length === 0) throw new StartError(await whyNone(root));
  return ranks.sort((a, b) => a.number - b.number || a.info.pid - b.info.pid).map(({ info }) => info.pid);
}

/** Those of the processes that are ranks of the set. Rejects with RankSetError for a rank that none of them is. */
export async function pidsOfRanks(pids: readonly number[], set: RankSet, mpis: KnownMpis): Promise<number[]> {
  const numbers = await Promise.all(pids.map(async (pid) => rankOf(await processEnvironment(pid), mpis).number));
  const missing = firstMissing(set, rankSetOf(numbers.flatMap((number) => number ?? [])));
  if (missing !== undefined) throw new RankSetError(`rank ${missing} is not among the ranks that are found`);
  return pids.filter((_, index) => rankSetHas(set, numbers[index] ?? -1));
}

interface Candidate {
  info: ProcessInfo;
  number: number;
}

/**
 * Several processes have the environment of one rank: scripts around it, and what the rank itself started. The rank is
 * the outermost one with an MPI library, or, where none shows one (linked statically), the outermost that is no script.
 */
async function rankAmong(outermostFirst: readonly Candidate[], mpis: KnownMpis): Promise<Candidate> {
  for (const candidate of outermostFirst) {
    const maps = await readFile(`/proc/${candidate.info.pid}/maps`, 'utf8').catch(() => '');
    if (parseMaps(maps).some(({ path }) => mpis.isMpi(path))) return candidate;
  }
  const [outermost] = outermostFirst;
  const program = outermostFirst.find(({ info }) => !wrappers.test(info.name)) ?? outermost;
  if (program === undefined) throw new Error('a rank without a process');
  return program;
}

async function whyNone(root: ProcessInfo): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0 && uid !== root.uid) {
    return `process ${root.pid} (${root.name}) belongs to the user ${await userName(root.uid)}: run mpidbg as that user or as root`;
  }
  return `process ${root.pid} (${root.name}) has no MPI ranks below it on this host: give the pid of mpirun or mpiexec, or the ranks' own pids`;
}

/** Parents before their children. */
async function descendants(root: number): Promise<ProcessInfo[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const infos = (await Promise.all(pids.map(processInfo))).filter((info) => info !== undefined);
  const children = new Map<number, ProcessInfo[]>();
  for (const info of infos) children.set(info.parent, [...(children.get(info.parent) ?? []), info]);
  const found = [...(children.get(root) ?? [])];
  for (const info of found) found.push(...(children.get(info.pid) ?? []));
  return found;
}
