/** Decides, before any rank reaches a breakpoint, whether its condition and the expressions of its log message can be evaluated there. */
import type { Gdb } from '../gdb/gdb';
import { inWordsOf } from '../gdb/fortran-words';
import { checkCondition, checkConditionAt, type GdbBreakpoint } from '../gdb/mi/breakpoint-commands';
import { failureOf, inWords } from '../gdb/mi/failure';
import { namesElsewhere } from '../gdb/names-elsewhere';
import { GdbError } from '../gdb/mi/mi-connection';
import { conditionFault, unknownName, type ConditionFault } from '../gdb/python/condition-check';
import { withNamespacesAt } from '../gdb/python/cpp-expression';
import { fortranConditionAt } from '../gdb/python/fortran-conditions';
import { unknownIntrinsicIn } from '../gdb/python/text-intrinsics';
import { knownIntrinsics } from '../gdb/python/unknown-intrinsics';
import { reservedWords } from '../gdb/python/reserved-words';
import { foreignSymbol } from '../gdb/python/library-symbols';
import { innermostFrames } from '../stacks/gdb-stack';
import { isInCode, type BreakpointRequest } from './breakpoint-request';
import type { Rank, RankThread } from './rank';

/** From a request, written for gdb; see there. */
export interface RuleExpression {
  use: 'condition' | 'shown';
  expression: string;
  instead?: string | undefined;
}

/** `isPlaced` false: its code is in no library that is loaded yet, and it is to be checked again when one brings it. */
export interface CheckedExpression {
  isPlaced: boolean;
}

/**
 * Rejects with GdbError, in one sentence, for what would fail at every hit. `ranks`: those of this gdb. `placedIn`: the inferiors that
 * have the request's code, as far as that is known.
 */
export async function checkedExpression(
  gdb: Gdb,
  ranks: readonly Rank[],
  request: BreakpointRequest,
  expression: RuleExpression,
  placedIn: readonly string[] = [],
): Promise<CheckedExpression> {
  await checkedWords(ranks, expression.expression);
  const known = ranks.find(({ threadGroup }) => placedIn.includes(threadGroup))?.threads[0];
  const inCode = request.kind === 'data' ? await whereWatched(request) : request;
  return inCode === undefined ? { isPlaced: true } : checkedAt(gdb, ranks, inCode, expression, known);
}

/**
 * A watched place has no code: names are those of the function that its rank is in, or that has called into a library without
 * debug information, as MPI's are. Undefined: it runs.
 */
async function whereWatched(
  request: BreakpointRequest & { kind: 'data' },
): Promise<(BreakpointRequest & { kind: 'instruction' }) | undefined> {
  const { rank } = request.watched;
  const [thread] = rank.threads;
  if (thread === undefined) return undefined;
  try {
    const frames = await innermostFrames(thread);
    const frame = frames.find(({ file }) => file !== undefined) ?? frames[0];
    if (frame?.address === undefined) return undefined;
    // The return address of a call may be in the next block.
    return { ...request, kind: 'instruction', rank, instruction: frame.address - (frame.level === 0 ? 0n : 1n) };
  } catch (error) {
    if (error instanceof GdbError && error.failure.reason === 'running') return undefined;
    throw error;
  }
}

async function checkedAt(
  gdb: Gdb,
  ranks: readonly Rank[],
  request: BreakpointRequest,
  { use, expression, instead }: RuleExpression,
  known: RankThread | undefined,
): Promise<CheckedExpression> {
  const place = await parsedAt(gdb, ranks, request, expression, known).catch((error: unknown) => {
    // gdb takes the name for that of an intrinsic or a type, and is given another one at the hit.
    if (use === 'shown' && request.language === 'fortran' && hasReservedWord.test(expression) && isOfSyntax(error))
      return placeOf(gdb, ranks, request, undefined, known);
    throw error;
  });
  const thread = threadAt(ranks, place?.threadGroups[0]);
  if (thread !== undefined) {
    const language = request.language ?? 'c++';
    const at = { address: place?.address, language } as const;
    const fault = await conditionFault(thread, expression, at, use);
    const isCall = fault?.kind === 'call' || fault?.kind === 'text';
    const other = isCall && instead !== undefined ? await conditionFault(thread, instead, at, use) : fault;
    if (fault !== undefined && other !== undefined)
      throw new GdbError(wordsFor(other.kind === 'type' ? other : fault, use), '');
  }
  return { isPlaced: place === undefined || place.isPlaced };
}

/** Rejects with GdbError, in one sentence, for words with a dollar sign that nothing is called. */
async function checkedWords(ranks: readonly Rank[], expression: string): Promise<void> {
  const thread = threadAt(ranks, undefined);
  if (thread === undefined || !expression.includes('$')) return;
  const fault = await conditionFault(thread, expression, { address: undefined, language: 'c++' });
  if (fault !== undefined) throw new GdbError(wordsFor(fault), '');
}

const hasReservedWord = new RegExp(String.raw`\b(?:${reservedWords.join('|')})\s*\(`, 'i');

function isOfSyntax(error: unknown): boolean {
  return error instanceof GdbError && error.failure.reason !== 'noSymbol';
}

