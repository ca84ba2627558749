/** Ranks that ask in a loop: their movement is no progress, and what lies at them is named. */
import assert from 'node:assert/strict';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { verdictOf } from '../../plugin-api/hang/verdict';
import { computes, inCall, jobOf, sent, type Told } from '../support/hang-state';

const probes = (tag: number | 'MPI_ANY_TAG', rest: Omit<Told, 'calls'> = {}): Told =>
  inCall('MPI_Iprobe', { peer: 'MPI_ANY_SOURCE', tag, where: 'x.c:5' }, rest);
const tests = inCall('MPI_Test', { where: 'x.c:9' });

function judge(first: readonly Told[], last: readonly Told[], ignoresOwnCode = false): HangDocument {
  return verdictOf({ target: 'live', looks: [jobOf(first), jobOf(last)], seconds: 1, ignoresOwnCode }).document;
}

describe('ranks that ask in a loop', () => {
  it('make no progress by what they do between two questions', () => {
    for (const [first, last] of [
      [tests, computes],
      [computes, tests],
      [tests, probes(8)],
    ] as const) {
      const { verdict, sentence } = judge([first, tests], [last, tests]);
      assert.equal(verdict, 'unknown', sentence);
      assert.match(sentence, /poll/);
    }
  });

  it('are told with each call that their loop asks with, as it is not known which comes next', () => {
    const between = (...asks: string[]): Told => ({ calls: [{ state: 'polling', where: 'x.c:7', asks }] });
    const told = (own: Told): string => judge([own, tests], [own, tests]).sentence;
    assert.match(told(between('MPI_Test')), /Rank 0 polls with MPI_Test at x\.c:7\./);
    assert.match(
      told(between('MPI_Iprobe', 'MPI_Testany', 'MPI_Test')),
      /Rank 0 polls with MPI_Iprobe, MPI_Testany or MPI_Test at x\.c:7\./,
    );
  });

  it('make progress when messages come or go', () => {
    const now = { ...tests, traffic: 'b' };
    assert.equal(judge([{ ...tests, traffic: 'a' }, tests], [now, tests]).verdict, 'progress');
  });

  it('are told of the message that they do not ask for', () => {
    const at = sent(0, 9);
    const told = /Rank 0's message with tag 9 on MPI_COMM_WORLD lies at rank 1, which asks for tag 8\./;
    assert.match(judge([tests, probes(8, at)], [tests, probes(8, at)]).sentence, told);
    const several = { queues: { unexpected: [9, 19, 29].map((tag) => ({ peer: 0, tag })) } };
    assert.match(
      judge([tests, probes(8, several)], [tests, probes(8, several)]).sentence,
      /Rank 0's messages with various tags \(9,19,29\) on MPI_COMM_WORLD lie at rank 1, which asks for tag 8\./,
    );
    for (const taken of [probes(9, at), probes('MPI_ANY_TAG', at)])
      assert.doesNotMatch(judge([tests, taken], [tests, taken]).sentence, /lies at/);
  });

  it('are told of their own messages that are pending, and how many others there are', () => {
    const receives = (...peers: number[]): Told => ({
      ...tests,
      queues: { posted: peers.map((peer) => ({ peer, tag: 10 + peer })) },
    });
    const told = (own: Told): string => judge([own, tests, tests], [own, tests, tests]).sentence;
    assert.match(told(receives(1)), /\. Rank 0 has a receive from rank 1 with tag 11 on MPI_COMM_WORLD pending\./);
    assert.match(told(receives(1, 2)), / rank 1 with tag 11 .* and a receive from rank 2 with tag 12 .* pending\./);
    assert.match(told(receives(1, 2, 1, 2, 1)), / and 2 other messages pending\./);
    const sends = { ...tests, queues: { sends: [{ peer: 2, tag: 4 }] } };
    assert.match(told(sends), /Rank 0 has a send to rank 2 with tag 4 on MPI_COMM_WORLD pending\./);
    const internal = { ...tests, queues: { posted: [{ peer: 1, tag: -5, internal: true as const }] } };
    assert.doesNotMatch(told(internal), /pending/);
  });

  it('have not moved where nothing in their own code counts', () => {
    const elsewhere: Told = { calls: [{ state: 'running', where: 'a.c:11' }] };
    const { verdict, sentence } = judge([computes, tests], [elsewhere, tests], true);
    assert.equal(verdict, 'unknown', sentence);
    assert.doesNotMatch(sentence, /goes on/);
  });
});
