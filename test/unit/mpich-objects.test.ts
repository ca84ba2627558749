import assert from 'node:assert/strict';
import type { InfoOf } from '../../plugin-api/mpi/plugin';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { tables } from '../../plugin-api/plugins/mpich/tables';
import { MockMpich, programCode } from '../support/mock-mpich';

const kinds = { comm: 1, group: 2, datatype: 3, errhandler: 5, op: 6, info: 7, win: 8, session: 14 };

async function query<K extends HandleKind>(mock: MockMpich, kind: K, handle: bigint): Promise<InfoOf[K]> {
  const process = await mpich.open(mock.image);
  const answer = await process!.query(kind, handle);
  assert.ok(answer.ok, answer.ok ? '' : answer.reason);
  return answer.value;
}

async function failureOf(mock: MockMpich, kind: HandleKind, handle: bigint): Promise<string> {
  const answer = await (await mpich.open(mock.image))!.query(kind, handle);
  assert.ok(!answer.ok, 'the query succeeded');
  return `${answer.code.slice('MPIDBG_'.length)}: ${answer.reason}`;
}

async function list(mock: MockMpich, kind: HandleKind): Promise<string[]> {
  const handles = await (await mpich.open(mock.image))!.handles(kind);
  assert.ok(handles.ok, handles.ok ? '' : handles.reason);
  return handles.value.map((handle) => handle.toString(16));
}

/** An MPI_DOUBLE, and a vector of it, as MPICH lays out what a constructor was given. */
function makeVector(mock: MockMpich): bigint {
  // MPI_CHAR, by which the array is recognised.
  for (const [index, handle] of [
    [1, 0x4c000101n],
    [2, 0x4c000102n],
  ] as const)
    mock.makeBuiltin(kinds.datatype, 'MPIR_Datatype', index, handle, { size: 1, extent: 1, true_ub: 1 });
  mock.makeBuiltin(kinds.datatype, 'MPIR_Datatype', 0x0b, 0x4c00080bn, {
    ...{ size: 8, extent: 8, true_ub: 8, is_committed: 1, is_contig: 1, name: 'MPI_DOUBLE' },
  });
  // The predefined pairs come first.
  for (let i = 0; i < 5; i++) mock.make(kinds.datatype, 'MPIR_Datatype');
  const contents = mock.allocate(48 + 16 + 16);
  mock.write('MPIR_Datatype_contents', contents, { combiner: 4, nr_ints: 3, nr_types: 1 });
  mock.image.writeI32(contents + 48n, 0x4c00080b);
  mock.image.writeI32(contents + 64n, 3, 2, 5);
  return mock.make(kinds.datatype, 'MPIR_Datatype', {
    ...{ size: 48, extent: 96, true_ub: 96, is_committed: 1, name: 'column', contents },
  }).handle;
}

