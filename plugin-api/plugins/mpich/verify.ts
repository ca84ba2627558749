/** Opening a layout: a table or debug information is used only after it agrees with the memory of the process. */
import type { Module, ProcessImage } from '../../image';
import type { LayoutSource, TypeLayout } from '../../layout';
import type { Check, Implementation } from '../../mpi/records';
import { MissingTypeError, guard, isUnavailable, known, type FailureCode } from '../../result';
import { StructReader, checkSpec, type StructSpec, type StructValues } from '../../struct';
import {
  findArray,
  findBuiltins,
  findPointer,
  findPools,
  wordAt,
  type DataSegment,
  type ElementWord,
  type Objects,
  type Pool,
} from './containers';
import { localProcesses } from './group';
import { checkNames, type RenamableKind } from './names';
import { classSpecs, commSpec, datatypeSpec, poolSpec, processSpec } from './specs';

export interface Verified {
  /** undefined: the layout does not fit this process. */
  objects: Objects | undefined;
  checks: Check[];
  /** The text for Implementation.layout. */
  sentence: string;
  /** What queries answer if there are no objects. */
  code: FailureCode;
}

type Process = StructValues<typeof processSpec>;

const commClass = 1;
/** MPIR_Request: its pool's header is filled by MPI_Init. */
const requestClass = 11;
/** MPICH_MPI_STATE__INITIALIZED; 1 while MPI_Init or MPI_Finalize runs. */
const processInitialized = 2;

/** The contents of the arrays of predefined objects, by index. MPICH keeps no objects for the predefined operations. */
const builtinWords: ReadonlyMap<number, readonly ElementWord[]> = new Map([
  [commClass, consecutive(0x44000000, 2)],
  [2, consecutive(0x48000000, 1)],
  [
    3,
    [
      { index: 1, word: 0x4c000101 },
      { index: 2, word: 0x4c000102 },
    ],
  ],
  [5, consecutive(0x54000000, 2)],
  [7, [{ index: 1, word: 0x5c000001 }]],
  [requestClass, consecutive(0x6c000000, 2)],
]);

function consecutive(first: number, count: number): ElementWord[] {
  return Array.from({ length: count }, (_, index) => ({ index, word: first + index }));
}

/** Tries one layout. Throws FaultError. */
export async function verify(
  image: ProcessImage,
  module: Module,
  data: readonly DataSegment[],
  source: LayoutSource,
): Promise<Verified> {
  const reader = new StructReader(image, [source]);
  const located = await guard(() => locate(reader, data, source));
  if (!located.ok) return failed(located.code, `${source.name}: ${located.reason}`);
  const found = located.value;
  const facts = await launcherFacts(image);
  const isForeign = isAlone(found.process) && facts !== undefined && facts.size !== 1;
  const launched = isForeign ? undefined : facts;
  const sizes = await sizeChecks(found);
  const hasNames = found.state !== 'notInitialized';
  const names = hasNames ? await namesIn(found, module) : new Map<RenamableKind, Check>();
  const answers = found.process === undefined ? [] : await knownAnswers(found, found.process, launched);
  answers.push(...names.values());
  const checks = [...sizes, ...answers];
  const wrong = checks.find((c) => !c.passed);
  if (wrong !== undefined) {
    const sentence = `${source.name} does not fit: ${wrong.name} is ${wrong.found} instead of ${wrong.expected}`;
    return failed('MPIDBG_ERR_NOT_SUPPORTED', sentence, checks);
  }
  const worldSize = found.process?.size ?? launched?.size;
  const objects = { ...found, provedNames: new Set(names.keys()), worldSize };
  const counts = [`${sizes.length} of ${sizes.length} pool sizes`];
  if (answers.length > 0) counts.push(`${answers.length} of ${answers.length} known answers`);
  const sentence = `${source.name}: ${counts.join(' and ')} agree${unchecked(objects, launched, isForeign)}`;
  return { objects, checks, sentence, code: 'MPIDBG_ERR_NOT_SUPPORTED' };
}

/** As is a process that the launcher of another MPI has started, whatever that has numbered it. */
function isAlone(process: Process | undefined): boolean {
  return process?.rank === 0 && process.size === 1;
}

/** Without a layout; `sentence` says why. */
export function failed(code: FailureCode, sentence: string, checks: Check[] = []): Verified {
  return { objects: undefined, checks, sentence, code };
}

