/**
 * Compares answers with what MPI told, fact by fact. A fact is one leaf value, one length of an array, one set of flags,
 * or one code; what differs is a sentence. Nothing is passed over: a part that the answer has and MPI has not is a
 * difference too, and so is a field of the record that the answer leaves out.
 */
import assert from 'node:assert/strict';
import type { Answer, Document } from '../../plugin-api/mpi/records';
import { compareInfo, type Circumstances } from './compare-info';
import type { ByteRun, NamedTypes } from './compare-type-map';
import { add, compareValue, type Comparison, type Fields } from './comparison';
import { libraryOf, type Library } from './excused';
import type { TruthRecord } from './truth';

/** Fails, with the first differences, unless all agree and at least so many facts were compared; prints their number. */
export function assertAgree({ facts, differences }: Comparison, atLeast: number): void {
  const shown = differences.slice(0, 40).join('\n');
  assert.equal(differences.length, 0, `${differences.length} of ${facts} facts differ:\n${shown}`);
  assert.ok(facts >= atLeast, `only ${facts} facts were compared, not ${atLeast}`);
  console.log(`      ${facts} facts compared`);
}

/** Compares all ranks of a document. `truth`: of all ranks that it should hold. `library`: for what it does not keep. */
export function compareDocument(truth: TruthRecord[], document: Document, library?: Library): Comparison {
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
      const { implementation } = entry;
      const version = 'version' in implementation ? implementation.version : '';
      add(result, compareFacts(ofRank, entry.answers, libraryOf(library, version)));
    }
  }
  return result;
}

/**
 * Compares the answers of one rank, which are all its answers to questions(truth). `earlier`: what the rank told before,
 * of MPI's named types.
 */
export function compareFacts(
  truth: TruthRecord[],
  answers: Answer[],
  library?: Library,
  earlier: TruthRecord[] = [],
): Comparison {
  const circumstances: Circumstances = { library, types: namedTypes([...earlier, ...truth]) };
  const result: Comparison = { facts: 0, differences: [] };
  const remaining = [...answers];
  for (const record of truth) {
    result.facts++;
    const index = remaining.findIndex(({ expression }) => expression === record.expression);
    const [answer] = index < 0 ? [] : remaining.splice(index, 1);
    if (answer !== undefined) compareAnswer(record, answer, circumstances, result);
    else result.differences.push(`rank ${record.rank} ${record.expression}: no answer`);
  }
  for (const { expression, code } of remaining) {
    result.differences.push(`rank ${truth[0]?.rank} ${expression}: an answer too many (${code})`);
  }
  return result;
}

function compareAnswer(record: TruthRecord, answer: Answer, circumstances: Circumstances, result: Comparison): void {
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
    compareInfo(where, record.told, answer.info as object as Fields, circumstances, result);
  }
}

/** The bytes of the named types of one rank's truth, by their constants, which the program may have renamed. */
function namedTypes(truth: TruthRecord[]): NamedTypes {
  const byName = new Map<string, readonly ByteRun[]>();
  const byConstant = new Map<string, readonly ByteRun[]>();
  for (const { told, expression } of truth) {
    if (told?.kind !== 'datatype' || told.info['combiner'] !== 'MPI_COMBINER_NAMED' || !told.info['bytes']) continue;
    byName.set(told.info['name'] as string, told.info['bytes'] as ByteRun[]);
    if (expression.startsWith('MPI_')) byConstant.set(expression, told.info['bytes'] as ByteRun[]);
  }
  return new Map([...byName, ...byConstant]);
}
