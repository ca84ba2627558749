import assert from 'node:assert/strict';
import type { CommInfo } from '../../plugin-api/mpi/records';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { tables } from '../../plugin-api/plugins/mpich/tables';
import {
  MockMpich,
  libraryCode,
  programCode,
  topologyVariable,
  type MockComm,
  type MockOptions,
} from '../support/mock-mpich';

async function query(mock: MockMpich, handle: bigint): Promise<CommInfo> {
  const process = await mpich.open(mock.image);
  assert.ok(process !== undefined);
  const answer = await process.query('comm', handle);
  assert.ok(answer.ok, answer.ok ? '' : answer.reason);
  return answer.value;
}

function reasonOf(item: unknown): string {
  return (item as { reason?: string }).reason ?? 'known';
}

for (const version of Object.keys(tables)) {
  describe(`MPI_Comm of MPICH ${version}`, () => {
    const ask = async (make: (mock: MockMpich) => MockComm, options: MockOptions = {}): Promise<CommInfo> => {
      const mock = new MockMpich({ version, ...options });
      return query(mock, mock.comm(make(mock)));
    };

    it('tells all of MPI_COMM_WORLD', async () => {
      const mock = new MockMpich({ version, rank: 2, size: 3 });
      const { group, pendingRequests, derivedWindows, derivedFiles, ...facts } = await query(mock, 0x44000000n);
      assert.deepEqual(facts, {
        handle: '0x44000000',
        fortranHandle: 0x44000000,
        name: 'MPI_COMM_WORLD',
        flags: ['predefined'],
        rank: 2,
        size: 3,
        localProcs: [0, 1, 2],
        contextId: 0,
        errhandler: { kind: 'errhandler', handle: '0x54000000', name: 'MPI_ERRORS_ARE_FATAL' },
        attributes: [
          { keyval: 0x64400001, name: 'MPI_TAG_UB', value: 0xfffffff },
          { keyval: 0x64400003, name: 'MPI_HOST', value: -1 },
          { keyval: 0x64400005, name: 'MPI_IO', value: -2 },
          { keyval: 0x64400007, name: 'MPI_WTIME_IS_GLOBAL', value: 0 },
          { keyval: 0x6440000b, name: 'MPI_LASTUSEDCODE', value: 0 },
        ],
      });
      assert.ok(mock.hasMaps() ? reasonOf(group).startsWith('MPICH creates the group') : 'handle' in group);
      assert.deepEqual(pendingRequests, []);
      assert.equal('code' in derivedWindows && derivedWindows.code, 'MPIDBG_ERR_NOT_SUPPORTED');
      assert.deepEqual(derivedFiles, []);
    });

    it('tells what MPICH leaves open', async () => {
      const info = await ask(() => ({ name: 'ocean', contextId: 496 }));
      assert.deepEqual(info.flags, []);
      assert.deepEqual(info.unknownFlags, ['freedHandle']);
      assert.equal(info.fortranHandle, 0x84000000 | 0);
      assert.equal(info.contextId, 496);
      assert.deepEqual(info.attributes, []);
    });

    it('gives the name that the program gave, as long as MPICH keeps it', async () => {
      assert.equal((await ask(() => ({}))).name, '');
      assert.equal((await ask(() => ({ name: 'Øresund "x"\t' }))).name, 'Øresund "x"\t');
      assert.equal((await ask(() => ({ name: 'x'.repeat(127) }))).name, 'x'.repeat(127));
    });

    it('tells members as ranks in MPI_COMM_WORLD', async () => {
      const info = await ask(() => ({ rank: 1, members: [3, 1, 2] }));
      assert.equal(info.rank, 1);
      assert.equal(info.size, 3);
      assert.deepEqual(info.localProcs, [3, 1, 2]);
      assert.ok(!('remoteProcs' in info) && !('remoteSize' in info) && !('remoteGroup' in info));
    });

    it('tells both groups of an intercommunicator, and processes of another world as null', async () => {
      const info = await ask(() => ({ members: [0, 1], remoteMembers: [null, null, 3], rank: 1 }));
      assert.deepEqual(info.flags, ['intercomm', 'dynamic']);
      assert.equal(info.rank, 1);
      assert.equal(info.size, 2);
      assert.deepEqual(info.localProcs, [0, 1]);
      assert.equal(info.remoteSize, 3);
      assert.deepEqual(info.remoteProcs, [null, null, 3]);
      assert.ok('remoteGroup' in info);
    });

    it('flags the communicators that the library made for its own use', async () => {
      for (const contextId of [2, 4, 8 + 16]) {
        const info = await ask(() => ({ contextId }));
        assert.deepEqual(info.flags, ['internal']);
        assert.deepEqual(info.unknownFlags, ['freedHandle']);
      }
    });

    it('believes only an intercommunicator that another communicator is its own', async () => {
      const mock = new MockMpich({ version });
      const handle = mock.comm();
      const localComm = mock.commAddress(handle);
      mock.comm({ localComm });
      assert.deepEqual((await query(mock, handle)).flags, [], 'memory that held an intercommunicator before');
      mock.comm({ localComm, remoteMembers: [1] });
      assert.deepEqual((await query(mock, handle)).flags, ['internal']);
    });

    it('reads a cartesian topology', async () => {
      const info = await ask((mock) => ({
        attributes: mock.attributes(
          mock.topology({
            kind: 2,
            'topo.cart.nnodes': 6,
            'topo.cart.ndims': 2,
            'topo.cart.dims': mock.ints(2, 3),
            'topo.cart.periodic': mock.ints(0, 1),
            'topo.cart.position': mock.ints(1, 2),
          }),
        ),
      }));
      assert.deepEqual(info.cart, { dims: [2, 3], periods: [false, true], coords: [1, 2] });
      assert.deepEqual(info.flags, ['cartesian']);
      assert.deepEqual(info.unknownFlags, ['freedHandle', 'topoReordered']);
      assert.deepEqual(info.attributes, []);
    });

    it('reads a cartesian topology without dimensions', async () => {
      const info = await ask((mock) => ({
        attributes: mock.attributes(mock.topology({ kind: 2, 'topo.cart.nnodes': 1 })),
      }));
      assert.deepEqual(info.cart, { dims: [], periods: [], coords: [] });
    });

    it('reads a graph', async () => {
      const info = await ask((mock) => ({
        attributes: mock.attributes(
          mock.topology({
            kind: 1,
            'topo.graph.nnodes': 3,
            'topo.graph.nedges': 3,
            'topo.graph.index': mock.ints(1, 1, 3),
            'topo.graph.edges': mock.ints(2, 0, 1),
          }),
        ),
      }));
      assert.deepEqual(info.graph, { index: [1, 1, 3], edges: [2, 0, 1] });
      assert.deepEqual(info.flags, ['graph']);
    });

    it('reads a distributed graph, with weights where there are some', async () => {
      const read = (weighted: number) =>
        ask((mock) => ({
          attributes: mock.attributes(
            mock.topology({
              kind: 3,
              'topo.dist_graph.indegree': 1,
              'topo.dist_graph.in': mock.ints(3),
              'topo.dist_graph.in_weights': weighted ? mock.ints(30) : 0n,
              'topo.dist_graph.outdegree': 2,
              'topo.dist_graph.out': mock.ints(1, 2),
              'topo.dist_graph.out_weights': weighted ? mock.ints(10, 20) : 0n,
              'topo.dist_graph.is_weighted': weighted,
            }),
          ),
        }));
      assert.deepEqual((await read(0)).distGraph, { sources: [3], destinations: [1, 2], weighted: false });
      assert.deepEqual((await read(1)).distGraph, {
        sources: [3],
        sourceWeights: [30],
        destinations: [1, 2],
        destinationWeights: [10, 20],
        weighted: true,
      });
    });

    it('reads attributes as the language that set them sees them, and hides those of the library', async () => {
      const info = await ask((mock) => ({
        attributes: mock.attributes(
          { keyval: 0xa4400001, value: 0x1234n },
          { keyval: 0xa4400002, value: 0n, deleteFunction: programCode },
          { keyval: 0xa4400003, value: 0xfffffffen, type: 3 },
          { keyval: 0xa4400004, value: 1n << 60n, type: 1 },
          { keyval: 0xa4400005, value: -5n, type: 1 },
          { keyval: 0xa4400006, value: 0x5555n, deleteFunction: libraryCode },
        ),
      }));
      assert.deepEqual(info.attributes, [
        { keyval: 0xa4400001 | 0, value: '0x1234' },
        { keyval: 0xa4400002 | 0, value: '0x0' },
        { keyval: 0xa4400003 | 0, value: -2 },
        { keyval: 0xa4400004 | 0, value: (1n << 60n).toString() },
        { keyval: 0xa4400005 | 0, value: -5 },
      ]);
      assert.deepEqual(info.flags, []);
    });

    it('takes no attribute for a topology that only looks like one', async () => {
      const info = await ask((mock) => ({
        attributes: mock.attributes(
          { keyval: 0xa4400001, value: mock.object('MPIR_Topology', { kind: 1 }), deleteFunction: programCode },
          {
            ...{ keyval: 0xa4400002, value: mock.object('MPIR_Topology', { kind: 3 }) },
            ...{ copyFunction: libraryCode, deleteFunction: libraryCode },
          },
        ),
      }));
      assert.deepEqual(info.flags, []);
      assert.equal((info.attributes as unknown[]).length, 1);
      assert.deepEqual(info.unknownFlags, ['freedHandle']);
    });

    it('does not guess where the library keeps the keyval of topologies', async () => {
      const info = await ask((mock) => {
        const topology = mock.topology({ kind: 2, 'topo.cart.nnodes': 1 });
        mock.writeTopologyQueries(topologyVariable, topologyVariable + 4n);
        return { attributes: mock.attributes(topology) };
      });
      for (const kind of [info.cart, info.graph, info.distGraph])
        assert.match(reasonOf(kind), /keeps the attribute key of topologies was not found/);
      assert.deepEqual(info.unknownFlags?.slice(1, 4), ['cartesian', 'graph', 'distGraph']);
      assert.deepEqual(info.attributes, []);
    });

    it('says of a topology of an unknown kind that it is corrupt', async () => {
      const info = await ask((mock) => ({ attributes: mock.attributes(mock.topology({ kind: 7 })) }));
      assert.match(reasonOf(info.cart), /the kind of the topology is 7/);
      assert.deepEqual(info.unknownFlags?.slice(1, 4), ['cartesian', 'graph', 'distGraph']);
    });

    describe('in a static executable', () => {
      const isStatic = { isStatic: true, layoutOf: version, path: '/home/user/program' };
      const lookalike = (mock: MockMpich) => ({
        ...{ keyval: 0xa4400007, value: mock.object('MPIR_Topology', { kind: 1 }) },
        ...{ copyFunction: libraryCode, deleteFunction: libraryCode },
      });

      it('tells topologies by the function that copies them, which has its name', async () => {
        const read = (make: (mock: MockMpich) => bigint) => ask((mock) => ({ attributes: make(mock) }), isStatic);
        const info = await read((mock) =>
          mock.attributes(mock.topology({ kind: 2, 'topo.cart.nnodes': 1 }), lookalike(mock)),
        );
        assert.deepEqual(info.flags, ['cartesian']);
        assert.match(reasonOf(info.attributes), /cannot be told from those of the library/);
        const unsure = await read((mock) => mock.attributes(lookalike(mock)));
        assert.deepEqual(unsure.flags, []);
        assert.deepEqual(unsure.unknownFlags?.slice(1, 4), ['cartesian', 'graph', 'distGraph']);
        assert.match(reasonOf(unsure.graph), /keeps the attribute key of topologies was not found/);
      });

      it("tells the library's attributes by symbols, where they are left", async () => {
        const info = await ask((mock) => {
          mock.image.define('MPIR_Topology_keyval', topologyVariable, mock.library, 4);
          mock.image.define('ADIOI_cb_delete_name_array', libraryCode, mock.library, 8);
          mock.image.define('on_delete', libraryCode + 32n, mock.library, 8);
          return {
            attributes: mock.attributes(
              mock.topology({ kind: 2, 'topo.cart.nnodes': 1 }),
              lookalike(mock),
              { ...lookalike(mock), keyval: 0xa4400009, deleteFunction: libraryCode + 32n },
              { keyval: 0xa440000a, value: 5n },
            ),
          };
        }, isStatic);
        assert.deepEqual(info.flags, ['cartesian']);
        const keyvals = (info.attributes as { keyval: number }[]).map(({ keyval }) => keyval >>> 0);
        assert.deepEqual(keyvals, [0xa4400009, 0xa440000a]);
      });
    });

    it('names predefined error handlers only', async () => {
      const read = (handle: number) =>
        ask((mock) => ({ errhandler: mock.object('MPIR_Errhandler', { handle }) })).then((info) => info.errhandler);
      assert.deepEqual(await read(0x54000001), {
        kind: 'errhandler',
        handle: '0x54000001',
        name: 'MPI_ERRORS_RETURN',
      });
      assert.deepEqual(await read(0x94000003), { kind: 'errhandler', handle: '0x94000003' });
    });

    it('goes on without the parts that are corrupt', async () => {
      const info = await ask((mock) => ({
        attributes: 0x10n,
        errhandler: mock.object('MPIR_Group', { handle: 0x88000000 }),
        localGroup: mock.object('MPIR_Errhandler', { handle: 0x94000000 }),
        members: [1],
      }));
      assert.match(reasonOf(info.attributes), /at 0x10/);
      assert.match(reasonOf(info.errhandler), /there is no error handler at/);
      assert.deepEqual(info.unknownFlags?.slice(0, 4), ['freedHandle', 'cartesian', 'graph', 'distGraph']);
      assert.equal(info.size, 1);
    });

    it('does not follow a list of attributes in a circle', async () => {
      const mock = new MockMpich({ version });
      const attributes = mock.attributes({ keyval: 0xa4400001, value: 1n });
      mock.write('MPIR_Attribute', attributes, { next: attributes });
      const info = await query(mock, mock.comm({ attributes }));
      assert.match(reasonOf(info.attributes), /is circular/);
    });

    it('does not believe an impossible number of processes', async () => {
      const mock = new MockMpich({ version });
      const handle = mock.comm();
      mock.write('MPIR_Comm', mock.commAddress(handle), { local_size: -1 });
      const info = await query(mock, handle);
      assert.match(reasonOf(info.localProcs), /is -1, which is not plausible/);
      assert.ok(info.unknownFlags?.includes('dynamic'));
    });
  });
}

