/** The program's calls as text, as rows of CSV and in a trace: names as they are where no person reads them. */
import assert from 'node:assert/strict';
import { callRows } from '../../plugin-api/answers/csv/calls-csv';
import { callsText } from '../../plugin-api/answers/text/calls-text';
import { traceOf } from '../../plugin-api/answers/trace/trace-events';
import type { OverlayDocument, ToldCall } from '../../plugin-api/overlays/records';

const ocean = { kind: 'comm', handle: '0x84000001', name: 'ocean "deep"' } as const;
const unnamed = { kind: 'comm', handle: '0x84000002' } as const;

function document(calls: readonly Partial<ToldCall>[]): OverlayDocument {
  const told = calls.map((call, i) => ({ name: 'MPI_Barrier', begin: i, end: i + 0.5, ...call }));
  const clock = { start: '2026-11-25T00:00:00.000Z', now: 9 };
  const collector = { version: '1', clock, collects: ['calls' as const], overwritten: 0, denied: [] };
  return {
    schema: 'mpidbg/1',
    target: 'live',
    ranks: [{ rank: 0, collector, calls: [{ thread: 7, total: 40, calls: told }] }],
  };
}

describe('calls', () => {
  const some = document([{ comm: ocean }, { comm: unnamed, peer: -5 }]);

  it('have names in quotes as text, as all objects have', () => {
    assert.equal(
      callsText(some),
      [
        '0: 40 MPI calls, the last 2',
        '  0.000000  MPI_Barrier on "ocean \\"deep\\""  500000.0 µs',
        '  1.000000  MPI_Barrier to -5 on 0x84000002  500000.0 µs',
        '',
      ].join('\n'),
    );
  });

  it('have names as they are in CSV and in a trace', () => {
    const rows = callRows(some).split('\n');
    assert.equal(rows[0], '0,7,0.000000000,0.500000000,MPI_Barrier,"ocean ""deep""",,,,,');
    assert.equal(rows[1], '0,7,1.000000000,1.500000000,MPI_Barrier,0x84000002,-5,,,,');
    const { traceEvents } = traceOf(some);
    assert.deepEqual(
      traceEvents.flatMap(({ ph, args }) => (ph === 'X' ? [args] : [])),
      [{ comm: 'ocean "deep"' }, { comm: '0x84000002', peer: -5 }],
    );
  });

  it('say how many there are of the names that were asked for', () => {
    const heading = (of: OverlayDocument): string | undefined => callsText(of, true).split('\n')[0];
    assert.equal(heading(some), '0: 40 MPI calls, the last 2 of these names');
    assert.equal(heading(document([])), '0: 40 MPI calls, none of these names among the last ones');
  });
});
