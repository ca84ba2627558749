/** How the collector gets into the ranks: a library that the launcher and all that it starts load first. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FloatKind } from '../../plugin-api/deaths/death';
import { stopsVariable } from '../../plugin-api/deaths/stop-record';
import { shippedFolder } from '../hosts/shipped-folder';
import { StartError } from '../job/start-error';
import { openmpRuntime } from './openmp-runtime';
import { buildForThisMachine, loads } from './own-build';

/** What the collector can collect. */
export const collectable = ['pvars', 'events', 'ompt', 'calls'] as const;
export type Collect = readonly (typeof collectable)[number][];

/**
 * pvars, events: globs over the names of those that are collected; undefined: all. period: milliseconds; undefined: the default. libomp: the
 * OpenMP runtime that programs get instead of GCC's, which has no OMPT: a path, or a name that the loader finds. keepFreed: objects that the
 * program frees stay until MPI_Finalize; needs calls. watchNan: so many bytes of each buffer are looked at for NaN; needs calls.
 */
export interface CollectorOptions {
  collect: Collect;
  pvars?: readonly string[];
  events?: readonly string[];
  period?: number;
  libomp?: string;
  keepFreed?: boolean;
  watchNan?: number;
}

/** Variables for a launcher's environment: all processes that it starts load the collector. Throws StartError if the collector is missing. */
export function collectorEnvironment(options: CollectorOptions, before: NodeJS.ProcessEnv): Record<string, string> {
  return { ...preloading(collectorLibraries(options), before), ...collectorVariables(options) };
}

/** The variable that has these libraries loaded before all that is preloaded already. */
export function preloading(
  libraries: readonly string[],
  { LD_PRELOAD: others = '' }: NodeJS.ProcessEnv,
): Record<string, string> {
  return { LD_PRELOAD: [...libraries, ...(others === '' ? [] : [others])].join(':') };
}

/** The libraries to preload into ranks, in order: paths, or names that the loader finds. Throws StartError if one is missing. */
export function collectorLibraries({ collect, libomp }: CollectorOptions): string[] {
  // The wrappers come first: they go on to the functions of the collector, and so does the tool of OpenMP.
  const libraries: Library[] = [
    ...(collect.includes('ompt') ? ['mpidbg-ompt.so' as const] : []),
    ...(collect.includes('calls') ? ['mpidbg-calls.so' as const] : []),
    'mpidbg-collector.so',
  ];
  return [...libraries.map(preloaded), ...(libomp === undefined ? [] : [openmpRuntime(libomp)])];
}

/** Variables that tell the collector what to collect. */
export function collectorVariables({
  collect,
  pvars,
  events,
  period,
  keepFreed,
  watchNan,
}: CollectorOptions): Record<string, string> {
  return {
    MPIDBG_COLLECT: collect.join(','),
    ...(pvars === undefined ? {} : { MPIDBG_COLLECT_PVARS: pvars.join(',') }),
    ...(events === undefined ? {} : { MPIDBG_COLLECT_EVENTS: events.join(',') }),
    ...(period === undefined ? {} : { MPIDBG_COLLECT_PERIOD: String(period) }),
    ...(keepFreed === true ? { MPIDBG_KEEP_FREED: '1' } : {}),
    ...(watchNan === undefined ? {} : { MPIDBG_WATCH_NAN: String(watchNan) }),
  };
}

/**
 * socket: a Unix socket on each host of ranks, at most 107 bytes, @ for the first one of a name of the abstract namespace. seconds: how long a dying rank waits there at most. trapFloats: operations that
 * end a rank, or of which the first of each kind is told and the rank goes on (floatsGoOn).
 */
export interface DeathsOptions {
  socket: string;
  seconds: number;
  trapFloats?: readonly FloatKind[];
  floatsGoOn?: boolean;
  /** Ranks ask where they are to wait for a debugger. */
  stops?: boolean;
}

/** The library to preload before all others. Throws StartError if it is missing. */
export function deathsLibrary(): string {
  return preloaded('mpidbg-deaths.so');
}

/**
 * Variables for a launcher's environment, beside the library, which comes before all that is preloaded already: a rank that is about to die
 * sends `struct mpidbg_death` (collector/deaths/record.h) to the socket, and waits until it is sent a byte or the connection ends.
 */
export function deathsVariables(
  { socket, seconds, trapFloats = [], floatsGoOn = false, stops = false }: DeathsOptions,
  { ASAN_OPTIONS: asan = '' }: NodeJS.ProcessEnv,
): Record<string, string> {
  return {
    MPIDBG_DEATHS: socket,
    MPIDBG_DEATHS_WAIT: String(seconds),
    ...(trapFloats.length === 0
      ? {}
      : { MPIDBG_TRAP_FP: [...trapFloats, ...(floatsGoOn ? ['goes-on'] : [])].join(',') }),
    ...(stops ? { [stopsVariable]: '1' } : {}),
    // A program with AddressSanitizer refuses to start with another library before its own.
    ASAN_OPTIONS: `${asan === '' ? '' : `${asan}:`}verify_asan_link_order=0`,
  };
}

/** As scripts/build-collector.mjs builds them. */
const buildables = {
  'mpidbg-collector.so': { sources: 'collector/native', optimized: '-O2' },
  'mpidbg-ompt.so': { sources: 'collector/ompt', optimized: '-O2' },
  'mpidbg-calls.so': { sources: 'collector/calls', optimized: '-O1' },
  'mpidbg-deaths.so': {
    sources: 'collector/deaths',
    optimized: '-O2',
    shared: ['../native/presence.c', '../native/loaded-object.c'],
  },
} as const satisfies Record<string, { sources: string; optimized: string; shared?: readonly string[] }>;

type Library = keyof typeof buildables;

/** The one that came with mpidbg; where that does not load, one built here. */
function preloaded(library: Library): string {
  const shipped = join(shippedFolder, library);
  const found = existsSync(shipped) && loads(shipped) ? shipped : builtHere(library);
  // The loader takes both as separators.
  if (/[\s:]/.test(found))
    throw new StartError(
      `the collector cannot be loaded from ${found}: install mpidbg in a folder without blanks or colons`,
    );
  return found;
}

function builtHere(name: Library): string {
  const {
    sources,
    optimized,
    shared = [],
  }: { sources: string; optimized: string; shared?: readonly string[] } = buildables[name];
  const found = join(shippedFolder, sources);
  if (!existsSync(found))
    throw new StartError(
      `the collector is missing: ${join(shippedFolder, name)} is not there (npm run build makes it)`,
    );
  return buildForThisMachine({ name, sources: found, optimized, shared });
}