describe('the rank maps of MPICH', () => {
  const read = async (values: Record<string, number | bigint>, members: number): Promise<CommInfo['localProcs']> => {
    const mock = new MockMpich({ size: 16 });
    const handle = mock.comm({ members: Array.from({ length: members }, () => 0) });
    mock.writeMap(handle, values);
    return (await query(mock, handle)).localProcs;
  };

  it('may be the identity', async () => {
    for (const mode of [0, 1]) assert.deepEqual(await read({ mode }, 3), [0, 1, 2]);
  });

  it('may have an offset', async () => {
    for (const mode of [2, 3]) assert.deepEqual(await read({ mode, 'reg.stride.offset': 5 }, 3), [5, 6, 7]);
  });

  it('may have a stride', async () => {
    for (const mode of [4, 5])
      assert.deepEqual(await read({ mode, 'reg.stride.offset': 1, 'reg.stride.stride': 3 }, 4), [1, 4, 7, 10]);
  });

  it('may have blocks with a stride', async () => {
    const values = { 'reg.stride.offset': 1, 'reg.stride.stride': 5, 'reg.stride.blocksize': 2 };
    for (const mode of [6, 7]) assert.deepEqual(await read({ mode, ...values }, 5), [1, 2, 6, 7, 11]);
    assert.match(reasonOf(await read({ mode: 6 }, 5)), /blocks of 0 ranks/);
  });

  it('may be a table', async () => {
    const mock = new MockMpich();
    const handle = mock.comm({ members: [0, 0, 0] });
    mock.writeMap(handle, { mode: 9, 'irreg.lut.lpid': mock.ints(3, 0, 1) });
    assert.deepEqual((await query(mock, handle)).localProcs, [3, 0, 1]);
  });

  it('may be of another world', async () => {
    assert.deepEqual(await read({ mode: 0, avtid: 1 }, 2), [null, null]);
  });

  it('may not have been made', async () => {
    assert.match(reasonOf(await read({ mode: 11 }, 2)), /has not made the rank map/);
    assert.match(reasonOf(await read({ mode: 12 }, 2)), /unknown mode 12/);
  });
});

