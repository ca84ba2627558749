import assert from 'node:assert/strict';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import type { Result } from '../../plugin-api/result';
import { openmpi } from '../../plugin-api/plugins/openmpi/index';
import { MockOpenmpi } from '../support/mock-openmpi';

async function open(mock: MockOpenmpi): Promise<MpiProcess> {
  const process = await openmpi.open(mock.image);
  assert.ok(process !== undefined);
  return process;
}

async function fails(answer: Promise<Result<unknown>>, code: string, reason: RegExp): Promise<void> {
  const result = await answer;
  assert.ok(!result.ok, 'the query succeeded');
  assert.equal(result.code, code);
  assert.match(result.reason, reason);
}

const notInitialized = 0;
const initStarted = 1;
const initialized = 2;
const finalizeStarted = 3;
const pastSelf = 4;
const finalized = 5;

describe('handles of Open MPI', () => {
  const notFound = 'MPIDBG_ERR_NOT_FOUND';
  let mock: MockOpenmpi;

  beforeEach(() => {
    mock = new MockOpenmpi();
  });

  const refuses = async (handle: bigint, reason: RegExp) =>
    fails((await open(mock)).query('comm', handle), notFound, reason);

  it('tells that a variable was never set', () => refuses(0n, /^0 is not an MPI_Comm: the variable has not been set/));

  it('refuses what is no address of an object', async () => {
    await refuses(7n, /^0x7 is not an MPI_Comm: it is not the address of an object/);
    await refuses(mock.world + 4n, /is not an MPI_Comm: it is not the address of an object/);
  });

  it('refuses an address without memory', () =>
    refuses(0xdeadbeef00n, /^0xdeadbeef00 is not an MPI_Comm: there is no memory at that address \(not mapped\)/));

  it('says that an address is not in a core', async () => {
    mock = new MockOpenmpi({ target: 'core' });
    await refuses(0xdeadbeef00n, /\(not in the core\)/);
  });

  it('refuses an object whose memory was given back', async () => {
    const freed = mock.comm({ isFreed: true });
    mock.setClass(freed, 0x555512345670n);
    await refuses(freed, /^no live communicator at 0x[0-9a-f]+: its class is gone, so it was freed or never was one/);
  });

  it('refuses an object whose class now lies in some variable', async () => {
    const freed = mock.comm({ isFreed: true });
    mock.setClass(freed, mock.variable('something_else', 64));
    await refuses(freed, /its class is gone/);
  });

  it('is not led in circles by what looks like a class', async () => {
    const circle = mock.addClass('circle_t', 96);
    mock.image.writeStruct(mock.layout('opal_class_t'), circle, { cls_parent: circle });
    const object = mock.allocate(64);
    mock.setClass(object, circle);
    await refuses(object, /its class is gone/);
  });

  it('refuses a freed object that is still intact', () =>
    refuses(mock.comm({ isFreed: true }), /either it was freed or it has been overwritten/));

  it('refuses an object without references', async () => {
    const freed = mock.comm({ isFreed: true });
    mock.image.writeStruct(mock.layout('opal_object_t'), freed, { obj_reference_count: 0 });
    await refuses(freed, /it was freed \(reference count 0\)/);
  });

  it('tells which kind an object of another kind is, derived classes too', async () => {
    await refuses(mock.group([0]), /is not an MPI_Comm: the object there is an MPI_Group/);
    const request = mock.addClass('ompi_request_t', 160);
    const pml = mock.addClass('mca_pml_base_request_t', 496, request);
    const send = mock.allocate(704);
    mock.setClass(send, mock.addClass('mca_pml_ob1_send_request_t', 704, pml));
    await refuses(send, /the object there is an MPI_Request/);
  });

  it('answers a null handle in every state', async () => {
    for (const state of [notInitialized, initStarted, initialized, finalizeStarted, pastSelf, finalized]) {
      mock = new MockOpenmpi({ state });
      const answer = await (await open(mock)).query('comm', mock.nullComm);
      const expected = {
        handle: `0x${mock.nullComm.toString(16)}`,
        fortranHandle: 2,
        name: 'MPI_COMM_NULL',
        flags: ['predefined', 'commNull'],
      };
      assert.deepEqual(answer, { ok: true, value: expected });
    }
  });

  it('answers null handles, and no objects of other kinds', async () => {
    const handle = mock.variable('ompi_request_null', 160);
    const process = await open(mock);
    const answer = await process.query('request', handle);
    assert.ok(answer.ok);
    assert.equal(answer.value.name, 'MPI_REQUEST_NULL');
    await fails(process.query('request', mock.world), 'MPIDBG_ERR_NOT_FOUND', /is not an MPI_Request: .* an MPI_Comm/);
  });

  it('has no communicators outside of MPI_Init and MPI_Finalize', async () => {
    const unavailable = 'MPIDBG_ERR_UNAVAILABLE';
    for (const [state, reason] of [
      [notInitialized, /MPI is not initialised yet/],
      [initStarted, /MPI is not initialised yet/],
      [pastSelf, /MPI is finalised/],
      [finalized, /MPI is finalised/],
    ] as const) {
      mock = new MockOpenmpi({ state });
      await fails((await open(mock)).query('comm', mock.world), unavailable, reason);
      await fails((await open(mock)).query('comm', 0n), unavailable, reason);
    }
    mock = new MockOpenmpi({ state: finalizeStarted });
    assert.ok((await (await open(mock)).query('comm', mock.world)).ok);
  });

  it('uses the copy of a predefined object that the executable has', async () => {
    const copy = 0x400100n;
    const executable = mock.image.load('/home/me/app', [{ address: 0x400000n, size: 4096, writable: true }], true);
    mock.image.define('ompi_mpi_comm_null', copy, executable);
    const words = new BigUint64Array((await mock.image.readMemory(mock.nullComm, 352)).buffer);
    mock.image.writeU64(copy, ...words);
    mock.enterComm(2, copy);
    const answer = await (await open(mock)).query('comm', copy);
    assert.deepEqual(answer.ok && answer.value.flags, ['predefined', 'commNull']);
  });
});

