/** MPICH's thread level, which no symbol names, in hand-made data. */
import assert from 'node:assert/strict';
import type { Decoder } from '../../plugin-api/plugins/mpich/handles';
import { threadLevel } from '../../plugin-api/plugins/mpich/thread-level';
import { FaultError, QueryError } from '../../plugin-api/result';

/** What glibc keeps of a thread begins with its own address, twice. */
const thread = 0x7f0000001780n;
/** Another variable of the library: an address, aligned alike. */
const other = 0x7f0000002000n;

function levelIn(...words: bigint[]): Promise<string> {
  const data = [{ address: 0x1000n, words: new Int32Array(new BigUint64Array(words).buffer) }];
  const image = {
    readMemory: (address: bigint, length: number) =>
      address === thread
        ? Promise.resolve(new Uint8Array(new BigUint64Array([thread, 5n, thread]).buffer))
        : address === other
          ? Promise.resolve(new Uint8Array(length))
          : Promise.reject(new FaultError(address, length)),
  };
  return threadLevel({ image, objects: { data } } as unknown as Decoder);
}

describe("MPICH's thread level", () => {
  it('lies before the thread that has initialised MPI', async () => {
    assert.equal(await levelIn(7n, 0n, thread, 0n), 'MPI_THREAD_SINGLE');
    assert.equal(await levelIn(7n, 2n, thread, 0n, 9n), 'MPI_THREAD_SERIALIZED');
    assert.equal(await levelIn(3n, thread, 1n, 0n), 'MPI_THREAD_MULTIPLE');
  });

  it('is not taken from the owner of a lock, nor from other addresses', async () => {
    const [unlocked, locked] = [0n, 1n];
    assert.equal(await levelIn(3n, thread, 1n, unlocked, thread, locked), 'MPI_THREAD_MULTIPLE');
    assert.equal(await levelIn(2n, other, 0n, 1n, thread, 0n, 0x7f0000004000n), 'MPI_THREAD_FUNNELED');
  });

  it('is not known where nothing fits, or two do', async () => {
    for (const words of [
      [0n, 0n],
      [4n, thread, 0n],
      [3n, thread, 0n],
      [1n, thread, 0n, 2n, thread, 0n],
    ])
      await assert.rejects(levelIn(...words), QueryError);
  });
});