describe('the groups of MPICH 5.0', () => {
  it('may be strided', async () => {
    const mock = new MockMpich({ version: '5.0.1', size: 16 });
    const localGroup = mock.object('MPIR_Group', {
      handle: 0x88000001,
      size: 3,
      'pmap.u.stride.offset': 2,
      'pmap.u.stride.stride': 4,
    });
    const handle = mock.comm({ members: [0, 0, 0] });
    mock.write('MPIR_Comm', mock.commAddress(handle), { local_group: localGroup });
    const info = await query(mock, handle);
    assert.deepEqual(info.localProcs, [2, 6, 10]);
    assert.deepEqual(info.group, { kind: 'group', handle: '0x88000001' });
  });

  it('must have as many processes as the communicator', async () => {
    const mock = new MockMpich({ version: '5.0.1' });
    const handle = mock.comm({ members: [0, 1] });
    mock.write('MPIR_Comm', mock.commAddress(handle), { local_size: 3 });
    assert.match(reasonOf((await query(mock, handle)).localProcs), /the group has 2 processes, the communicator 3/);
  });
});

describe('MPI_Comm of MPICH', () => {
  it('is read from the bytes of 4.0.2 where the library has them', async () => {
    const mock = new MockMpich({ version: '4.0.2' });
    const handle = mock.comm();
    const comm = mock.commAddress(handle);
    mock.image.writeText(comm + 116n, 'by hand');
    mock.image.writeI32(comm + 64n, 0x01f001f0, 1, 3);
    const { name, contextId, rank } = await query(mock, handle);
    assert.deepEqual({ name, contextId, rank }, { name: 'by hand', contextId: 0x1f0, rank: 3 });
  });

  it('has context ids up to 65535', async () => {
    const mock = new MockMpich();
    assert.equal((await query(mock, mock.comm({ contextId: 0x8010 }))).contextId, 0x8010);
  });

  it("has the launcher's attributes when the launcher gave some", async () => {
    const mock = new MockMpich();
    mock.writeProcessAttributes({ 'attrs.universe': 64, 'attrs.appnum': 2 });
    const { attributes } = await query(mock, 0x44000000n);
    assert.deepEqual((attributes as unknown[]).slice(-2), [
      { keyval: 0x64400009, name: 'MPI_UNIVERSE_SIZE', value: 64 },
      { keyval: 0x6440000d, name: 'MPI_APPNUM', value: 2 },
    ]);
  });
});