/** The same also for names that gdb knows only as namespace-names.ts writes them for the place. */
async function parsedAt(
  gdb: Gdb,
  ranks: readonly Rank[],
  request: BreakpointRequest,
  condition: string,
  known: RankThread | undefined,
): Promise<GdbBreakpoint | undefined> {
  try {
    return await placeOf(gdb, ranks, request, condition, known);
  } catch (error) {
    // A name that gdb takes for that of a type is an error of syntax, or another one.
    if (!(error instanceof GdbError) || (request.language !== 'fortran' && error.failure.reason !== 'noSymbol'))
      throw error;
    const place = await placeOf(gdb, ranks, request, undefined, known);
    const thread = threadAt(ranks, place?.threadGroups[0]);
    if (place?.address === undefined || thread === undefined) throw error;
    const isFortran = request.language === 'fortran';
    const { written, variables } = isFortran
      ? await fortranConditionAt(thread, place.address, condition)
      : { written: await withNamespacesAt(thread, place.address, condition), variables: [] };
    if (written !== condition) return placeOf(gdb, ranks, request, written, known);
    const intrinsic = isFortran ? unknownIntrinsicIn(condition, variables) : undefined;
    if (intrinsic !== undefined) throw new GdbError(noIntrinsic(intrinsic), error.command);
    if (error.failure.reason !== 'noSymbol') throw error;
    const elsewhere = await namesElsewhere(thread, error, isFortran ? 'fortran' : 'c');
    throw new GdbError([error.message.replace(/\.$/, ''), ...elsewhere].join('; '), error.command);
  }
}

/** Where gdb has parsed it; undefined: nowhere, as what throws and catches exceptions may be any code, or while its rank runs. */
async function placeOf(
  gdb: Gdb,
  ranks: readonly Rank[],
  request: BreakpointRequest,
  condition: string | undefined,
  known: RankThread | undefined,
): Promise<GdbBreakpoint | undefined> {
  if (isInCode(request)) {
    const place = await checkCondition(gdb, { ...request, language: languageFor(request) }, condition, known);
    if (condition !== undefined) await parsedInItsCode(ranks, request, condition, place);
    return place;
  }
  const [thread] = request.kind === 'instruction' ? request.rank.threads : [];
  if (request.kind !== 'instruction' || thread === undefined) return undefined;
  try {
    return await checkConditionAt(thread, `0x${request.instruction.toString(16)}`, {
      condition,
      language: request.language,
    });
  } catch (error) {
    if (error instanceof GdbError && error.failure.reason === 'running') return undefined;
    throw error;
  }
}

/** The functions of MPI have conditions in C, whatever frame is selected; elsewhere gdb takes the language of the place for what is not Fortran. */
function languageFor({ call, language }: BreakpointRequest): 'c' | 'fortran' | undefined {
  return call === undefined ? language : 'c';
}

/**
 * gdb parses a condition at each place, but knows the code of the current inferior only: at the places of others it takes the names of
 * whatever frame is selected. So each place of one inferior is tried by its address there; one that has the names is enough.
 */
async function parsedInItsCode(
  ranks: readonly Rank[],
  request: BreakpointRequest,
  condition: string,
  { addresses, threadGroups }: GdbBreakpoint,
): Promise<void> {
  const language = languageFor(request);
  const thread = threadAt(ranks, threadGroups[0]);
  if (thread === undefined || thread.rank.threadGroup !== threadGroups[0]) return;
  let why: GdbError | undefined;
  for (const address of addresses) {
    try {
      await checkConditionAt(thread, `0x${address.toString(16)}`, { condition, language });
      return;
    } catch (error) {
      if (!(error instanceof GdbError)) throw error;
      // Nothing is selected then: gdb has found the names at a place.
      if (error.failure.reason === 'running') return;
      why ??= error;
    }
  }
  if (why !== undefined) throw why;
}

/** What a user reads where a condition fails at a hit; `why`: in gdb's words. */
export function whyUnevaluated(why: string, language: 'c' | 'fortran'): string {
  return failureOf(why).reason === 'mayNotCall'
    ? wordsFor({ kind: 'call', what: '' })
    : inWords(inWordsOf(language, why));
}

function noIntrinsic(name: string): string {
  return `mpidbg does not know the intrinsic ${name}: it knows ${knownIntrinsics}`;
}

const operandsDiffer =
  'has no meaning for its operands: compare numbers with numbers, CHARACTER variables with a text as in ' +
  'name == "ocean", and of arrays and COMPLEX variables one element or part';

function threadAt(ranks: readonly Rank[], group: string | undefined): RankThread | undefined {
  const rank = ranks.find(({ threadGroup }) => threadGroup === group) ?? ranks[0];
  return rank?.threads[0];
}

function wordsFor({ kind, what, part }: ConditionFault, use: RuleExpression['use'] = 'condition'): string {
  const text = use === 'condition' ? 'condition' : 'log message';
  switch (kind) {
    case 'unknown':
      return unknownName(what);
    case 'absent':
      return `no variable is called ${what} there: a function without debug information has no variables that are known, and a ${text} there may ask for global ones`;
    case 'foreign':
      return foreignSymbol(what);
    case 'call': {
      const called = what === '' ? 'a function or an operator of the program' : what;
      const instead = /^(str|mem|wcs)\w*cmp$/.test(what)
        ? 'compare text as in name == "ocean"'
        : (part ?? 'compare its variables instead');
      return `the ${text} would call ${called}, and mpidbg runs no code in a rank: ${instead}`;
    }
    case 'text':
      return 'a literal text can only be compared, as in name == "ocean": for anything else gdb would call malloc in the program';
    case 'type':
      return what;
    case 'operands':
      return `an operator of the ${text} ${operandsDiffer}`;
  }
}
