import assert from 'node:assert/strict';
import type { CommInfo } from '../../plugin-api/mpi/records';
import { openmpi } from '../../plugin-api/plugins/openmpi/index';
import { tables } from '../../plugin-api/plugins/openmpi/tables';
import { MockOpenmpi, jobid, type MockComm } from '../support/mock-openmpi';

async function query(mock: MockOpenmpi, handle: bigint): Promise<CommInfo> {
  const process = await openmpi.open(mock.image);
  assert.ok(process !== undefined);
  const answer = await process.query('comm', handle);
  assert.ok(answer.ok, answer.ok ? '' : answer.reason);
  return answer.value;
}

const named = 0x2;
const complete = 0x1000;

for (const version of Object.keys(tables)) {
  describe(`MPI_Comm of Open MPI ${version}`, () => {
    const ask = async (make: (mock: MockOpenmpi) => MockComm): Promise<CommInfo> => {
      const mock = new MockOpenmpi({ version });
      return query(mock, mock.comm(make(mock)));
    };

    it('tells all of MPI_COMM_WORLD', async () => {
      const mock = new MockOpenmpi({ version, rank: 2, size: 3 });
      const { group, errhandler, pendingRequests, derivedWindows, derivedFiles, ...facts } = await query(
        mock,
        mock.world,
      );
      assert.deepEqual(facts, {
        handle: `0x${mock.world.toString(16)}`,
        fortranHandle: 0,
        name: 'MPI_COMM_WORLD',
        flags: ['predefined'],
        rank: 2,
        size: 3,
        localProcs: [0, 1, 2],
        contextId: 0,
        attributes: [{ keyval: 0, name: 'MPI_TAG_UB', value: 0x7fffffff }],
      });
      assert.equal('kind' in group && group.kind, 'group');
      assert.equal('name' in errhandler && errhandler.name, 'MPI_ERRORS_ARE_FATAL');
      for (const list of [pendingRequests, derivedWindows, derivedFiles])
        assert.equal('code' in list && list.code, 'MPIDBG_ERR_NOT_SUPPORTED');
    });

    it('gives the name that the program gave, and not the text that the library keeps otherwise', async () => {
      const internal = 'MPI COMMUNICATOR 3 DUP FROM 0';
      assert.equal((await ask(() => ({ flags: named, name: 'ocean' }))).name, 'ocean');
      assert.equal((await ask(() => ({ name: internal }))).name, '');
      assert.equal((await ask(() => ({ flags: named, name: 'Øresund "x"\t' }))).name, 'Øresund "x"\t');
      const longest = 'x'.repeat(63);
      assert.equal((await ask(() => ({ flags: named, name: longest }))).name, longest);
    });

    it('tells members as ranks in MPI_COMM_WORLD', async () => {
      const info = await ask(() => ({ rank: 1, members: [3, 1, { vpid: 2, sentinel: true }] }));
      assert.equal(info.rank, 1);
      assert.equal(info.size, 3);
      assert.deepEqual(info.localProcs, [3, 1, 2]);
      assert.ok(!('remoteProcs' in info) && !('remoteSize' in info) && !('remoteGroup' in info));
    });

    it('tells both groups of an intercommunicator, and processes of another job as null', async () => {
      const other = jobid + 1;
      const remoteMembers = [{ jobid: other, vpid: 0 }, { jobid: other, vpid: 1, sentinel: true }, 3];
      const info = await ask(() => ({ flags: 0x1 | 0x8, members: [0, 1], remoteMembers }));
      assert.deepEqual(info.flags, ['intercomm', 'dynamic']);
      assert.equal(info.size, 2);
      assert.deepEqual(info.localProcs, [0, 1]);
      assert.equal(info.remoteSize, 3);
      assert.deepEqual(info.remoteProcs, [null, null, 3]);
      assert.notDeepEqual(info.remoteGroup, info.group);
    });

    it('reads a cartesian topology', async () => {
      const info = await ask((mock) => ({
        flags: 0x100,
        topology: mock.topology(
          'mca_topo_base_comm_cart_2_2_0_t',
          { ndims: 2, dims: mock.ints([2, 3]), periods: mock.ints([0, 1]), coords: mock.ints([1, 2]) },
          true,
        ),
      }));
      assert.deepEqual(info.cart, { dims: [2, 3], periods: [false, true], coords: [1, 2] });
      assert.deepEqual(info.flags, ['cartesian', 'topoReordered']);
    });

    it('reads a cartesian topology without dimensions', async () => {
      const info = await ask((mock) => ({
        flags: 0x100,
        topology: mock.topology('mca_topo_base_comm_cart_2_2_0_t', { ndims: 0 }),
      }));
      assert.deepEqual(info.cart, { dims: [], periods: [], coords: [] });
      assert.deepEqual(info.flags, ['cartesian']);
    });

    it('reads a graph', async () => {
      const values = (mock: MockOpenmpi) => ({ nnodes: 3, index: mock.ints([1, 1, 3]), edges: mock.ints([2, 0, 1]) });
      const info = await ask((mock) => ({
        flags: 0x200,
        topology: mock.topology('mca_topo_base_comm_graph_2_2_0_t', values(mock)),
      }));
      assert.deepEqual(info.graph, { index: [1, 1, 3], edges: [2, 0, 1] });
      assert.deepEqual(info.flags, ['graph']);
    });

    it('reads a distributed graph, with weights where there are some', async () => {
      const read = (weighted: number) =>
        ask((mock) => ({
          flags: 0x400,
          topology: mock.topology('mca_topo_base_comm_dist_graph_2_2_0_t', {
            in: mock.ints([3]),
            inw: mock.ints([30]),
            out: mock.ints([1, 2]),
            outw: mock.ints([10, 20]),
            indegree: 1,
            outdegree: 2,
            weighted,
          }),
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

    it('reads attributes in the order in which they were set, each as the language that set it sees it', async () => {
      const info = await ask((mock) => ({
        attributes: mock.hashTable([
          mock.attribute(15, 0x1234n, 0, 7),
          mock.attribute(16, 0xfffffffen, 2, 5),
          mock.attribute(17, 1n << 60n, 3, 6),
          mock.attribute(18, -5n, 3, 4),
          mock.attribute(19, 0n, 0, 3),
          mock.attribute(6, mock.ints([64]), 0, 1),
          mock.attribute(1, -2n, 1, 2),
        ]),
      }));
      assert.deepEqual(info.attributes, [
        { keyval: 6, name: 'MPI_UNIVERSE_SIZE', value: 64 },
        { keyval: 1, name: 'MPI_HOST', value: -2 },
        { keyval: 19, value: '0x0' },
        { keyval: 18, value: -5 },
        { keyval: 16, value: -2 },
        { keyval: 17, value: (1n << 60n).toString() },
        { keyval: 15, value: '0x1234' },
      ]);
    });

    it('names predefined error handlers only', async () => {
      const info = await ask((mock) => ({ errhandler: mock.errhandler('') }));
      assert.deepEqual(Object.keys(info.errhandler), ['kind', 'handle']);
    });

    it('goes on without the parts that are corrupt', async () => {
      const info = await ask((mock) => ({
        flags: 0x100,
        topology: mock.topology('mca_topo_base_comm_cart_2_2_0_t', { ndims: 1_000_000 }),
        attributes: mock.object('opal_hash_table_t', { ht_size: 3, ht_capacity: 2 }),
        errhandler: mock.group([0]),
        members: [1],
      }));
      const reason = (item: unknown) => (item as { reason: string }).reason;
      assert.match(reason(info.cart), /number of dimensions is 1000000, which is not plausible/);
      assert.match(reason(info.attributes), /holds 3 of 2 elements/);
      assert.match(reason(info.errhandler), /the object there is an MPI_Group/);
      assert.deepEqual(info.localProcs, [1]);
    });
  });
}

describe('MPI_Comm of Open MPI', () => {
  const ask = (version: string, comm: MockComm, messageLayer = 'ob1'): Promise<CommInfo> => {
    const mock = new MockOpenmpi({ version, messageLayer });
    return query(mock, mock.comm(comm));
  };

  it('does not say that a communicator was freed which nothing but its handle keeps', async () => {
    assert.deepEqual((await ask('4.1.4', {})).flags, []);
    assert.ok(!(await ask('4.1.4', {})).unknownFlags?.includes('freedHandle'));
    // Without an info object, as after MPI_Comm_free; no operation has a reference.
    for (const [version, messageLayer] of [
      ['4.1.4', 'ob1'],
      ['4.1.4', 'ucx'],
      ['5.0.7', 'ob1'],
    ] as const) {
      const untold = await ask(version, { info: 0n }, messageLayer);
      assert.deepEqual(untold.flags, []);
      assert.ok(untold.unknownFlags?.includes('freedHandle'));
    }
  });

  const beingMade = 'MPIDBG_ERR_NOT_FOUND being made by a call that makes communicators, or overwritten';

  it('says of a communicator that a call is still making that it is being made', async () => {
    const mock = new MockOpenmpi();
    const answer = await (await openmpi.open(mock.image))!.query('comm', mock.comm({ isUnfinished: true }));
    assert.equal(answer.ok ? '' : `${answer.code} ${answer.reason}`, beingMade);
  });

  it('knows the attribute that 5.0 added', async () => {
    const named = async (version: string) => {
      const mock = new MockOpenmpi({ version });
      const comm = mock.comm({ attributes: mock.hashTable([mock.attribute(12, 0n, 1, 1)]) });
      return (await query(mock, comm)).attributes;
    };
    assert.deepEqual(await named('4.1.4'), [{ keyval: 12, value: 0 }]);
    assert.deepEqual(await named('5.0.7'), [{ keyval: 12, name: 'MPI_FT', value: 0 }]);
  });

  it('leaves out the attributes of ROMIO', async () => {
    const mock = new MockOpenmpi();
    mock.image.writeI32(mock.variable('ADIO_Init_keyval', 4), 12);
    mock.image.writeI32(mock.variable('ADIOI_cb_config_list_keyval', 4), 13);
    const attributes = [12, 13, 14].map((keyval) => mock.attribute(keyval, 0n, 0, keyval));
    const info = await query(mock, mock.comm({ attributes: mock.hashTable(attributes) }));
    assert.deepEqual(info.attributes, [{ keyval: 14, value: '0x0' }]);
  });

  it('does not believe an impossible number of processes', async () => {
    const mock = new MockOpenmpi();
    const comm = mock.comm({});
    const group = BigInt((await query(mock, comm)).group['handle' as never]);
    mock.image.writeStruct(mock.layout('ompi_group_t'), group, { grp_proc_count: -1 });
    const { size, localProcs, contextId } = await query(mock, comm);
    assert.match((size as { reason: string }).reason, /number of processes is -1/);
    assert.match((localProcs as { reason: string }).reason, /number of processes is -1/);
    assert.equal(contextId, 3);
  });

  it('does not believe an impossible rank or a pointer to no group', async () => {
    const { rank } = await ask('4.1.4', { rank: 2, members: [0, 1] });
    assert.match((rank as { reason: string }).reason, /rank is 2 of 2, which is impossible/);
    const mock = new MockOpenmpi();
    const comm = mock.comm({});
    mock.image.writeStruct(mock.layout('ompi_communicator_t'), comm, { c_local_group: mock.errhandler('') });
    const { group } = await query(mock, comm);
    assert.match((group as { reason: string }).reason, /is not an MPI_Group: the object there is an MPI_Errhandler/);
  });

  it('says that a sparse group is not decoded', async () => {
    const mock = new MockOpenmpi();
    const comm = mock.comm({});
    const group = BigInt((await query(mock, comm)).group['handle' as never]);
    mock.image.writeStruct(mock.layout('ompi_group_t'), group, { grp_flags: 0x10 });
    const { localProcs } = await query(mock, comm);
    assert.deepEqual((localProcs as { code: string }).code, 'MPIDBG_ERR_NOT_SUPPORTED');
  });

  it('reads the bytes of 4.1.4 where the library has them', async () => {
    const mock = new MockOpenmpi({ version: '4.1.4' });
    const comm = mock.comm({ members: [0, 1, 2, 3] });
    mock.image.writeText(comm + 160n, 'by hand');
    mock.image.writeI32(comm + 224n, 77, 3, named | complete);
    const { name, contextId, rank } = await query(mock, comm);
    assert.deepEqual({ name, contextId, rank }, { name: 'by hand', contextId: 77, rank: 3 });
  });
});
