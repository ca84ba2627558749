/** The other hosts of a launch, which it names or a batch system chooses, and where on this machine they can reach us. */
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { HostArguments } from '../../plugin-api/mpi/facts';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { DoorPlace } from '../agent/door';
import { addressTowards, networkAddresses } from '../hosts/own-addresses';
import { nodesOfAllocation, openPorts } from './batch/batch-steps';
import type { Launcher } from './launcher';

export interface LaunchPlace {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Where agents on the other hosts can reach us. Rejects as addressesForOthers does. */
export async function doorForOthers(
  launcher: Launcher,
  userArgs: readonly string[],
  place: LaunchPlace,
  mpis: KnownMpis,
): Promise<DoorPlace> {
  const addresses = await addressesForOthers(launcher, userArgs, place, mpis);
  const system = mpis.batchSystems.find(
    ({ jobVariable, starters }) => place.env[jobVariable] !== undefined || starters.includes(basename(launcher.path)),
  );
  if (addresses.length === 0 || system === undefined) return { addresses };
  return { addresses, ports: await openPorts(system, place.env) };
}

/**
 * Addresses of this machine, one for each way to them; none where all ranks are here. Where the way to one cannot be told, all that the
 * network knows. Rejects with StartError where a batch system does not answer.
 */
export async function addressesForOthers(
  launcher: Launcher,
  userArgs: readonly string[],
  place: LaunchPlace,
  mpis: KnownMpis,
): Promise<string[]> {
  const names = await otherHosts(launcher, userArgs, place, mpis);
  if (names === undefined) return networkAddresses();
  const found = await Promise.all([...names].map((name) => addressTowards(name).catch(() => 'unknown' as const)));
  if (found.includes('unknown')) return networkAddresses();
  return [...new Set(found.filter((address) => address !== undefined))];
}

/** False: nothing in this command or environment names a host, for no launcher that is known. */
export function mayNameHosts(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { launchers, batchSystems }: KnownMpis,
): boolean {
  const isOfBatch = batchSystems.some(
    ({ allocation, starters }) =>
      (allocation !== undefined && env[allocation.variable] !== undefined) || starters.includes(basename(command)),
  );
  if (isOfBatch) return true;
  return launchers.some(({ facts: { hosts } }) => {
    if (hosts === undefined) return false;
    const isSet = hosts.variables?.some((name) => env[name] !== undefined) ?? false;
    return isSet || args.some((arg) => hosts.lists.test(arg) || hosts.files.test(arg));
  });
}

/** undefined: a batch system will choose them. */
async function otherHosts(
  { path, facts }: Launcher,
  userArgs: readonly string[],
  { cwd, env }: LaunchPlace,
  { batchSystems }: KnownMpis,
): Promise<Iterable<string> | undefined> {
  const named = facts?.hosts === undefined ? new Set<string>() : await namedHosts(facts.hosts, userArgs, cwd, env);
  if (named.size > 0) return named;
  for (const system of batchSystems) {
    const nodes = await nodesOfAllocation(system, env);
    if (nodes !== undefined) return nodes;
    if (system.starters.includes(basename(path))) return undefined;
  }
  return named;
}

/** As the user wrote them. A file that cannot be read names none: the launcher will complain. */
export async function namedHosts(
  { lists, files, variables = [] }: HostArguments,
  userArgs: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Set<string>> {
  const behind = (option: RegExp): string[] =>
    userArgs.flatMap((arg, at) => (option.test(arg) ? (userArgs[at + 1] ?? []) : []));
  const fileNames = [...behind(files), ...variables.flatMap((name) => env[name] ?? [])];
  const texts = await Promise.all(fileNames.map((name) => readFile(resolve(cwd, name), 'utf8').catch(() => '')));
  const ofFiles = texts.flatMap((text) => text.split('\n')).map((line) => hostOfLine(line));
  const ofLists = behind(lists).flatMap((list) => list.split(','));
  return new Set([...ofLists, ...ofFiles].map((each) => each.replace(/:.*$/, '')).filter((name) => name !== ''));
}

/** "node1 slots=4", "node1:4", "rank 0=node1 slot=0". */
function hostOfLine(line: string): string {
  const text = line.replace(/#.*$/, '').trim();
  return (/^rank\s+\d+\s*=\s*(\S+)/.exec(text)?.[1] ?? /^\S*/.exec(text)?.[0] ?? '').replace(/^\+n\d+$/, '');
}
