/** All that a plugin says of one held rank, against what MPI and the program told: live handles, freed ones, and lists. */
import { CachedImage } from '../../adapter/images/cached-image';
import type { ProcessImage } from '../../plugin-api/image';
import type { InfoOf, MpiProcess } from '../../plugin-api/mpi/plugin';
import type { Answer, CommInfo, HandleKind } from '../../plugin-api/mpi/records';
import type { Result } from '../../plugin-api/result';
import { askPlugin } from '../support/ask-plugin';
import { openProcess } from '../support/ask-process';
import { compareFacts } from '../support/compare-facts';
import { add, type Comparison, type Fields } from '../support/comparison';
import { libraryOf, type Library } from '../support/excused';
import type { Mpi } from '../support/sample-job';
import { handleKinds } from '../support/stopped-ranks';
import type { TruthRecord } from '../support/truth';
import type { ProgramHandle, Stop } from './rank-connection';

type AnyInfo = InfoOf[HandleKind];

/** What the plugin says at one moment. */
interface Sight {
  process: MpiProcess;
  lists: Map<HandleKind, { handle: bigint; answer: Result<AnyInfo> }[]>;
  /** Kinds whose list is said to lack objects. */
  incomplete: Set<HandleKind>;
  /** By kind and value, of those that the program knows. */
  answers: Map<string, Result<AnyInfo>>;
}

/** What is asked and what is known beside the stop. */
export interface Circumstances {
  mpi: Mpi;
  /** The names of the program's functions, by address. */
  functions: ReadonlyMap<string, string>;
  /** What this rank told of MPI's named types, at its first stop. */
  namedTypes: TruthRecord[];
}

/** `image`: of the rank as it is now; asked for anew after MPI has been asked. */
export async function checkStop(
  stop: Stop,
  image: () => Promise<ProcessImage>,
  circumstances: Circumstances,
): Promise<Comparison> {
  const before = await look(await image(), stop.handles, circumstances.mpi);
  const told = (await stop.ask()).map((record) => withFunction(record, circumstances.functions));
  if (circumstances.namedTypes.length === 0) circumstances.namedTypes.push(...told.filter(isNamedType));
  const after = await openProcess(new CachedImage(await image()), circumstances.mpi);
  const library = libraryOf(circumstances.mpi, after.implementation.version);
  const known = new Set(stop.handles.map(({ kind, handle }) => key(kind, handle)));
  // Named types are told even when the program never used them.
  const truth = told.filter(({ expression }) => known.has(expression));
  const result: Comparison = { facts: 0, differences: [] };
  // Another thread may change them meanwhile.
  const isMoving = (kind: HandleKind): boolean => stop.threadsInside > 0 && (kind === 'request' || kind === 'message');
  for (const record of truth) {
    if (!isMoving(record.kind)) await compareLive(record, before, after, library, circumstances.namedTypes, result);
  }
  for (const handle of stop.handles.filter(({ kind }) => !isMoving(kind))) {
    if (!handle.isLive) compareFreed(handle, before, truth, result);
    else if (handle.isUnfinished) compareUnfinished(handle, before, stop.rank, result);
  }
  for (const kind of handleKinds) if (!isMoving(kind)) compareList(kind, stop, before, result);
  return result;
}

async function look(image: ProcessImage, handles: readonly ProgramHandle[], mpi: Mpi): Promise<Sight> {
  const process = await openProcess(new CachedImage(image), mpi);
  const sight: Sight = { process, lists: new Map(), incomplete: new Set(), answers: new Map() };
  for (const kind of handleKinds) {
    const list = await process.handles(kind);
    const all = list.ok ? list.value : [];
    const answers = all.map(async (handle) => ({ handle, answer: await process.query(kind, handle) }));
    sight.lists.set(kind, await Promise.all(answers));
    if (!list.ok || ((await process.unlisted?.(kind)) ?? []).length > 0) sight.incomplete.add(kind);
  }
  for (const { kind, handle } of handles)
    sight.answers.set(key(kind, handle), await process.query(kind, BigInt(handle)));
  return sight;
}

