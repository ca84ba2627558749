/** All that a plugin says of one held rank, against what MPI and the program told: live handles, freed ones, and lists. */
import { CachedImage } from '../../adapter/images/cached-image';
import type { ProcessImage } from '../../plugin-api/image';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import type { Answer, CommInfo, HandleKind } from '../../plugin-api/mpi/records';
import { noNumberYet } from '../../plugin-api/plugins/mpich/file';
import { noGroupYet } from '../../plugin-api/plugins/mpich/group';
import { noFortranHandleYet } from '../../plugin-api/plugins/openmpi/handles';
import type { Result } from '../../plugin-api/result';
import { askPlugin } from '../support/ask-plugin';
import { openProcess } from '../support/ask-process';
import { compareFacts } from '../support/compare-facts';
import { add, type Comparison, type Fields } from '../support/comparison';
import { libraryOf, type Library } from '../support/excused';
import type { Mpi } from '../support/sample-job';
import { handleKinds } from '../support/stopped-ranks';
import type { TruthRecord } from '../support/truth';
import { compareFreed, compareList, compareUnfinished } from './compare-handles';
import type { Stop } from './rank-connection';
import { type AnyInfo, asAnswer, key, look, type Sight } from './sight';

/** What is asked and what is known beside the stop. */
export interface Circumstances {
  mpi: Mpi;
  /** The names of the program's functions, by address. */
  functions: ReadonlyMap<string, string>;
  /** What this rank told of MPI's named types, at its first stop. */
  namedTypes: TruthRecord[];
  /** What it told of its live handles, at its last stop. */
  truth: TruthRecord[];
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
  circumstances.truth = truth;
  const result: Comparison = { facts: 0, differences: [] };
  // Another thread may change them meanwhile.
  const moving: readonly HandleKind[] = ['request', 'message', 'win'];
  const isMoving = (kind: HandleKind): boolean => stop.threadsInside > 0 && moving.includes(kind);
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

const notMadeYet: ReadonlySet<string> = new Set([noGroupYet, noNumberYet, noFortranHandleYet]);

/** What MPI makes when it is first asked for it (groups, Fortran handles of files) is rightly missing until then. */
function withMadeByAsking(before: Answer, now: Answer): Answer {
  if (before.code !== 'MPIDBG_SUCCESS' || now.code !== 'MPIDBG_SUCCESS') return before;
  const made = now.info as object as Fields;
  const fields = Object.entries(before.info).map(([name, value]: [string, unknown]) => {
    const { reason = '' } = (value ?? {}) as { reason?: string };
    const isNotMade = notMadeYet.has(reason);
    return [name, isNotMade ? made[name] : value];
  });
  return { ...before, info: Object.fromEntries(fields) as CommInfo };
}

function hasEnded(first: Result<AnyInfo>, second: Answer): boolean {
  if (!first.ok || second.code !== 'MPIDBG_SUCCESS' || second.kind !== 'request') return false;
  const [before, now] = [first.value, second.info] as object[] as Fields[];
  return before?.['complete'] !== now?.['complete'] || before?.['active'] !== now?.['active'];
}
