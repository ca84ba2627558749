/** The attributes of launch.json, their defaults, and errors for invalid values. */
import { olderNameOfJob } from '../../../plugin-api/batch/batch-system';
import { floatKinds, type FloatKind } from '../../../plugin-api/deaths/death';
import { isAbsolute, resolve } from 'node:path';
import { collectable, type CollectorOptions } from '../../collector/preload';
import { parseRanks, RankSetError, type RanksOfWorld } from '../../../plugin-api/answers/rank-set';
import type { JobTarget } from '../../job-sources/open-job';
import { wrongConfiguration } from '../client/errors';
import { readEnvironmentFile } from './env-file';
import { scopes, type Scope } from '../../../plugin-api/answers/focus-body';

/** The value of an attribute that is not there. */
export const defaults = {
  ranks: 2,
  gdb: 'gdb',
  stopOnEntry: false,
  collector: false,
  scope: 'focus',
  helperThreads: true,
  markDifferences: false,
  callStack: 'all',
} as const;

/** 'all': every thread of every rank; 'merged': one representative of all that are at one place. */
export const callStacks = ['all', 'merged'] as const;
export type CallStack = (typeof callStacks)[number];

/** The attribute `world` of who wants no single one. */
export const allWorlds = 'all';

/** More processes than one machine can start in reasonable time. */
const maxRanks = 1024;

export interface SharedArguments {
  gdb: string;
  /** Commands of gdb's own language. */
  setupCommands: readonly string[];
  /** Folders of sources as the compiler wrote them, and where they are now. */
  sourceFileMap: readonly (readonly [from: string, to: string])[];
  /** Absolute paths. */
  plugins: readonly string[];
  /** Globs over sources and libraries, see LibraryCode. */
  libraryCode: readonly string[];
  /** Globs of files and functions that *Step Into* passes over; undefined: the default ones. */
  skip: readonly string[] | undefined;
  /** undefined: all ranks. */
  focus: readonly RanksOfWorld[] | undefined;
  /** Those that breakpoints in source and on functions stop; undefined: all ranks. */
  breakpointRanks: readonly RanksOfWorld[] | undefined;
  /** What continue, step and pause act on. */
  scope: Scope;
  /** Show the MPI library's own threads, too. */
  helperThreads: boolean;
  /** In the Variables view: those whose values differ between the ranks of the focus. */
  markDifferences: boolean;
  /** Floating point operations that stop ranks from the start. */
  floatingPoint: readonly FloatKind[];
  /** What DAP's threads are. */
  callStack: CallStack;
}

export interface LaunchArguments extends SharedArguments {
  /** Absolute paths. */
  programs: readonly { program: string; args: readonly string[]; ranks: number }[];
  cwd: string;
  /** null removes a variable. */
  env: Readonly<Record<string, string | null>>;
  launcher: string | undefined;
  launcherArgs: readonly string[];
  stdin: string | undefined;
  stopOnEntry: boolean;
  /** undefined: without. */
  collector: CollectorOptions | undefined;
}

export interface AttachArguments extends SharedArguments {
  /** 'startingJob': the user's only batch job that runs. */
  target: JobTarget | { kind: 'startingJob' };
  /** Set for a batch job, which may not have started yet. */
  waits: boolean;
  /** Those that are attached to; undefined: all. */
  ranks: readonly RanksOfWorld[] | undefined;
  /** Only of this MPI_COMM_WORLD; undefined: of all, and `ranks` of the launcher's own. */
  world: string | undefined;
}

/** Throws RequestError. */
export function parseLaunchArguments(raw: unknown): LaunchArguments {
  const given = new Attributes(raw);
  const cwd = resolve(given.text('cwd') ?? process.cwd());
  const stdin = given.text('stdin');
  const envFile = given.text('envFile');
  const programs = given.list('programs')?.map((part, i) => programOf(new Attributes(part, `programs[${i}].`), cwd));
  if (programs !== undefined && given.has('program'))
    throw wrongConfiguration('"program" and "programs" exclude each other: set one of them');
  if (programs?.length === 0) throw wrongConfiguration('"programs" is empty: name at least one program');
  const all = programs ?? [programOf(given, cwd)];
  const ranks = all.reduce((sum, program) => sum + program.ranks, 0);
  if (ranks > maxRanks)
    throw wrongConfiguration(`${ranks} ranks are more than mpidbg starts on one machine: at most ${maxRanks}`);
  return {
    ...shared(given, cwd),
    programs: all,
    cwd,
    env: { ...(envFile === undefined ? {} : readEnvironmentFile(resolve(cwd, envFile))), ...given.environment('env') },
    launcher: given.text('launcher'),
    launcherArgs: given.texts('launcherArgs') ?? [],
    stdin: stdin === undefined ? undefined : resolve(cwd, stdin),
    stopOnEntry: given.flag('stopOnEntry') ?? defaults.stopOnEntry,
    collector: collectorOf(given),
  };
}