for (const version of Object.keys(tables)) {
  describe(`an object of MPICH ${version}`, () => {
    let mock: MockMpich;
    beforeEach(() => (mock = new MockMpich({ version, rank: 2, size: 4 })));

    // The table of 5.0 knows no direct array of datatypes.
    if (version !== '5.0.1') {
      it('is not on the list when the library lacks what mpi.h names', async () => {
        makeVector(mock);
        const listed = await list(mock, 'datatype');
        assert.ok(listed.includes('4c00080b'), 'MPI_DOUBLE');
        assert.ok(!listed.includes('4c000246'), 'MPIX_C_FLOAT16');
      });

      it('may be a datatype', async () => {
        const { contents, typeMap, ...facts } = await query(mock, 'datatype', makeVector(mock));
        assert.deepEqual(facts, {
          ...{ handle: '0x8c000005', fortranHandle: 0x8c000005 | 0, name: 'column', flags: ['committed'] },
          ...{ unknownFlags: ['freedHandle'], size: 48, lb: 0, extent: 96, trueLb: 0, trueExtent: 96 },
          ...{ combiner: 'MPI_COMBINER_VECTOR', pendingRequests: [] },
        });
        assert.ok(contents !== undefined && 'integers' in contents && 'runs' in typeMap);
        assert.deepEqual(contents.integers, [3, 2, 5]);
        assert.deepEqual(
          contents.datatypes.map(({ name }) => name),
          ['MPI_DOUBLE'],
        );
        assert.equal(typeMap.holes, 48);
      });
    }

    it('may be a group', async () => {
      const members = mock.allocate(64);
      const hasMap = mock.layout('MPIR_Group').fields['pmap.use_map'] !== undefined;
      if (hasMap) mock.image.writeU64(members, 3n, 2n, 7n);
      else [3n, 2n, 7n].forEach((rank, i) => mock.image.writeU64(members + BigInt(16 * i), rank));
      const { handle } = mock.make(kinds.group, 'MPIR_Group', {
        ...{ size: 3, rank: 1 },
        ...(hasMap ? { 'pmap.use_map': 1, 'pmap.u.map': members } : { lrank_to_lpid: members }),
      });
      assert.deepEqual(await query(mock, 'group', handle), {
        ...{ handle: '0x88000000', fortranHandle: 0x88000000 | 0, name: '', flags: [], unknownFlags: ['freedHandle'] },
        ...{ size: 3, rank: 1, procs: [3, 2, null], usedBy: [] },
      });
    });

    it('may be a group that only communicators have, and is none of the program then', async () => {
      const groups = [1, 2].map((ref_count) => mock.make(kinds.group, 'MPIR_Group', { ref_count, size: 1 }));
      for (const { address } of groups) mock.comm({ name: 'ocean', localGroup: address });
      // Until 4.3 a communicator of the mock has the group that it is given, later one of its members.
      if (!mock.hasMaps()) return;
      const flags = await Promise.all(groups.map(async ({ handle }) => (await query(mock, 'group', handle)).flags));
      assert.deepEqual(flags, [['internal'], []]);
    });

    it('may be an error handler, attached to a communicator', async () => {
      const { handle, address } = mock.make(kinds.errhandler, 'MPIR_Errhandler', {
        ...{ ref_count: 3, kind: 1, errfn: programCode },
      });
      const comm = mock.comm({ name: 'ocean', errhandler: address });
      assert.deepEqual(await query(mock, 'errhandler', handle), {
        ...{ handle: '0x94000000', fortranHandle: 0x94000000 | 0, name: '', flags: ['communicator', 'cCallback'] },
        unknownFlags: ['freedHandle', 'freedObject'],
        callback: { address: `0x${programCode.toString(16)}`, language: 'c' },
        referenceCount: 3,
        attachedTo: [{ kind: 'comm', handle: `0x${comm.toString(16)}`, name: 'ocean' }],
      });
    });

    it('may be an operation', async () => {
      const isNew = mock.layout('MPIR_Op').fields['is_commute'] !== undefined;
      const { handle } = mock.make(kinds.op, 'MPIR_Op', {
        kind: 33,
        function: programCode,
        ...(isNew ? { is_commute: 1 } : {}),
      });
      const ordered = mock.make(kinds.op, 'MPIR_Op', {
        ...{ kind: isNew ? 33 : 32, function: programCode },
        ...(isNew ? { is_commute: 0 } : {}),
      }).handle;
      assert.deepEqual((await query(mock, 'op', handle)).flags, ['commutative']);
      assert.deepEqual((await query(mock, 'op', ordered)).flags, []);
      assert.deepEqual(await query(mock, 'op', 0x58000003n), {
        ...{ handle: '0x58000003', fortranHandle: 0x58000003, name: 'MPI_SUM', flags: ['predefined', 'commutative'] },
        pendingRequests: [],
      });
    });

    it('may be an info object', async () => {
      const [key, value] = [mock.text('no_locks'), mock.text('true')];
      const isList = mock.layout('MPIR_Info').fields['next'] !== undefined;
      const second = isList ? mock.object('MPIR_Info', { key, value }) : 0n;
      const entries = isList ? 0n : mock.object('info_entry', { key, value });
      const { handle } = mock.make(kinds.info, 'MPIR_Info', {
        ...{ ref_count: 0, ...(isList ? { next: second } : { entries, size: 1 }) },
      });
      assert.deepEqual((await query(mock, 'info', handle)).entries, [{ key: 'no_locks', value: 'true' }]);
    });

    it('may be a key of an info object, where each key is an object of its own', async () => {
      if (mock.layout('MPIR_Info').fields['next'] === undefined) return;
      const [key, value] = [mock.text('cb_nodes'), mock.text('2')];
      const { handle } = mock.make(kinds.info, 'MPIR_Info', { ref_count: 0, key, value });
      const { flags, entries } = await query(mock, 'info', handle);
      assert.deepEqual({ flags, entries }, { flags: ['internal'], entries: [{ key: 'cb_nodes', value: '2' }] });
    });

    it('may be a window', async () => {
      const comm = mock.commAddress(mock.comm({ members: [0, 1, 2] }));
      const { handle } = mock.make(kinds.win, 'MPIR_Win', {
        ...{ ref_count: 0, base: 0x1000n, size: 200, disp_unit: 4, comm_ptr: comm, name: 'halo', create_flavor: 2 },
        ...{ model: 2, 'dev.am.sync.access_epoch_type': 6, 'dev.am.sync.exposure_epoch_type': 0 },
      });
      const { group, comm: ofWin, info, lastSync, ...facts } = await query(mock, 'win', handle);
      assert.deepEqual(facts, {
        ...{ handle: '0xa0000000', fortranHandle: 0xa0000000 | 0, name: 'halo', flags: [] },
        ...{ unknownFlags: ['freedHandle'], base: '0x1000', bytes: 200, dispUnit: 4, flavor: 'allocate' },
        ...{ model: 'unified', size: 3, epoch: { access: 'lockAll', exposure: 'none' } },
        errhandler: { kind: 'errhandler', handle: '0x54000000', name: 'MPI_ERRORS_ARE_FATAL' },
      });
      const dup = await query(mock, 'comm', 0x84000000n);
      assert.deepEqual(dup.flags, ['internal'], 'the communicator that the window works on');
      assert.deepEqual(dup.serves, { kind: 'win', handle: '0xa0000000', name: 'halo' });
    });

    it('may be a session', async () => {
      const hasLevel = mock.layout('MPIR_Session').fields['thread_level'] !== undefined;
      const { handle } = mock.make(kinds.session, 'MPIR_Session', {
        ref_count: 0,
        ...(hasLevel ? { thread_level: 3 } : {}),
      });
      const { threadLevel } = await query(mock, 'session', handle);
      if (hasLevel) assert.equal(threadLevel, 'MPI_THREAD_MULTIPLE');
      else assert.match((threadLevel as { reason: string }).reason, /does not keep the thread level/);
    });

    it('is on the list of its kind, and no free one', async () => {
      mock.makeBuiltin(kinds.info, 'MPIR_Info', 1, 0x5c000001n);
      mock.make(kinds.info, 'MPIR_Info', { ref_count: 0 });
      mock.make(kinds.info, 'MPIR_Info', { ref_count: 0 });
      assert.deepEqual(await list(mock, 'info'), ['5c000001', '9c000000', '9c000001']);
      assert.match(await failureOf(mock, 'info', 0x9c000002n), /ERR_NOT_FOUND: .* it was freed or never created/);
    });

    it('is told from one of another kind, and from garbage', async () => {
      mock.make(kinds.op, 'MPIR_Op', { kind: 33 });
      assert.match(
        await failureOf(mock, 'op', 0x84000000n),
        /has the form of a handle of a communicator, not an operation handle/,
      );
      assert.match(await failureOf(mock, 'op', 0x98000008n), /ERR_OUT_OF_RANGE/);
      assert.match(await failureOf(mock, 'op', 0xdeadbeefdeadn), /not a 32-bit handle/);
      assert.match(await failureOf(mock, 'op', 0n), /0 is not a handle of MPICH/);
    });

    it('is not listed while the list of free objects is cut, unless references tell that it lives', async () => {
      mock.make(kinds.op, 'MPIR_Op', { kind: 33 });
      mock.make(kinds.win, 'MPIR_Win', { ref_count: 0 });
      mock.cutFreeList(kinds.op);
      mock.cutFreeList(kinds.win);
      assert.equal((await list(mock, 'op')).at(-1), '98000000');
      const wins = await (await mpich.open(mock.image))!.handles('win');
      assert.ok(!wins.ok && wins.code === 'MPIDBG_ERR_UNAVAILABLE');
    });
  });
}

