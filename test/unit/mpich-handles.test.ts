import assert from 'node:assert/strict';
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { MockMpich } from '../support/mock-mpich';

async function open(mock: MockMpich): Promise<MpiProcess> {
  const process = await mpich.open(mock.image);
  assert.ok(process !== undefined);
  return process;
}

/** "CODE: reason" of a communicator query that fails. */
async function failureOf(mock: MockMpich, handle: bigint): Promise<string> {
  const answer = await (await open(mock)).query('comm', handle);
  assert.ok(!answer.ok, 'the query succeeded');
  return `${answer.code.slice('MPIDBG_'.length)}: ${answer.reason}`;
}

describe('a handle of MPICH', () => {
  it('that is null is a success in every state', async () => {
    for (const state of ['notInitialized', 'initialized', 'finalized'] as const) {
      const answer = await (await open(new MockMpich({ state }))).query('comm', 0x04000000n);
      assert.deepEqual(answer, {
        ok: true,
        value: {
          handle: '0x4000000',
          fortranHandle: 0x04000000,
          name: 'MPI_COMM_NULL',
          flags: ['predefined', 'commNull'],
        },
      });
    }
  });

  it('of each kind may be null', async () => {
    const process = await open(new MockMpich());
    const nulls: [HandleKind, bigint, string][] = [
      ['datatype', 0x0c000000n, 'MPI_DATATYPE_NULL'],
      ['errhandler', 0x14000000n, 'MPI_ERRHANDLER_NULL'],
      ['file', 0n, 'MPI_FILE_NULL'],
      ['group', 0x08000000n, 'MPI_GROUP_NULL'],
      ['info', 0x1c000000n, 'MPI_INFO_NULL'],
      ['message', 0x2c000000n, 'MPI_MESSAGE_NULL'],
      ['op', 0x18000000n, 'MPI_OP_NULL'],
      ['request', 0x2c000000n, 'MPI_REQUEST_NULL'],
      ['session', 0x38000000n, 'MPI_SESSION_NULL'],
      ['win', 0x20000000n, 'MPI_WIN_NULL'],
    ];
    for (const [kind, handle, name] of nulls) {
      const answer = await process.query(kind, handle);
      assert.ok(answer.ok && 'name' in answer.value, kind);
      assert.equal(answer.value.name, name);
    }
  });

  it('says whether MPI is not yet or no longer initialised', async () => {
    assert.equal(
      await failureOf(new MockMpich({ state: 'notInitialized' }), 0x44000000n),
      'ERR_UNAVAILABLE: MPI is not initialised yet: only null handles exist',
    );
    assert.equal(
      await failureOf(new MockMpich({ state: 'finalized' }), 0x44000000n),
      'ERR_UNAVAILABLE: MPI is finalised: only null handles exist',
    );
  });

  it('that was never set is 0', async () => {
    assert.equal(
      await failureOf(new MockMpich(), 0n),
      'ERR_NOT_FOUND: 0 is not a handle of MPICH: the communicator variable may never have been set',
    );
  });

  it('of another kind says which', async () => {
    const mock = new MockMpich();
    assert.equal(
      await failureOf(mock, 0x4c000405n),
      'ERR_NOT_FOUND: 0x4c000405 is MPI_INT, a datatype, not a communicator handle',
    );
    assert.equal(
      await failureOf(mock, 0xac000003n),
      'ERR_NOT_FOUND: 0xac000003 has the form of a handle of a request, not a communicator handle',
    );
    assert.equal(
      await failureOf(mock, 0x20000005n),
      'ERR_NOT_FOUND: 0x20000005 is a null handle of a window, not a communicator handle',
    );
    assert.equal(
      await failureOf(mock, 0xdeadbeefn),
      'ERR_NOT_FOUND: 0xdeadbeef has the form of a handle of an info object, not a communicator handle',
    );
    assert.equal(
      await failureOf(mock, 0x10000001n),
      'ERR_NOT_FOUND: 0x10000001 is not a handle of MPICH: its bits name no kind of object',
    );
  });

  it('with the bits of a null handle is none but the one', async () => {
    assert.equal(
      await failureOf(new MockMpich(), 0x04000001n),
      'ERR_NOT_FOUND: 0x4000001 is neither MPI_COMM_NULL nor a handle of an object',
    );
  });

  it('has 32 bits, which may come as a signed number', async () => {
    const mock = new MockMpich();
    mock.comm({ name: 'ocean' });
    const answer = await (await open(mock)).query('comm', BigInt(0x84000000 | 0));
    assert.ok(answer.ok);
    assert.equal(answer.value.handle, '0x84000000');
    assert.equal(await failureOf(mock, 0x1_8400_0000n), 'ERR_NOT_FOUND: 0x184000000 is not a 32-bit handle of MPICH');
  });

  it('outside its pool is out of range', async () => {
    const mock = new MockMpich();
    for (const handle of [0x84000008n, 0xc4000000n, 0x44000003n])
      assert.match(
        await failureOf(mock, handle),
        /^ERR_OUT_OF_RANGE: .* no communicator with this index, the pool has 8$/,
      );
    mock.commInBlock(3, {});
    assert.match(await failureOf(mock, 0xc4000400n), /^ERR_OUT_OF_RANGE: .* the pool has 1032$/);
    assert.match(await failureOf(mock, 0xc4001000n), /^ERR_OUT_OF_RANGE/);
  });

  it('leads into blocks of the heap', async () => {
    const mock = new MockMpich();
    const handle = mock.commInBlock(1023, { name: 'the last of a block' });
    const answer = await (await open(mock)).query('comm', handle);
    assert.ok(answer.ok);
    assert.equal(answer.value.name, 'the last of a block');
  });

  it('of an object that was never made is not found', async () => {
    assert.equal(
      await failureOf(new MockMpich(), 0x44000002n),
      'ERR_NOT_FOUND: 0x44000002: either no communicator was ever created with this handle, or it has been overwritten (its own handle reads 0x0)',
    );
  });

  it('of an object on the list of free ones was freed', async () => {
    const mock = new MockMpich();
    const [first, second] = [mock.comm(), mock.comm()];
    mock.free(first);
    mock.free(second);
    for (const handle of [first, second])
      assert.match(
        await failureOf(mock, handle),
        /^ERR_NOT_FOUND: .* is not a live communicator: it was freed or never created$/,
      );
  });

  it('of an object without references that is not free is just being made or freed', async () => {
    const mock = new MockMpich();
    const [freed, half] = [mock.comm(), mock.comm({ references: 0 })];
    mock.free(freed);
    assert.equal(
      await failureOf(mock, half),
      'ERR_UNAVAILABLE: 0x84000001: MPICH is making or freeing this communicator right now, or its number of references has been overwritten',
    );
  });

  it('is judged by its references alone while the list of free objects is broken', async () => {
    const mock = new MockMpich();
    const [freed, alive] = [mock.comm(), mock.comm({ name: 'alive' })];
    mock.free(freed);
    mock.setFirstFree(0x7f1000000008n);
    assert.match(
      await failureOf(mock, freed),
      /^ERR_NOT_FOUND: .* is not a live communicator: it has no references, unless/,
    );
    assert.ok((await (await open(mock)).query('comm', alive)).ok);
  });

  it('is not searched for in a circle of free objects for ever', async () => {
    const mock = new MockMpich();
    const [first, second] = [mock.comm(), mock.comm({ references: 0 })];
    mock.free(first);
    mock.write('MPIR_Handle_common', mock.commAddress(first), { next: mock.commAddress(first) });
    assert.match(await failureOf(mock, second), /^ERR_NOT_FOUND: .* it has no references, unless/);
  });

  it('is the same in Fortran, as a signed number', async () => {
    const process = await open(new MockMpich());
    assert.deepEqual(await process.fortranToC('comm', -2080374783), { ok: true, value: 0x84000001n });
    assert.deepEqual(await process.fortranToC('datatype', 0x4c000405), { ok: true, value: 0x4c000405n });
    assert.deepEqual(await process.fortranToC('file', 0), { ok: true, value: 0n });
    assert.ok(!(await process.fortranToC('file', 1)).ok);
    assert.ok(!(await process.fortranToC('status', 1)).ok);
  });

  it('has four bytes, but for a file, which is a pointer, and a status, which is none', async () => {
    const process = await open(new MockMpich());
    assert.equal(process.handleSize('comm'), 4);
    assert.equal(process.handleSize('file'), 8);
    assert.equal(process.handleSize('status'), 20);
  });
});

