/** The rows of the Handles view beside the handles: what it does not know, it says. */
import assert from 'node:assert/strict';
import type { JobClient } from '../../../extension/ranks/job-client';
import type * as HandlesView from '../../../extension/views/handles-view';
import { loadWithEditor } from '../../support/with-editor';

const ocean = {
  ...{ kind: 'comm', code: 'MPIDBG_SUCCESS' },
  info: { handle: '0x1', name: 'ocean', flags: [], rank: 0, size: 2, localProcs: [0, 1] },
};
const unavailable = (kind: string, reason: string): object => ({ kind, code: 'MPIDBG_ERR_UNAVAILABLE', reason });

/** Label and description of the rows, for two ranks with these answers. */
async function rowsOf(answers: readonly object[], rest: object = {}, filter = ''): Promise<string[]> {
  const { Handles } = loadWithEditor<typeof HandlesView>('views/handles-view');
  const handles = new Handles();
  handles.filter = filter;
  const ranks = [0, 1].map((rank) => ({ rank, implementation: {}, answers, ...rest }));
  const job = { handles: async () => ({ ranks }) } as unknown as JobClient;
  return (await handles.rows(job)).map(({ label, description }) => `${label} | ${description ?? ''}`);
}

describe('the Handles view', () => {
  it('says what its lists leave out, filtered or not', async () => {
    const answers = [ocean, unavailable('datatype', 'there may be more')];
    const gap = 'datatype: there may be more | ranks 0-1';
    assert.deepEqual(await rowsOf(answers), ['MPI_Comm | 1', gap]);
    assert.deepEqual(await rowsOf(answers, {}, 'river'), ['No handle has "river" in it | ', gap]);
  });

  it('says why ranks list no handle at all, and not that there is none', async () => {
    const answers = ['comm', 'group'].map((kind) => unavailable(kind, 'MPI is not initialized'));
    assert.deepEqual(await rowsOf(answers), ['MPI is not initialized | ranks 0-1']);
    assert.deepEqual(await rowsOf([]), ['No handles | ']);
  });

  it('begins with what ranks that are ending have left', async () => {
    const [first] = await rowsOf([ocean], { ending: 'MPI_Finalize' });
    assert.equal(first, '1 object is still alive in MPI_Finalize: 1 MPI_Comm | ranks 0-1');
  });
});