function key(kind: HandleKind, handle: string): string {
  return `${kind}:${handle}`;
}

function isNamedType({ told }: TruthRecord): boolean {
  return told?.kind === 'datatype' && told.info['combiner'] === 'MPI_COMBINER_NAMED';
}

/** The program's functions by their names, which MPI does not know; without a name, none is expected. */
function withFunction(record: TruthRecord, functions: ReadonlyMap<string, string>): TruthRecord {
  const callback = record.told?.info['callback'] as Fields | undefined;
  if (record.told === undefined || callback === undefined) return record;
  const { symbol: _unknown, ...rest } = callback;
  const symbol = functions.get(String(callback['address']));
  const named = symbol === undefined ? rest : { ...rest, symbol };
  return { ...record, told: { ...record.told, info: { ...record.told.info, callback: named } } };
}

/**
 * As it was before MPI was asked, and after: MPI's answers may have changed it. Requests that asking has brought to an end
 * are compared after it alone.
 */
async function compareLive(
  record: TruthRecord,
  before: Sight,
  after: MpiProcess,
  library: Library | undefined,
  namedTypes: TruthRecord[],
  result: Comparison,
): Promise<void> {
  const compare = (answer: Answer): Comparison => compareFacts([record], [answer], library, namedTypes);
  const first = before.answers.get(record.expression);
  const answers = await askPlugin(after, [record]);
  const [second] = answers;
  if (first === undefined || second === undefined) throw new Error(`${record.expression} was not asked for`);
  const now = compare(second);
  const then = compare(withMadeByAsking(asAnswer(record, first), second));
  add(result, now);
  const handle = record.told?.info['fortranHandle'];
  if (typeof handle === 'number') await compareFortran(record, handle, after, result);
  if (hasEnded(first, second)) return;
  for (const difference of then.differences)
    if (!now.differences.includes(difference)) result.differences.push(`${difference} (before MPI was asked)`);
}

async function compareFortran(
  record: TruthRecord,
  fortran: number,
  process: MpiProcess,
  result: Comparison,
): Promise<void> {
  const converted = await process.fortranToC(record.kind, fortran);
  const found = converted.ok ? `0x${converted.value.toString(16)}` : converted.code;
  const expected = record.told?.info['handle'];
  result.facts++;
  if (found !== expected)
    result.differences.push(
      `rank ${record.rank} ${record.expression}: Fortran handle ${fortran} stands for ${found}, MPI says ${String(expected)}`,
    );
}

function asAnswer({ expression, kind }: TruthRecord, result: Result<AnyInfo>): Answer {
  if (result.ok) return { expression, kind, code: 'MPIDBG_SUCCESS', info: result.value };
  return { expression, kind, code: result.code, reason: result.reason };
}

/** What MPI makes when it is first asked for it (groups, Fortran handles of files) is rightly missing until then. */
function withMadeByAsking(before: Answer, now: Answer): Answer {
  if (before.code !== 'MPIDBG_SUCCESS' || now.code !== 'MPIDBG_SUCCESS') return before;
  const made = now.info as object as Fields;
  const fields = Object.entries(before.info).map(([name, value]: [string, unknown]) => {
    const { reason = '' } = (value ?? {}) as { reason?: string };
    const isNotMade = /not yet$|never asked for its Fortran handle$/.test(reason);
    return [name, isNotMade ? made[name] : value];
  });
  return { ...before, info: Object.fromEntries(fields) as CommInfo };
}

function hasEnded(first: Result<AnyInfo>, second: Answer): boolean {
  if (!first.ok || second.code !== 'MPIDBG_SUCCESS' || second.kind !== 'request') return false;
  const [before, now] = [first.value, second.info] as object[] as Fields[];
  return before?.['complete'] !== now?.['complete'] || before?.['active'] !== now?.['active'];
}