/** Throws RequestError. */
export function parseAttachArguments(raw: unknown): AttachArguments {
  const given = new Attributes(raw);
  const cwd = resolve(given.text('cwd') ?? process.cwd());
  return {
    ...shared(given, cwd),
    target: targetOf(given, cwd),
    waits: given.has('waitForJob'),
    ranks: given.rankSet('ranks'),
    world: given.world('world'),
  };
}

function targetOf(given: Attributes, cwd: string): AttachArguments['target'] {
  const names = ['launcherPid', 'job', olderNameOfJob, 'waitForJob', 'pids', 'cores'];
  const named = names.filter((name) => given.has(name));
  if (named.length === 0)
    throw wrongConfiguration('no job to attach to is given: set "launcherPid", "job", "waitForJob", "pids" or "cores"');
  if (named.length > 1) throw wrongConfiguration(`"${named.join('" and "')}" exclude each other: set one of them`);
  if (named[0] === 'launcherPid')
    return { kind: 'launcher', launcherPid: given.processId('launcherPid', given.get('launcherPid')) };
  if (named[0] === 'job' || named[0] === olderNameOfJob) return { kind: 'batchJob', job: given.job(named[0]) };
  if (named[0] === 'waitForJob')
    return given.get('waitForJob') === true
      ? { kind: 'startingJob' }
      : { kind: 'batchJob', job: given.job('waitForJob', ', or true for the only one') };
  if (named[0] === 'cores') {
    const program = given.text('program');
    return {
      kind: 'cores',
      cores: (given.texts('cores') ?? []).map((core) => resolve(cwd, core)),
      program: program === undefined ? undefined : resolve(cwd, program),
      searchPath: (given.texts('searchPath') ?? []).map((folder) => resolve(cwd, folder)),
    };
  }
  const pids = (given.list('pids') ?? []).map((pid, i) => given.processId(`pids[${i}]`, pid));
  if (pids.length === 0) throw wrongConfiguration('"pids" is empty: name at least one process');
  return { kind: 'pids', pids };
}

/** true, or what of it is collected. */
function collectorOf(given: Attributes): CollectorOptions | undefined {
  const raw = given.get('collector') ?? defaults.collector;
  if (typeof raw !== 'object') return given.flag('collector') === true ? { collect: collectable } : undefined;
  const options = new Attributes(raw, 'collector.');
  const [pvars, events] = [options.texts('pvars'), options.texts('events')];
  const [period, libomp] = [options.count('period'), options.text('libomp')];
  if (period !== undefined && (period < minPeriod || period > maxPeriod))
    throw wrongConfiguration(`"collector.period" is ${minPeriod} to ${maxPeriod} milliseconds, not ${period}`);
  const keepFreed = options.flag('keepFreed') ?? false;
  const isOn = { calls: keepFreed || (options.flag('calls') ?? true), ompt: options.flag('ompt') ?? true };
  return {
    collect: collectable.filter((what) => what === 'pvars' || what === 'events' || isOn[what]),
    ...(pvars === undefined ? {} : { pvars }),
    ...(events === undefined ? {} : { events }),
    ...(period === undefined ? {} : { period }),
    ...(libomp === undefined ? {} : { libomp }),
    ...(keepFreed ? { keepFreed } : {}),
  };
}

/** Milliseconds between two looks of the collector at the variables. */
const [minPeriod, maxPeriod] = [10, 10_000];

function programOf(given: Attributes, cwd: string): LaunchArguments['programs'][number] {
  const program = given.text('program');
  if (program === undefined || program.trim() === '')
    throw wrongConfiguration(`"${given.prefix}program" is missing: name the MPI program to debug`);
  return {
    program: resolve(cwd, program),
    args: given.texts('args') ?? [],
    ranks: given.count('ranks') ?? defaults.ranks,
  };
}

function shared(given: Attributes, cwd: string): SharedArguments {
  const gdb = given.text('gdb') ?? defaults.gdb;
  return {
    gdb: gdb.includes('/') && !isAbsolute(gdb) ? resolve(cwd, gdb) : gdb,
    setupCommands: given.texts('setupCommands') ?? [],
    sourceFileMap: Object.entries(given.environment('sourceFileMap') ?? {}).flatMap(([from, to]) =>
      to === null ? [] : [[from, resolve(cwd, to)] as const],
    ),
    plugins: (given.texts('plugins') ?? []).map((file) => resolve(cwd, file)),
    libraryCode: given.texts('libraryCode') ?? [],
    skip: given.texts('skip'),
    focus: given.rankSet('focus'),
    breakpointRanks: given.rankSet('breakpointRanks'),
    scope: given.oneOf('scope', scopes) ?? defaults.scope,
    helperThreads: given.flag('helperThreads') ?? defaults.helperThreads,
    markDifferences: given.flag('markDifferences') ?? defaults.markDifferences,
    floatingPoint: floatKindsIn(given),
    callStack: given.oneOf('callStack', callStacks) ?? defaults.callStack,
  };
}

