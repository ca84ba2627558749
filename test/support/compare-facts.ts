/**
 * Compares answers with what MPI told, fact by fact. A fact is one leaf value, one length of an array, one set of flags,
 * or one code; what differs is a sentence. Nothing is passed over: a part that the answer has and MPI has not is a
 * difference too, and so is a field of the record that the answer leaves out.
 */
import assert from 'node:assert/strict';
import type { Answer, Document, HandleKind } from '../../plugin-api/mpi/records';
import type { TruthRecord } from './truth';

export interface Comparison {
  /** Values that were compared, equal or not. */
  facts: number;
  /** One sentence per difference, "rank 2 ocean: size is 5, MPI says 4". Empty: all agree. */
  differences: string[];
}

type Fields = Record<string, unknown>;

/** Fields that MPI has no call for: they must be there, known or with a reason why not, and are not compared. */
const untold: Partial<Record<HandleKind, string[]>> = {
  comm: ['contextId', 'pendingRequests', 'derivedWindows', 'derivedFiles'],
};

/** Flags that MPI has no call for; a library may not know them either, and then says so in unknownFlags. */
const untoldFlags = ['topoReordered', 'dynamic', 'freedHandle', 'freedObject', 'internal'];

/** Arrays whose order has no meaning, and what to order them by. */
const unordered: Record<string, (element: unknown) => number> = {
  attributes: (attribute) => (attribute as { keyval: number }).keyval,
};

/** Fails, with the first differences, unless all agree and at least so many facts were compared; prints their number. */
export function assertAgree({ facts, differences }: Comparison, atLeast: number): void {
  const shown = differences.slice(0, 40).join('\n');
  assert.equal(differences.length, 0, `${differences.length} of ${facts} facts differ:\n${shown}`);
  assert.ok(facts >= atLeast, `only ${facts} facts were compared, not ${atLeast}`);
  console.log(`      ${facts} facts compared`);
}

/** Compares all ranks of a document. `truth`: of all ranks that it should hold. */
export function compareDocument(truth: TruthRecord[], document: Document): Comparison {
  const result: Comparison = { facts: 0, differences: [] };
  const ranks = [...new Set(truth.map(({ rank }) => rank))];
  const found = document.ranks.map(({ rank }) => rank);
  compareValue('the ranks', ranks, found, result);
  for (const rank of ranks) {
    const entry = document.ranks.find((candidate) => candidate.rank === rank);
    if (entry === undefined) continue;
    if ('error' in entry) result.differences.push(`rank ${rank} failed: ${entry.error.code} ${entry.error.reason}`);
    else {
      const ofRank = truth.filter((record) => record.rank === rank);
      add(result, compareFacts(ofRank, entry.answers));
    }
  }
  return result;
}

/** Compares the answers of one rank, which are all its answers to questions(truth). */
export function compareFacts(truth: TruthRecord[], answers: Answer[]): Comparison {
  const result: Comparison = { facts: 0, differences: [] };
  const remaining = [...answers];
  for (const record of truth) {
    result.facts++;
    const index = remaining.findIndex(({ expression }) => expression === record.expression);
    const [answer] = index < 0 ? [] : remaining.splice(index, 1);
    if (answer !== undefined) compareAnswer(record, answer, result);
    else result.differences.push(`rank ${record.rank} ${record.expression}: no answer`);
  }
  for (const { expression, code } of remaining) {
    result.differences.push(`rank ${truth[0]?.rank} ${expression}: an answer too many (${code})`);
  }
  return result;
}

function compareAnswer(record: TruthRecord, answer: Answer, result: Comparison): void {
  const where = `rank ${record.rank} ${record.expression}:`;
  if (answer.code !== record.code && answer.code !== 'MPIDBG_SUCCESS') {
    result.facts++;
    result.differences.push(`${where} code is ${answer.code} (${answer.reason}), not ${record.code}`);
    return;
  }
  compareValue(`${where} code`, record.code, answer.code, result);
  if (answer.code !== 'MPIDBG_SUCCESS') {
    if (answer.reason.trim() === '') result.differences.push(`${where} no reason is given`);
  } else if (record.told !== undefined) {
    compareValue(`${where} kind`, record.told.kind, answer.kind, result);
    compareInfo(where, record.told, answer.info as object as Fields, result);
  }
}

function compareInfo(
  where: string,
  told: { kind: HandleKind; info: Fields },
  actual: Fields,
  result: Comparison,
): void {
  const { flags, ...fields } = told.info;
  const notTold = isNull(flags as string[]) ? [] : (untold[told.kind] ?? []);
  compareFlags(where, flags as string[], actual, result);
  for (const [name, value] of Object.entries(fields)) compareField(where, name, value, actual[name], result);
  for (const name of notTold) {
    if (actual[name] === undefined) result.differences.push(`${where} ${name} is left out`);
  }
  const known = [...Object.keys(told.info), ...notTold, 'unknownFlags'];
  for (const name of Object.keys(actual)) {
    if (!known.includes(name)) result.differences.push(`${where} ${name} is ${show(actual[name])}, MPI has none`);
  }
}

function compareField(where: string, name: string, expected: unknown, actual: unknown, result: Comparison): void {
  const key = unordered[name];
  if (key === undefined || !Array.isArray(actual)) return compareValue(`${where} ${name}`, expected, actual, result);
  const sorted = (array: unknown[]): unknown[] => [...array].sort((a, b) => key(a) - key(b));
  compareValue(`${where} ${name}`, sorted(expected as unknown[]), sorted(actual), result);
}

function compareFlags(where: string, expected: string[], actual: Fields, result: Comparison): void {
  const flags = (actual['flags'] as string[] | undefined) ?? [];
  const unknown = (actual['unknownFlags'] as string[] | undefined) ?? [];
  for (const flag of unknown) {
    if (!untoldFlags.includes(flag)) result.differences.push(`${where} flag ${flag} is unknown, though MPI tells it`);
    if (flags.includes(flag)) result.differences.push(`${where} flag ${flag} is both set and unknown`);
  }
  const comparable = expected.filter((flag) => !unknown.includes(flag));
  compareValue(`${where} flags`, [...comparable].sort().join(' '), [...flags].sort().join(' '), result);
}

/** Arrays: length, then each element. Objects: the same fields, then each. Else: one fact. */
function compareValue(what: string, expected: unknown, actual: unknown, result: Comparison): void {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    compareValue(`${what}, how many,`, expected.length, actual.length, result);
    expected.forEach((element, i) => compareValue(`${what}[${i}]`, element, actual[i], result));
  } else if (isObject(expected) && isObject(actual)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      compareValue(`${what}.${name}`, expected[name], actual[name], result);
    }
  } else {
    result.facts++;
    if (actual !== expected) result.differences.push(`${what} is ${show(actual)}, MPI says ${show(expected)}`);
  }
}

function isNull(flags: string[]): boolean {
  return flags.some((flag) => flag.endsWith('Null'));
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}

function add(result: Comparison, other: Comparison): void {
  result.facts += other.facts;
  result.differences.push(...other.differences);
}
