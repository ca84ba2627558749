/** The answers of one `mpidbg show` that was asked two things at once. */
import assert from 'node:assert/strict';
import type { Answer, Document } from '../../plugin-api/mpi/records';

/** Without each rank's answers to the last `count` expressions, each of which has one; and those, by rank. */
export function splitAnswers(document: Document, count: number): { first: Document; last: Answer[][] } {
  const last: Answer[][] = [];
  const ranks = document.ranks.map((rank) => {
    if ('error' in rank) return rank;
    const border = rank.answers.length - count;
    assert.ok(border >= 0, `rank ${rank.rank} has ${rank.answers.length} answers, not ${count} and more`);
    last.push(rank.answers.slice(border));
    return { ...rank, answers: rank.answers.slice(0, border) };
  });
  return { first: { ...document, ranks }, last };
}