function floatKindsIn(given: Attributes): readonly FloatKind[] {
  const named = given.texts('floatingPoint') ?? [];
  const unknown = named.find((each) => !floatKinds.includes(each as FloatKind));
  if (unknown !== undefined)
    throw wrongConfiguration(
      `"floatingPoint" is a list of ${floatKinds.map((kind) => `"${kind}"`).join(', ')}: "${unknown}" is not`,
    );
  return floatKinds.filter((kind) => named.includes(kind));
}

/** Reads attributes by type. Each throws a RequestError that names the attribute and says what it must be. */
export class Attributes {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(
    raw: unknown,
    /** Where these attributes are: "programs[1]." */
    readonly prefix = '',
  ) {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
      throw wrongConfiguration(`"${prefix.replace(/\.$/, '')}" must be an object with "program"`);
    this.values = raw as Record<string, unknown>;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** null in JSON counts as not there. */
  get(name: string): unknown {
    return this.values[name] ?? undefined;
  }

  text(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === 'string') return value === '' ? undefined : value;
    throw this.wrong(name, 'a string', value);
  }

  flag(name: string): boolean | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === 'boolean') return value;
    throw this.wrong(name, 'true or false', value);
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.get(name);
    if (value === undefined || words.includes(value as Word)) return value as Word | undefined;
    throw this.wrong(name, words.map((word) => `"${word}"`).join(' or '), value);
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.get(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw this.wrong(name, 'a list', value);
  }

  texts(name: string): readonly string[] | undefined {
    return this.list(name)?.map((item) => {
      if (typeof item === 'string') return item;
      if (typeof item === 'number') return String(item);
      throw this.wrong(name, 'a list of strings', item);
    });
  }

  count(name: string): number | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number > 0) return number;
    throw this.wrong(name, 'a whole number of at least 1', value);
  }

  /** Not negative. */
  amount(name: string): number | undefined {
    const value = this.get(name);
    if (value === undefined || (typeof value === 'number' && value >= 0)) return value;
    throw this.wrong(name, 'a number of at least 0', value);
  }

  processId(name: string, value: unknown): number {
    const number = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number > 0) return number;
    throw this.wrong(name, 'the id of a running process', value);
  }

  /** The option that names a batch job. */
  job(name: string, orElse = ''): string {
    const value = this.get(name);
    if (typeof value === 'number' && Number.isInteger(value) && value > 0) return String(value);
    if (typeof value === 'string' && value !== '') return value;
    throw this.wrong(name, 'the number of a job, "4711" or "4711.0"' + orElse, value);
  }

  environment(name: string): Readonly<Record<string, string | null>> | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) throw this.wrong(name, 'an object of strings', value);
    return Object.fromEntries(
      Object.entries(value as Record<string, unknown>).map(([variable, setting]) => {
        if (setting === null || typeof setting === 'string') return [variable, setting];
        if (typeof setting === 'number' || typeof setting === 'boolean') return [variable, String(setting)];
        throw this.wrong(`${name}.${variable}`, 'a string', setting);
      }),
    );
  }

  /** "0.1"; "all" is what an attribute that is not there says. */
  world(name: string): string | undefined {
    const value = this.get(name);
    const text = typeof value === 'number' ? String(value) : value;
    if (text === undefined || text === '' || text === allWorlds) return undefined;
    if (typeof text === 'string' && /^\d+(\.\d+)*$/.test(text)) return text;
    throw this.wrong(name, `"${allWorlds}" or the name of a world, such as "0.1"`, value);
  }

  rankSet(name: string): readonly RanksOfWorld[] | undefined {
    const text = this.text(name);
    if (text === undefined || text.trim() === '') return undefined;
    try {
      return parseRanks(text);
    } catch (error) {
      if (error instanceof RankSetError) throw wrongConfiguration(`"${this.prefix}${name}": ${error.message}`);
      throw error;
    }
  }

  private wrong(name: string, wanted: string, value: unknown): Error {
    return wrongConfiguration(`"${this.prefix}${name}" must be ${wanted}, not ${inShort(value)}`);
  }
}

/** For values that may be nested without limit. */
function inShort(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return JSON.stringify(value);
}