describe('the constants of MPICH', () => {
  it('are known before MPI_Init', async () => {
    const constants = await (await open(new MockMpich({ state: 'notInitialized' }))).constants();
    assert.deepEqual(constants.get('MPI_COMM_WORLD'), {
      kind: 'handle',
      handleKind: 'comm',
      handle: 0x44000000n,
      fortran: 0x44000000,
    });
    assert.deepEqual(constants.get('MPI_FLOAT_INT'), {
      kind: 'handle',
      handleKind: 'datatype',
      handle: 0x8c000000n,
      fortran: 0x8c000000 | 0,
    });
    assert.deepEqual(constants.get('MPI_SUM'), {
      kind: 'handle',
      handleKind: 'op',
      handle: 0x58000003n,
      fortran: 0x58000003,
    });
    assert.deepEqual(constants.get('MPI_FILE_NULL'), { kind: 'handle', handleKind: 'file', handle: 0n, fortran: 0 });
    for (const [name, value] of [
      ['MPI_ANY_SOURCE', -2],
      ['MPI_PROC_NULL', -1],
      ['MPI_ROOT', -3],
      ['MPI_ANY_TAG', -1],
      ['MPI_UNDEFINED', -32766],
      ['MPI_THREAD_MULTIPLE', 3],
      ['MPI_ERR_TRUNCATE', 14],
      ['MPI_CONGRUENT', 1],
    ] as const)
      assert.deepEqual(constants.get(name), { kind: 'integer', value }, name);
    assert.deepEqual(constants.get('MPI_TAG_UB'), { kind: 'integer', value: 0x64400001, fortran: 0x64400002 });
    assert.deepEqual(constants.get('MPI_SOURCE'), { kind: 'fortranInteger', value: 3 });
  });
});