/** A freed handle denotes nothing; or an object that MPI still needs, and that says so. */
function compareFreed(handle: ProgramHandle, { answers }: Sight, truth: TruthRecord[], result: Comparison): void {
  const { kind, handle: value } = handle;
  const answer = answers.get(key(kind, value));
  result.facts++;
  if (answer === undefined || (kind === 'group' && isPartOfLive(value, truth))) return;
  if (answer.ok ? isSaidToBeFreed(answer.value) : isNoObject(answer.code)) return;
  const what = answer.ok ? `live: ${JSON.stringify(answer.value).slice(0, 400)}` : `${answer.code} (${answer.reason})`;
  const made = handle.call === undefined ? '' : ` of ${handle.call}`;
  result.differences.push(`rank ${truth[0]?.rank ?? '?'} ${key(kind, value)}: freed${made}, but found ${what}`);
}

/** It is said to be being made, or is made already: the request tells the program later. */
function compareUnfinished(
  { kind, handle }: ProgramHandle,
  { answers }: Sight,
  rank: number,
  result: Comparison,
): void {
  const answer = answers.get(key(kind, handle));
  result.facts++;
  if (answer === undefined || answer.ok || isBeingMade(answer)) return;
  result.differences.push(`rank ${rank} ${key(kind, handle)}: being made, but found ${answer.code} (${answer.reason})`);
}

function isBeingMade({ code, reason }: { code: string; reason: string }): boolean {
  return code === 'MPIDBG_ERR_NOT_FOUND' && reason.startsWith('being made by MPI_Comm_idup');
}

function isNoObject(code: string): boolean {
  return code === 'MPIDBG_ERR_NOT_FOUND' || code === 'MPIDBG_ERR_OUT_OF_RANGE';
}

function isSaidToBeFreed(info: AnyInfo): boolean {
  const { flags = [], unknownFlags = [] } = info as { flags?: string[]; unknownFlags?: string[] };
  const said = ['freedHandle', 'freedObject', 'internal'];
  return (
    said.some((flag) => flags.includes(flag)) || unknownFlags.includes('freedHandle') || flags.includes('predefined')
  );
}

/** MPI hands out the group that a communicator or a window has; freeing it takes only the program's part. */
function isPartOfLive(group: string, truth: TruthRecord[]): boolean {
  const fields = ['group', 'remoteGroup'];
  return truth.some(({ told }) =>
    fields.some((field) => (told?.info[field] as Fields | undefined)?.['handle'] === group),
  );
}

/** The list holds all that the program has, nothing that it freed, and no strangers but those that say what they are. */
function compareList(kind: HandleKind, stop: Stop, { lists, incomplete, answers }: Sight, result: Comparison): void {
  const where = `rank ${stop.rank} list of ${kind}s:`;
  const listed = new Set((lists.get(kind) ?? []).map(({ handle }) => `0x${handle.toString(16)}`));
  const known = stop.handles.filter((handle) => handle.kind === kind);
  for (const { handle, isLive, isGot, isUnfinished } of known) {
    if (!isLive || !isGot || isUnfinished || incomplete.has(kind)) continue;
    result.facts++;
    const answer = answers.get(key(kind, handle));
    const isPredefined =
      answer?.ok === true && (answer.value as AnyInfo & { flags?: string[] }).flags?.includes('predefined');
    if (!listed.has(handle) && !isPredefined) result.differences.push(`${where} lacks ${handle}`);
  }
  const live = new Set(known.flatMap(({ handle, isLive }) => (isLive ? [handle] : [])));
  for (const { handle, answer } of lists.get(kind) ?? []) {
    const value = `0x${handle.toString(16)}`;
    if (live.has(value)) continue;
    result.facts++;
    if (answer.ok ? isSaidToBeFreed(answer.value) : answer.code === 'MPIDBG_ERR_UNAVAILABLE') continue;
    const what = answer.ok ? JSON.stringify(answer.value).slice(0, 300) : `${answer.code} ${answer.reason}`;
    result.differences.push(`${where} has ${value}, which is not the program's: ${what}`);
  }
}