describe('MPI_Status of MPICH', () => {
  it('is 20 bytes of the program', async () => {
    const mock = new MockMpich();
    const address = mock.ints(5000, (1 << 1) | 1, 3, 9, 15);
    assert.deepEqual(await query(mock, 'status', address), {
      ...{ address: `0x${address.toString(16)}`, source: 3, tag: 9, error: 15, errorName: 'MPI_ERR_OTHER' },
      ...{ bytes: 2 ** 32 + 5000, cancelled: true },
    });
    const empty = await query(mock, 'status', mock.ints(0, 0, -2, -1, 0));
    assert.deepEqual([empty.source, empty.tag, empty.errorName], ['MPI_ANY_SOURCE', 'MPI_ANY_TAG', 'MPI_SUCCESS']);
  });

  it('is unavailable where nothing is mapped', async () => {
    assert.match(await failureOf(new MockMpich(), 'status', 0x10n), /^ERR_UNAVAILABLE/);
  });
});

describe('MPI_File of MPICH', () => {
  it('is the address of a struct with a cookie', async () => {
    const mock = new MockMpich();
    const file = mock.object('ADIOI_FileD', {
      ...{ cookie: 2487376, filename: mock.text('/data/output'), orig_access_mode: 9, is_open: 1, fortran_handle: -1 },
      ...{ atomicity: 1, err_handler: 0x54000001 },
    });
    const info = await query(mock, 'file', file);
    assert.deepEqual(
      [info.filename, info.amode, info.flags],
      ['/data/output', ['MPI_MODE_CREATE', 'MPI_MODE_RDWR'], ['atomic']],
    );
    mock.write('ADIOI_FileD', file, { cookie: 0 });
    assert.match(await failureOf(mock, 'file', file), /^ERR_NOT_FOUND: there is no open file/);
    assert.match(await failureOf(mock, 'file', 0xdeadbeefn), /^ERR_NOT_FOUND/);
  });

  it('has a Fortran number, since 5.0 above those of the constants', async () => {
    for (const [version, number] of [
      ['4.2.1', 3],
      ['5.0.1', 4099],
    ] as const) {
      const mock = new MockMpich({ version });
      const file = mock.object('ADIOI_FileD', { cookie: 2487376, filename: mock.text('/data'), fortran_handle: 3 });
      assert.equal((await query(mock, 'file', file)).fortranHandle, number);
    }
  });

  it('is not supported where no layout of ROMIO is known', async () => {
    // As with debug information of an MPICH built without ROMIO.
    const mock = new MockMpich({ version: '4.1.2', layoutOf: '4.0.2' });
    for (const [struct, layout] of Object.entries(tables['4.0.2']!))
      if (struct !== 'ADIOI_FileD') mock.image.types.set(struct, layout);
    assert.match(await failureOf(mock, 'file', 0x1000n), /^ERR_NOT_SUPPORTED/);
  });
});