function unchecked({ state, process }: Objects, launched: LauncherFacts | undefined, isForeign: boolean): string {
  if (state === 'notInitialized') return '; known answers not checked: MPI is not initialised';
  if (state === 'finalized') return '; MPI_COMM_WORLD not checked: MPI_Finalize has begun';
  if (process === undefined) return '; known answers not checked: there is not an MPI_COMM_WORLD';
  if (isForeign) return '; rank and size of MPI_COMM_WORLD not checked: the launcher is that of another MPI';
  if (launched === undefined) return "; rank and size of MPI_COMM_WORLD not checked: no launcher's environment";
  return '';
}

/** Finds everything through one layout. Throws FaultError, MissingTypeError. */
async function locate(reader: StructReader, data: readonly DataSegment[], source: LayoutSource): Promise<Objects> {
  const header = await layoutOf(source, poolSpec);
  const sizes = new Map<number, number>();
  for (const [kind, spec] of classSpecs) sizes.set(kind, await reader.sizeOf(spec));
  const found = findPools(data, header, sizes);
  const pools = new Map([...found].map(([kind, [first]]) => [kind, withDirectArray(data, first!)]));
  const builtins = new Map<number, bigint>();
  for (const [kind, words] of builtinWords) {
    const pool = pools.get(kind);
    const array = pool && findBuiltins(data, pool, words);
    if (array !== undefined) builtins.set(kind, array);
  }
  const world = builtins.get(commClass);
  const process = await findProcess(reader, data, source, world);
  const state = world === undefined && hasSession(pools) ? 'initialized' : stateOf(world, process);
  const requestPools = found.get(requestClass) ?? [];
  return {
    ...{ reader, pools, requestPools, builtins, data, state },
    process: state === 'initialized' ? process : undefined,
    provedNames: new Set(),
    worldSize: undefined,
  };
}

const datatypeClass = 3;
/** MPI_FLOAT_INT, the first of the predefined datatypes that have direct handles. */
const firstDirectDatatype = 0x8c000000;

/** 5.0 does not tell in the header of the datatypes that there is a direct array: it is found by its first handles. */
function withDirectArray(data: readonly DataSegment[], pool: Pool): Pool {
  if (pool.kind !== datatypeClass || pool.direct !== 0n) return pool;
  const handle = (index: number): ElementWord => ({ index, word: (firstDirectDatatype + index) | 0 });
  const direct = findArray(data, pool.size, [handle(0), handle(1), handle(2)]);
  if (direct === undefined) return pool;
  let directCount = 3;
  while (wordAt(data, direct + BigInt(directCount * pool.size)) === handle(directCount).word) directCount++;
  return { ...pool, direct, directCount, isDirectApart: true };
}

async function layoutOf(source: LayoutSource, spec: StructSpec): Promise<TypeLayout> {
  const fields = Object.values(spec.fields).map((f) => f.path);
  const layout = await source.find(spec.struct, fields);
  const problem = checkSpec(spec, layout)[0];
  if (layout === undefined || problem !== undefined) throw new MissingTypeError(`that fits: ${problem}`);
  return layout;
}

/**
 * MPIR_Process: it holds the addresses of MPI_COMM_WORLD and MPI_COMM_SELF side by side, between MPI_Init and
 * MPI_Finalize; in a program that uses sessions only, MPI_COMM_SELF's is NULL.
 */
async function findProcess(
  reader: StructReader,
  data: readonly DataSegment[],
  source: LayoutSource,
  world: bigint | undefined,
): Promise<Process | undefined> {
  if (world === undefined) return undefined;
  const { fields } = await layoutOf(source, processSpec);
  const self = world + BigInt(await reader.sizeOf(commSpec));
  for (const pointer of findPointer(data, world)) {
    const address = pointer - BigInt(fields[processSpec.fields.commWorld.path]!.offset);
    const process = await guard(() => reader.read(processSpec, address));
    if (process.ok && isProcess(process.value, self)) return process.value;
  }
  return undefined;
}

function isProcess({ commSelf, state, rank, size }: Process, self: bigint): boolean {
  const isPlausible = state > 0 && state <= processInitialized && rank >= 0 && rank < size;
  return commSelf === self || (commSelf === 0n && isPlausible);
}

const sessionClass = 14;

/** A program that uses sessions has no predefined communicators until it makes one of its own. */
function hasSession(pools: ReadonlyMap<number, Pool>): boolean {
  const pool = pools.get(sessionClass);
  return pool !== undefined && pool.isInitialized && pool.used > 0;
}

/** The builtin communicators keep their handles in memory after MPI_Finalize, when MPIR_Process no longer has them. */
function stateOf(world: bigint | undefined, process: Process | undefined): Implementation['state'] {
  if (world === undefined) return 'notInitialized';
  if (process === undefined) return 'finalized';
  return process.state === processInitialized ? 'initialized' : 'notInitialized';
}

