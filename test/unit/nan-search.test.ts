/** A search for NaN that the user cancels ends at once, and is refused as cancelled. */
import assert from 'node:assert/strict';
import { RankRequests } from '../../adapter/dap/queries/rank-requests';
import type { Asked } from '../../adapter/questions/question';

type Parts = ConstructorParameters<typeof RankRequests>[0];

describe('a search for NaN', () => {
  it('tells its progress, and ends when that is cancelled', async () => {
    const sent: unknown[] = [];
    let isSearching = (): void => undefined;
    const searching = new Promise<void>((resolve) => (isSearching = resolve));
    const parts: Pick<Parts, 'client'> & { focus: object; frames: object; asking: object } = {
      client: { send: (name, body) => void sent.push({ name, ...body }) },
      focus: { named: () => [{}, {}] },
      frames: {},
      asking: {
        ask: (_question: unknown, _args: unknown, { signal, onProgress }: Pick<Asked, 'signal' | 'onProgress'>) =>
          new Promise((_, reject) => {
            onProgress?.(1);
            signal?.addEventListener('abort', () => reject(signal.reason as Error));
            isSearching();
          }),
      },
    };
    const requests = new RankRequests(parts as Parts);
    const refused = assert.rejects(requests.nan({ ranks: '0-1' }), { message: 'cancelled' });
    await searching;
    requests.cancelSearch('nan-7');
    requests.cancelSearch('nan-1');
    await refused;
    assert.deepEqual(sent, [
      { name: 'progressStart', progressId: 'nan-1', title: 'MPI: looking for NaN', cancellable: true },
      { name: 'progressUpdate', progressId: 'nan-1', message: '1 of 2 ranks searched', percentage: 50 },
      { name: 'progressEnd', progressId: 'nan-1' },
    ]);
  });
});