describe('handles of a program built for the standard ABI', () => {
  let mock: MockOpenmpi;
  let process: MpiProcess;
  beforeEach(async () => {
    mock = new MockOpenmpi({ version: '6.0.0rc2', path: '/usr/lib/libopen_mpi.so.40.50.0' });
    const library = mock.image.load('/usr/lib/libmpi_abi_openmpi.so.1.0.0', [{ address: 0x7f2000000000n, size: 4096 }]);
    mock.image.define('MPI_Init', 0x7f2000000100n, library);
    process = await open(mock);
  });

  it('are addresses of objects, with Fortran handles of the standard', async () => {
    const address = mock.comm({ members: [1, 0] });
    const own = await process.query('comm', address);
    assert.ok(own.ok);
    assert.deepEqual([own.value.fortranHandle, own.value.localProcs], [16388, [1, 0]]);
    assert.deepEqual(await process.fortranToC('comm', 16388), { ok: true, value: address });
    await fails(process.fortranToC('comm', 3), 'MPIDBG_ERR_OUT_OF_RANGE', /3 is not a Fortran handle/);
  });

  it("of predefined objects are the standard's numbers", async () => {
    const world = await process.query('comm', 0x101n);
    assert.ok(world.ok);
    const { handle, fortranHandle, name, flags } = world.value;
    assert.deepEqual([handle, fortranHandle, name, flags], ['0x101', 0x101, 'MPI_COMM_WORLD', ['predefined']]);
    const nothing = await process.query('comm', 0x100n);
    assert.deepEqual(nothing.ok && nothing.value.flags, ['predefined', 'commNull']);
    const listed = await process.handles('comm');
    assert.ok(listed.ok && listed.value.includes(0x101n) && !listed.value.includes(mock.world));
    assert.deepEqual(await process.fortranToC('comm', 0x102), { ok: true, value: 0x102n });
    await fails(
      process.query('comm', 0x209n),
      'MPIDBG_ERR_NOT_FOUND',
      /0x209 is not a predefined comm of the standard ABI/,
    );
  });

  it('have the names and sizes of the standard', async () => {
    const constants = await process.constants();
    assert.deepEqual(constants.get('MPI_COMM_WORLD'), {
      kind: 'handle',
      handleKind: 'comm',
      handle: 0x101n,
      fortran: 0x101,
    });
    assert.deepEqual(constants.get('MPI_ANY_TAG'), { kind: 'integer', value: -2 });
    assert.deepEqual([process.handleSize('status'), process.handleSize('comm')], [32, 8]);
    assert.match(process.implementation.abi ?? '', /standard ABI/);
  });
});

