import assert from 'node:assert/strict';
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import type * as HangView from '../../../extension/views/hang-view';
import type { Row } from '../../../extension/views/row';
import { loadWithEditor } from '../../support/with-editor';

describe('the rows of why a job hangs', () => {
  const { hangRows } = loadWithEditor<typeof HangView>('views/hang-view');
  const waiting = (rank: number, waitsFor: number[], mode?: string): object => ({
    ...{ rank, thread: 1, state: 'blocked', call: 'MPI_Waitall', where: 'a.c:3', waitsFor, mode },
  });
  const fact = 'has sent a message to rank 2, which nobody receives, and waits in MPI_Waitall (a.c:3)';
  const [verdict, places] = hangRows({
    ...{ verdict: 'deadlock', type: 'tag-mismatch', sentence: '', culprits: [] },
    evidence: [0, 3].map((rank) => ({ rank, fact })).concat({ rank: 2, fact: 'is in its own code' }),
    ranks: [waiting(0, [2]), waiting(3, [2]), waiting(2, [0, 3], 'OR')],
  } as unknown as HangDocument);
  const texts = ({ children = [] }: Row): string[] =>
    children.map(({ label, description }) => `${label} ${description}`);

  it('say of several ranks what they do in the plural, of one in the singular', () => {
    assert.deepEqual(texts(verdict), [
      'ranks 0,3 have sent a message to rank 2, which nobody receives, and wait in MPI_Waitall (a.c:3)',
      'rank 2 is in its own code',
    ]);
    assert.deepEqual(texts(places), [
      'ranks 0,3 MPI_Waitall at a.c:3, wait for 2',
      'rank 2 MPI_Waitall at a.c:3, waits for one of 0,3',
    ]);
  });
});
