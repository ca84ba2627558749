/** Which receive is believed to have failed in a call, of those that the library still has. */
import assert from 'node:assert/strict';
import { failedReceive } from '../../adapter/query/deaths/failed-receive';
import { mpiRoutine } from '../../plugin-api/fortran/bindings';
import { cArguments } from '../../plugin-api/fortran/c-arguments';
import type { FailedReceive } from '../../plugin-api/mpi/failed-receive';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import { success, unavailable } from '../../plugin-api/result';

const truncated = 15;

function processWith(receives: readonly FailedReceive[]): MpiProcess {
  const integer = (value: number) => ({ kind: 'integer', value }) as const;
  const constants = new Map([
    ['MPI_ERR_TRUNCATE', integer(truncated)],
    ['MPI_ERR_IN_STATUS', integer(18)],
  ]);
  return {
    constants: async () => constants,
    failedReceives: async () => success([...receives]),
  } as unknown as MpiProcess;
}

const from = (source: number, tag: number, bytes: FailedReceive['bytes'] = 32): FailedReceive => ({
  ...{ errorClass: truncated, source, tag, bytes },
});
const argument = (name: string, number: number, size?: number) => ({
  ...{ name, text: String(number), number },
  ...(size !== undefined && { size }),
});
const receive = {
  call: 'MPI_Recv',
  passed: [argument('datatype', 0, 4), argument('source', 0), argument('tag', 7)],
};
const waitall = { call: 'MPI_Waitall', passed: [argument('count', 2)] };

describe('the receive that has failed', () => {
  it('is the one that fits the call', async () => {
    const mpi = processWith([from(0, 8, 12), from(0, 7)]);
    assert.deepEqual(await failedReceive(mpi, receive, 'MPI_ERR_TRUNCATE', ''), {
      truncated: { message: 8, unit: 'elements' },
      failedReceive: { source: 0, tag: 7, passed: [] },
    });
    assert.deepEqual(await failedReceive(mpi, receive, 'MPI_ERR_RANK', ''), {});
    assert.deepEqual(await failedReceive(mpi, { ...receive, call: 'MPI_Bcast' }, 'MPI_ERR_TRUNCATE', ''), {});
  });

  it('is unknown where several may be it', async () => {
    assert.deepEqual(await failedReceive(processWith([from(0, 8), from(0, 7)]), waitall, 'MPI_ERR_IN_STATUS', ''), {});
    assert.deepEqual(
      await failedReceive(processWith([from(0, 7, 12), from(0, 7)]), receive, 'MPI_ERR_TRUNCATE', ''),
      {},
    );
  });

  it('tells the class of an error that is in its status', async () => {
    const bytes = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'not counted');
    assert.deepEqual(await failedReceive(processWith([from(3, 7, bytes)]), waitall, 'MPI_ERR_IN_STATUS', ''), {
      ...{ errorClass: 'MPI_ERR_TRUNCATE', isInStatus: true },
      failedReceive: { source: 3, tag: 7, passed: [] },
    });
  });

  it('has the sizes that the text of the error tells', async () => {
    const text = 'Message from rank 0 and tag 7 truncated; 32 bytes received but buffer size is 16';
    assert.deepEqual((await failedReceive(processWith([]), receive, 'MPI_ERR_TRUNCATE', text)).truncated, {
      ...{ message: 8, buffer: 4, unit: 'elements' },
    });
  });
});

describe('an argument of a routine of MPI', () => {
  it('is passed in C as its prototype says', () => {
    for (const [routine, ...words] of [
      ['mpi_waitsome', 'int', 'other', 'other', 'other', 'other'],
      ['mpi_get_count', 'other', 'handle', 'other'],
      ['mpi_unpack', 'other', 'int', 'other', 'other', 'int', 'handle', 'handle'],
      ['mpi_put', 'other', 'int', 'handle', 'int', 'long', 'int', 'handle', 'handle'],
      ['mpi_file_open', 'handle', 'text', 'int', 'handle', 'pointer'],
      ['mpi_cancel', 'pointer'],
    ] as const)
      assert.deepEqual(cArguments(routine), words);
    assert.equal(cArguments('mpi_of_the_future'), undefined);
    assert.equal(mpiRoutine('mpi_put')?.length, 9);
  });
});