describe("Fortran's handles of Open MPI", () => {
  it('are slots of the table', async () => {
    const mock = new MockOpenmpi();
    const comm = mock.comm({});
    const process = await open(mock);
    assert.deepEqual(await process.fortranToC('comm', 0), { ok: true, value: mock.world });
    assert.deepEqual(await process.fortranToC('comm', 3), { ok: true, value: comm });
  });

  it('are refused outside of the table and in a free slot', async () => {
    const process = await open(new MockOpenmpi());
    await fails(process.fortranToC('comm', 64), 'MPIDBG_ERR_OUT_OF_RANGE', /64 is outside .* \(0 to 63\)/);
    await fails(process.fortranToC('comm', -1), 'MPIDBG_ERR_OUT_OF_RANGE', /-1 is outside/);
    await fails(process.fortranToC('comm', 63), 'MPIDBG_ERR_NOT_FOUND', /the slot is free/);
  });

  it('of predefined objects are known before MPI_Init, others not', async () => {
    const mock = new MockOpenmpi({ state: notInitialized });
    const process = await open(mock);
    assert.deepEqual(await process.fortranToC('comm', 2), { ok: true, value: mock.nullComm });
    await fails(process.fortranToC('comm', 3), 'MPIDBG_ERR_UNAVAILABLE', /not initialised yet/);
  });

  it('of operations are found through a pointer to their table', async () => {
    const mock = new MockOpenmpi();
    const operation = mock.allocate(1408);
    const slots = mock.pointers([0n, operation]);
    const table = mock.object('opal_pointer_array_t', { size: 2, addr: slots });
    mock.image.writeU64(mock.variable('ompi_op_f_to_c_table', 8), table);
    assert.deepEqual(await (await open(mock)).fortranToC('op', 1), { ok: true, value: operation });
  });

  it('are refused where the table is corrupt or missing', async () => {
    const mock = new MockOpenmpi();
    const table = mock.variable('ompi_info_f_to_c_table', 120);
    mock.image.writeStruct(mock.layout('opal_pointer_array_t'), table, { size: -7 });
    const process = await open(mock);
    await fails(process.fortranToC('info', 5), 'MPIDBG_ERR_NOT_FOUND', /-7 slots, which is not plausible/);
    await fails(process.fortranToC('session', 5), 'MPIDBG_ERR_NOT_SUPPORTED', /no table of MPI_Session/);
    await fails(process.fortranToC('status', 5), 'MPIDBG_ERR_NOT_SUPPORTED', /not a handle/);
  });
});

describe('constants of Open MPI', () => {
  it('are handles of the objects that the library has, and integers', async () => {
    const mock = new MockOpenmpi({ state: notInitialized });
    const constants = await (await open(mock)).constants();
    const symbol = 'ompi_mpi_comm_world';
    assert.equal((await mock.image.findSymbol(symbol))?.address, mock.world);
    assert.deepEqual(constants.get('MPI_COMM_WORLD'), {
      kind: 'handle',
      handleKind: 'comm',
      handle: mock.world,
      fortran: 0,
      symbol,
    });
    assert.deepEqual(constants.get('MPI_ANY_TAG'), { kind: 'integer', value: -1 });
    assert.equal(constants.has('MPI_INT'), false);
  });

  it('differ between releases', async () => {
    const inRelease = async (version: string) =>
      (await (await open(new MockOpenmpi({ version }))).constants()).get('MPI_ERR_SESSION');
    assert.equal(await inRelease('4.1.4'), undefined);
    assert.deepEqual(await inRelease('5.0.7'), { kind: 'integer', value: 78 });
  });
});
