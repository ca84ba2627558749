/** The variables of one rank in which there is a NaN or an infinity. */
import { basename } from 'node:path';
import type { ProcessImage } from '../../../plugin-api/image';
import { FaultError, QueryError } from '../../../plugin-api/result';
import { isSystemLibrary, isUserCode } from '../../expressions/frames';
import { ThreadStacks } from '../../expressions/thread-stack';
import { GdbError, GdbLostError } from '../../gdb/mi/mi-connection';
import {
  floatsOfFrames,
  floatsOfGlobals,
  type FloatPlace,
  type FloatPlaces,
  type FloatRoot,
} from '../../gdb/python/float-places';
import { whyLost } from '../../job/lost-files';
import { memoryOf } from '../rank-images';
import type { RankQueries } from '../rank-queries';
import { findNonFinite, spanOf, type Budget } from './non-finite';
import type { FoundNan, LookedAt, NotLookedAt } from '../../../plugin-api/answers/nan-records';
import { nameOfAll, nameOfBox, nameOfElement, type Named } from '../../values/place-name';

/** The limit for one rank: a gigabyte takes about a second. */
const maxBytes = 4 * 1024 ** 3;
/** The innermost frames of the program, of each thread: a recursion has more. */
const maxFrames = 32;

export interface RankFinding {
  found: Omit<FoundNan, 'ranks'>[];
  notLookedAt: Omit<NotLookedAt, 'ranks'>[];
  lookedAt: Omit<LookedAt, 'ranks'>;
}

/** What gdb told of some variables, and the functions of the frames that they are in. */
export interface Told {
  places: FloatPlaces;
  /** The number of the thread within the rank, of another than the first. */
  thread?: number;
  functionOf: (root: FloatRoot) => string | undefined;
}

/** Variables of the frames of the program's threads, and its global ones. Rejects with QueryError, GdbError, and the signal's reason. */
export async function searchVariables(queries: RankQueries, signal?: AbortSignal): Promise<RankFinding> {
  const { rank } = queries;
  const code = await queries.code();
  const stacks = new ThreadStacks();
  const told: Told[] = [];
  for (const thread of rank.threads.filter(({ role }) => role?.helperOf === undefined)) {
    signal?.throwIfAborted();
    const { frames } = await stacks.of(thread).frames();
    const own = frames.filter((frame) => isUserCode(frame, code)).slice(0, maxFrames);
    if (own.length === 0) continue;
    const functions = new Map(own.map(({ level, function: name }) => [level, name]));
    const places = await floatsOfFrames(thread, [...functions.keys()], signal);
    const number = rank.threads.indexOf(thread) + 1;
    const numbered = number > 1 ? { thread: number } : {};
    told.push({
      places,
      ...numbered,
      functionOf: ({ frame }) => (frame === undefined ? undefined : functions.get(frame)),
    });
  }
  const [first] = rank.threads;
  signal?.throwIfAborted();
  if (first !== undefined) {
    const files = code.modules
      .filter(({ isExecutable, path }) => isExecutable || !isSystemLibrary(path, code.mpis))
      .map(({ path }) => path);
    told.push({ places: await floatsOfGlobals(first, files, signal), functionOf: () => undefined });
  }
  const finding = await lookAt(memoryOf(rank), told, signal);
  const lost = rank.lostFiles.filter(({ path }) => !isSystemLibrary(path, code.mpis));
  for (const file of lost)
    finding.notLookedAt.push({ expression: `all variables of ${basename(file.path)}`, reason: whyLost(file) });
  return finding;
}