async function sizeChecks({ reader, pools, state }: Objects): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [kind, spec] of classSpecs) {
    const pool: Pool | undefined = pools.get(kind);
    if (pool === undefined && kind === requestClass && state !== 'initialized') continue;
    const expected = await reader.sizeOf(spec);
    checks.push(check(`pool element size of ${spec.struct}`, pool?.size ?? 'not found', expected));
  }
  return checks;
}

function check(name: string, found: unknown, expected: unknown): Check {
  return { name, passed: String(found) === String(expected), found: String(found), expected: String(expected) };
}

interface LauncherFacts {
  rank: number;
  size: number;
}

/** What the process manager told the process. */
async function launcherFacts(image: ProcessImage): Promise<LauncherFacts | undefined> {
  const environment = await image.environment();
  const [rank, size] = ['PMI_RANK', 'PMI_SIZE'].map((name) => Number(environment.get(name)));
  return Number.isInteger(rank) && Number.isInteger(size) ? { rank: rank!, size: size! } : undefined;
}

/**
 * Nothing that a program can change. The launcher's values are checked against the library's; without a launcher, two
 * structs of the library against each other.
 */
async function knownAnswers(objects: Objects, process: Process, launched: LauncherFacts | undefined): Promise<Check[]> {
  const { reader } = objects;
  const { rank, size } = launched ?? process;
  const world = await reader.read(commSpec, process.commWorld);
  return [
    check('rank in MPIR_Process', process.rank, rank),
    check('size in MPIR_Process', process.size, size),
    check('rank of MPI_COMM_WORLD', world.rank, rank),
    check('size of MPI_COMM_WORLD', world.localSize, size),
    ...(await checkProcesses('processes of MPI_COMM_WORLD', reader, world, process.size, range(0, size))),
    ...(process.commSelf === 0n ? [] : await answersOfSelf(reader, process, rank)),
    ...(await answersOfDatatypes(objects)),
  ];
}

async function answersOfSelf(reader: StructReader, process: Process, rank: number): Promise<Check[]> {
  const self = await reader.read(commSpec, process.commSelf);
  return [
    check('rank of MPI_COMM_SELF', self.rank, 0),
    check('size of MPI_COMM_SELF', self.localSize, 1),
    ...(await checkProcesses('process of MPI_COMM_SELF', reader, self, process.size, range(rank, 1))),
  ];
}

const mpiDouble = 0x4c00080b;

async function answersOfDatatypes({ reader, builtins, pools }: Objects): Promise<Check[]> {
  const array = builtins.get(datatypeClass);
  if (array === undefined) return [];
  const address = array + BigInt((mpiDouble & 0xff) * pools.get(datatypeClass)!.size);
  const { handle, size, extent, lb, trueLb, trueUb } = await reader.read(datatypeSpec, address);
  const found = `${size}, ${lb} to ${lb + extent}, ${trueLb} to ${trueUb}`;
  return handle === mpiDouble ? [check('size, extent and data of MPI_DOUBLE', found, '8, 0 to 8, 0 to 8')] : [];
}

/** The checks of names that were passed. */
function namesIn({ reader, builtins, pools }: Objects, module: Module): Promise<ReadonlyMap<RenamableKind, Check>> {
  return checkNames(reader, module, (kind, handle) => {
    const number = kind === 'comm' ? commClass : datatypeClass;
    const bits = Number(handle);
    const array = bits >>> 30 === predefinedBits ? builtins.get(number) : undefined;
    return array === undefined ? undefined : array + BigInt((bits & 0xff) * pools.get(number)!.size);
  });
}

/** The highest bits of a handle of a predefined object. */
const predefinedBits = 1;

/** The members' ranks in MPI_COMM_WORLD; no check where the library keeps them in a way that is not decoded. */
async function checkProcesses(
  name: string,
  reader: StructReader,
  comm: StructValues<typeof commSpec>,
  worldSize: number | undefined,
  expected: string,
): Promise<Check[]> {
  const ranks = await known(() => localProcesses(reader, comm, worldSize));
  if (!isUnavailable(ranks)) return [check(name, rangeText(ranks), expected)];
  return ranks.code === 'MPIDBG_ERR_NOT_SUPPORTED' ? [] : [check(name, ranks.reason, expected)];
}

/** "0-3" when the ranks follow one another. */
function rangeText(ranks: readonly (number | null)[]): string {
  const [first] = ranks;
  const isRange = typeof first === 'number' && ranks.every((rank, i) => rank === first + i);
  return isRange ? range(first, ranks.length) : ranks.slice(0, maxShown).join(' ');
}

/** How many ranks of a wrong list are shown. */
const maxShown = 16;

function range(first: number, count: number): string {
  return count === 1 ? String(first) : `${first}-${first + count - 1}`;
}
