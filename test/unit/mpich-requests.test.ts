import assert from 'node:assert/strict';
import type { RequestInfo } from '../../plugin-api/mpi/records';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { MockMpich } from '../support/mock-mpich';
import { MockUcx, type MockReceive } from '../support/mock-ucx';

const receiveKind = 2;
const messageKind = 11;
const anySource = ~(0xffffn << 32n) & (2n ** 64n - 1n);
const context = 496;

/** MPICH's tag word. */
const tagWord = (contextId: number, rank: number, tag: number): bigint =>
  (BigInt(contextId) << 48n) | (BigInt(rank) << 32n) | BigInt(tag);

async function query(mock: MockMpich, handle: bigint): Promise<RequestInfo> {
  const answer = await (await mpich.open(mock.image))!.query('request', handle);
  assert.ok(answer.ok, answer.ok ? '' : answer.reason);
  return answer.value;
}

describe('a pending receive of MPICH 4.0.2', () => {
  let mock: MockMpich;
  let ucx: MockUcx;
  let ocean: bigint;
  beforeEach(() => {
    mock = new MockMpich({ rank: 1, size: 4 });
    ucx = new MockUcx(mock.image);
    ocean = mock.comm({ name: 'ocean', contextId: context, receiveContextId: context, members: [3, 2, 1] });
  });

  const receive = (values: MockReceive = {}) =>
    mock.makeRequest(ucx, receiveKind, { tag: tagWord(context, 1, 42), buffer: 0x1000n, bytes: 40, ...values });

  it('has peer, tag, communicator, buffer and bytes', async () => {
    const { handle } = receive({ worker: ucx.worker() });
    const { count, datatype, bytesDone, ...facts } = await query(mock, handle);
    assert.deepEqual(facts, {
      ...{ handle: '0xac000000', fortranHandle: 0xac000000 | 0, name: '', flags: [], operation: 'receive' },
      ...{ active: true, complete: false, peer: 1, peerWorldRank: 2, tag: 42, buffer: '0x1000', bytes: 40 },
      comm: { kind: 'comm', handle: `0x${ocean.toString(16)}`, name: 'ocean' },
    });
    for (const item of [count, datatype, bytesDone]) assert.ok(item !== undefined && typeof item === 'object');
  });

  it('may have wildcards', async () => {
    const { handle } = receive({ tag: tagWord(context, 0, 0), mask: anySource & ~0xffffffffn });
    const { peer, peerWorldRank, tag } = await query(mock, handle);
    assert.deepEqual([peer, peerWorldRank, tag], ['MPI_ANY_SOURCE', undefined, 'MPI_ANY_TAG']);
  });

  it("has moved no bytes while it waits in UCX's queue", async () => {
    const worker = ucx.worker();
    const { handle, address } = receive({ worker });
    ucx.post(worker, mock.transferOf(address));
    assert.equal((await query(mock, handle)).bytesDone, 0);
  });

  it('is listed, and a message of MPI_Mprobe is not', async () => {
    const { handle } = receive();
    const message = mock.makeRequest(ucx, messageKind).handle;
    const process = (await mpich.open(mock.image))!;
    const requests = await process.handles('request');
    assert.ok(requests.ok && requests.value.includes(handle) && !requests.value.includes(message));
    const messages = await process.handles('message');
    assert.ok(messages.ok && messages.value.includes(message) && !messages.value.includes(handle));
  });

  it('of a collective operation is internal', async () => {
    const { handle } = receive({ tag: tagWord(context + 1, 0, 14) });
    assert.deepEqual((await query(mock, handle)).flags, ['internal']);
  });

  it('whose handle was freed has one reference', async () => {
    const { handle, address } = receive();
    mock.write('MPIR_Handle_common', address, { ref_count: 1 });
    assert.deepEqual((await query(mock, handle)).flags, ['freedHandle']);
  });

  it('on a communicator that was freed since has none', async () => {
    const { handle } = receive({ tag: tagWord(176, 0, 1) });
    const { comm, tag } = await query(mock, handle);
    assert.ok(comm !== undefined && 'reason' in comm);
    assert.match(comm.reason, /no live communicator has the context 176/);
    assert.equal(tag, 1);
  });

  it('is not read from a request of UCX that is not its own', async () => {
    const { handle } = receive({ userData: 0x1234n });
    const { peer, active } = await query(mock, handle);
    assert.equal(active, true);
    assert.ok(typeof peer === 'object' && peer.code === 'MPIDBG_ERR_NOT_FOUND');
  });

  it('is pending on its communicator', async () => {
    const { handle } = receive();
    const comm = await (await mpich.open(mock.image))!.query('comm', ocean);
    assert.ok(comm.ok);
    assert.deepEqual(comm.value.pendingRequests, [{ kind: 'request', handle: `0x${handle.toString(16)}` }]);
  });
});

describe('a request of MPICH', () => {
  it('tells what it is where the UCX of the process is not known', async () => {
    const mock = new MockMpich();
    const { handle } = mock.makeRequest(new MockUcx(mock.image, '1.17.0', '1.13.1'), receiveKind);
    const { operation, complete, tag } = await query(mock, handle);
    assert.deepEqual([operation, complete], ['receive', false]);
    assert.ok(typeof tag === 'object' && tag.reason.startsWith('no layout table for UCX 1.17.0'));
  });

  it('of a kind that MPICH does not have has been overwritten, and what is pending is not known', async () => {
    const mock = new MockMpich();
    const ocean = mock.comm({ name: 'ocean', contextId: context, receiveContextId: context, members: [0] });
    const { handle } = mock.makeRequest(new MockUcx(mock.image), 0x5a5a5a5a);
    const process = (await mpich.open(mock.image))!;
    const answer = await process.query('request', handle);
    const overwritten = /^the request 0xac000000 has been overwritten: its kind reads 1515870810/;
    assert.match(answer.ok ? '' : answer.reason, overwritten);
    const comm = await process.query('comm', ocean);
    const pending = comm.ok ? comm.value.pendingRequests : comm;
    assert.match('reason' in pending ? pending.reason : '', overwritten);
  });

  it('is not said to be freed where one reference is all that it tells', async () => {
    const mock = new MockMpich();
    const { handle } = mock.make(11, 'MPIR_Request', {
      ref_count: 1,
      kind: receiveKind,
      comm: 0n,
      cc_ptr: mock.ints(1),
    });
    const { flags, unknownFlags } = await query(mock, handle);
    assert.deepEqual([flags, unknownFlags], [[], ['freedHandle', 'internal']]);
  });

  it("may be one of the library's shared ones", async () => {
    const mock = new MockMpich();
    const ucx = new MockUcx(mock.image);
    mock.makeRequest(ucx, receiveKind);
    for (const kind of [0, 1]) mock.makeBuiltin(11, 'MPIR_Request', kind, BigInt(0x6c000000 + kind));
    const { operation, active, complete } = await query(mock, 0x6c000001n);
    assert.deepEqual([operation, active, complete], ['empty', false, true]);
  });
});