/** What is in the memory of these places. */
export async function lookAt(
  image: ProcessImage,
  told: readonly Told[],
  signal: AbortSignal | undefined,
): Promise<RankFinding> {
  const budget: Budget = { bytes: maxBytes, signal };
  const finding: RankFinding = { found: [], notLookedAt: [], lookedAt: { variables: 0, elements: 0, bytes: 0 } };
  const seen: { start: bigint; end: bigint }[] = [];
  const known = new Set<string>();
  for (const { places, functionOf, thread } of told) {
    const variables = new Set<number>();
    const whereOf = (root: FloatRoot): Pick<FoundNan, Where> => placeOf(root, functionOf(root), thread);
    if (places.isCut) finding.lookedAt.isPartial = true;
    for (const place of places.places) {
      const root = places.roots[place.root]!;
      const { start, end } = spanOf(place);
      // One array has several names: those of the arguments that it is passed as.
      const key = `${place.address} ${place.format} ${JSON.stringify(place.dimensions)}`;
      if (known.has(key)) continue;
      known.add(key);
      seen.push({ start: place.address + start, end: place.address + end });
      variables.add(place.root);
      await lookAtPlace(image, place, {
        named: { ...place, language: root.language },
        where: whereOf(root),
        budget,
        finding,
      });
    }
    for (const { root: number, expression, text } of places.kept) {
      const root = places.roots[number]!;
      const value = /nan/i.test(text) ? 'NaN' : text.includes('-') ? '-Infinity' : 'Infinity';
      const counts = { nans: value === 'NaN' ? 1 : 0, infinities: value === 'NaN' ? 0 : 1, elements: 1 };
      finding.found.push({ expression, ...whereOf(root), ...counts, first: expression, value });
    }
    finding.lookedAt.variables += variables.size;
  }
  for (const { places, functionOf, thread } of told) {
    for (const { root: number, expression, why, address } of places.leftOut) {
      if (address !== undefined && seen.some(({ start, end }) => start <= address && address < end)) continue;
      const where = placeOf(places.roots[number]!, functionOf(places.roots[number]!), thread);
      finding.notLookedAt.push({ expression, ...frameIn(where), reason: why });
    }
  }
  finding.lookedAt.bytes = maxBytes - budget.bytes;
  return finding;
}

type Where = 'function' | 'thread' | 'source' | 'type';

async function lookAtPlace(
  image: ProcessImage,
  place: FloatPlace,
  {
    named,
    where,
    budget,
    finding,
  }: { named: Named; where: Pick<FoundNan, Where>; budget: Budget; finding: RankFinding },
): Promise<void> {
  const expression = nameOfAll(named);
  try {
    const { elements, nans, infinities, first, box } = await findNonFinite(image, place, budget);
    const isPartial = elements < spanOf(place).elements;
    finding.lookedAt.elements += elements;
    if (isPartial) finding.lookedAt.isPartial = true;
    if (first === undefined || box === undefined) return;
    const count = nans + infinities;
    const [only] = place.dimensions;
    const isBeyond = only?.least !== undefined && first.indices[0]! >= only.least;
    const inBox = box.from.reduce((product, low, i) => product * (box.to[i]! - low + 1), 1);
    finding.found.push({
      ...{ expression, ...where, nans, infinities, elements },
      ...(only?.least === undefined ? {} : { isAtMost: true }),
      first: nameOfElement(named, first.indices),
      value: first.kind,
      ...(count > 1 ? { box: { expression: nameOfBox(named, box.from, box.to), isFull: inBox === count } } : {}),
      ...(isBeyond ? { mayLieBeyondEnd: true } : {}),
      ...(isPartial ? { isPartial } : {}),
    });
  } catch (error) {
    if (!(error instanceof FaultError || error instanceof QueryError)) throw error;
    finding.notLookedAt.push({ expression, ...frameIn(where), reason: error.message });
  }
}

function placeOf({ type, source }: FloatRoot, name: string | undefined, thread?: number): Pick<FoundNan, Where> {
  return { ...frameIn({ function: name, thread }), ...(source && { source }), type };
}

function frameIn({ function: name, thread }: { function?: string | undefined; thread?: number | undefined }): {
  function?: string;
  thread?: number;
} {
  return { ...(name === undefined ? {} : { function: name }), ...(thread === undefined ? {} : { thread }) };
}

/** gdb without Python, or what gdb could not do, is the rank's answer; a lost gdb is told as everywhere. */
export function asQueryError(error: unknown): unknown {
  if (!(error instanceof GdbError) || error instanceof GdbLostError) return error;
  return new QueryError('MPIDBG_ERR_UNAVAILABLE', error.message);
}
