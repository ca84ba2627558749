/** The other hosts that a launch names, and where on this machine they can reach us. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { HostArguments } from '../../plugin-api/mpi/facts';
import { addressTowards, networkAddresses } from '../hosts/own-addresses';
import type { Launcher } from './launcher';

/**
 * Addresses of this machine, one for each way to them; none where no other host is named. Where the way to one cannot be
 * told, all that the network knows.
 */
export async function addressesForOthers(
  { facts }: Launcher,
  userArgs: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  if (facts?.hosts === undefined) return [];
  const names = await namedHosts(facts.hosts, userArgs, cwd, env);
  const found = await Promise.all([...names].map((name) => addressTowards(name).catch(() => 'unknown' as const)));
  if (found.includes('unknown')) return networkAddresses();
  return [...new Set(found.filter((address) => address !== undefined))];
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
