/** Objects of each kind made by hand, where releases differ in how they keep them. */
import assert from 'node:assert/strict';
import type { InfoOf } from '../../plugin-api/mpi/plugin';
import type { HandleKind, HandleRef, Unavailable } from '../../plugin-api/mpi/records';
import { openmpi } from '../../plugin-api/plugins/openmpi/index';
import { MockOpenmpi } from '../support/mock-openmpi';

/** A mock to which classes and handle tables are added. */
class Objects extends MockOpenmpi {
  handleTable(name: string, slots: readonly bigint[]): void {
    const layout = this.layout('opal_pointer_array_t');
    const address = this.variable(name, layout.size);
    this.image.writeStruct(layout, address, { size: slots.length, addr: this.pointers(slots) });
  }

  class(struct: string): bigint {
    return this.addClass(struct, this.layout(struct).size);
  }
}

async function ask<K extends HandleKind>(mock: MockOpenmpi, kind: K, handle: bigint): Promise<InfoOf[K]> {
  const process = await openmpi.open(mock.image);
  assert.ok(process !== undefined);
  const answer = await process.query(kind, handle);
  assert.ok(answer.ok, answer.ok ? '' : answer.reason);
  return answer.value;
}

for (const version of ['4.1.4', '5.0.7', '6.0.0rc2']) {
  const is4 = version.startsWith('4');
  const is6 = version.startsWith('6');

  describe(`objects of Open MPI ${version}`, () => {
    let mock: Objects;
    beforeEach(() => (mock = new Objects({ version })));

    it('an info has keys and values, in order, without those of the library itself', async () => {
      mock.class('ompi_info_t');
      const text = (value: string): bigint => {
        if (is4) return mock.text(value);
        const address = mock.allocate(64);
        const { fields } = mock.layout('opal_cstring_t');
        mock.image.writeU64(address + BigInt(fields['length']!.offset), BigInt(value.length));
        mock.image.writeText(address + BigInt(fields['string']!.offset), value);
        return address;
      };
      const entry = (key: string, value: string) => {
        const address = mock.object('opal_info_entry_t', { ie_value: text(value) });
        const at = address + BigInt(mock.layout('opal_info_entry_t').fields['ie_key']!.offset);
        if (is4) mock.image.writeText(at, key);
        else mock.image.writeU64(at, text(key));
        return address;
      };
      const info = mock.object('ompi_info_t', { i_f_to_c_index: 2, i_freed: 1 });
      const entries = [entry('wide', 'yes'), entry('_OMPI_IN_wide', 'no'), entry('empty', '')];
      const list = mock.layout('opal_list_t').fields;
      const sentinel = info + BigInt(list['opal_list_sentinel']!.offset);
      const next = BigInt(mock.layout('opal_list_item_t').fields['opal_list_next']!.offset);
      [...entries, sentinel].reduce((item, following) => {
        mock.image.writeU64(item + next, following);
        return following;
      }, sentinel);
      mock.handleTable('ompi_info_f_to_c_table', [0n, 0n, info]);
      const { entries: found, flags, unknownFlags, fortranHandle } = await ask(mock, 'info', info);
      assert.deepEqual(found, [
        { key: 'wide', value: 'yes' },
        { key: 'empty', value: '' },
      ]);
      // The table has it.
      assert.deepEqual([flags, unknownFlags, fortranHandle], [[], ['freedHandle'], 2]);
    });

    it('an error handler tells its language and function', async () => {
      const make = (language: number) => {
        const fields = { eh_mpi_object_type: 1, eh_lang: language, eh_comm_fn: 0x1000n, eh_fort_fn: 0x2000n };
        return mock.object('ompi_errhandler_t', fields);
      };
      const [c, fortran] = [make(0), make(is4 ? 2 : 1)];
      mock.image.writeStruct(mock.layout('ompi_errhandler_t'), fortran, { eh_f_to_c_index: 1 });
      mock.handleTable('ompi_errhandler_f_to_c_table', [c, fortran]);
      const inC = await ask(mock, 'errhandler', c);
      assert.deepEqual(inC.flags, ['communicator', 'cCallback']);
      assert.deepEqual(inC.callback, { address: '0x1000', language: 'c' });
      const inFortran = await ask(mock, 'errhandler', fortran);
      assert.deepEqual(inFortran.flags, ['communicator']);
      assert.deepEqual(inFortran.callback, { address: '0x2000', language: 'fortran' });
    });

    it("the group of failed processes is the library's own unless something else has it", async () => {
      const [failed, ofProgram] = [0, 1].map((slot) =>
        mock.object('ompi_group_t', { grp_flags: 0x4, grp_f_to_c_index: slot }),
      );
      mock.handleTable('ompi_group_f_to_c_table', [failed!, ofProgram!]);
      mock.handleTable('ompi_mpi_windows', []);
      if (!is4) mock.image.writeU64(mock.variable('ompi_group_all_failed_procs', 8), failed!);
      const flagsOf = async (group: bigint) => (await ask(mock, 'group', group)).flags;
      assert.deepEqual(await flagsOf(failed!), is4 ? [] : ['internal']);
      assert.deepEqual(await flagsOf(ofProgram!), []);
      mock.image.writeStruct(mock.layout('opal_object_t'), failed!, { obj_reference_count: 2 });
      assert.deepEqual(await flagsOf(failed!), []);
    });

    it('a datatype tells its constructor, the types in it and its type map', async () => {
      const int = mock.object('ompi_datatype_t', {
        ...{ 'super.size': 4, 'super.ub': 4, 'super.flags': is6 ? 0x40004 : 0x204 },
        name: is6 ? mock.text('MPI_INT') : 'MPI_INT',
      });
      const args = mock.object('__dt_args', {});
      mock.image.writeStruct(mock.layout('__dt_args'), args, {
        ...{ create_type: 3, ci: 3, ca: 0, cd: 1 },
        ...{ i: mock.ints([2, 1, 3]), a: 0n, d: mock.pointers([int]) },
        ...(is6 ? { cl: 0 } : {}),
      });
      const fields = { 'super.size': 8, 'super.ub': 16, 'super.true_ub': 16, 'super.flags': 0x4, args };
      const vector = mock.object('ompi_datatype_t', { ...fields, d_f_to_c_index: 0xffffffff });
      const info = await ask(mock, 'datatype', vector);
      assert.equal(info.combiner, 'MPI_COMBINER_VECTOR');
      assert.deepEqual([info.flags, info.name, info.size, info.extent], [['committed'], '', 8, 16]);
      const contents = info.contents as Exclude<typeof info.contents, undefined | { code: string }>;
      assert.deepEqual(contents.integers, [2, 1, 3]);
      assert.deepEqual(
        contents.datatypes.map(({ name, flags }) => [name, flags]),
        [['MPI_INT', ['predefined', 'committed']]],
      );
      assert.deepEqual(info.typeMap, {
        runs: [{ type: 'MPI_INT', displacement: 0, count: 2, stride: 12 }],
        ...{ holes: 8, text: '{(MPI_INT, 0), (MPI_INT, 12)}', truncated: false },
      });
    });

    it('a datatype that is made of itself is told as such', async () => {
      const loop = mock.object('ompi_datatype_t', { 'super.size': 4, 'super.ub': 4, d_f_to_c_index: 0xffffffff });
      const args = mock.allocate(128);
      const own = { create_type: 1, ci: 0, ca: 0, cd: 1, d: mock.pointers([loop]) };
      mock.image.writeStruct(mock.layout('__dt_args'), args, own);
      mock.image.writeStruct(mock.layout('ompi_datatype_t'), loop, { args });
      const { combiner } = await ask(mock, 'datatype', loop);
      assert.ok(typeof combiner === 'object' && /made of itself/.test(combiner.reason));
    });

    it('a status tells wildcards and errors by name', async () => {
      const status = mock.allocate(24);
      const none = { MPI_SOURCE: 0xfffffffe, MPI_TAG: 0xffffffff, MPI_ERROR: 15, _cancelled: 1, _ucount: 40 };
      mock.image.writeStruct(mock.layout('ompi_status_public_t'), status, none);
      assert.deepEqual(await ask(mock, 'status', status), {
        ...{ address: `0x${status.toString(16)}`, source: 'MPI_PROC_NULL', tag: 'MPI_ANY_TAG' },
        ...{ error: 15, errorName: 'MPI_ERR_TRUNCATE', bytes: 40, cancelled: true },
      });
    });

    it('a request of the message layer cm tells its direction by its class, and its communicator', async () => {
      const base = mock.class('ompi_request_t');
      const { size } = mock.layout('ompi_request_t');
      const make = (name: string) => {
        const request = mock.object('ompi_request_t', { req_type: 0, req_state: 2, req_mpi_object: mock.world });
        mock.setClass(
          request,
          mock.addClass(name, size + 200, mock.addClass('mca_pml_cm_request_t', size + 100, base)),
        );
        return ask(mock, 'request', request);
      };
      for (const [name, operation] of [
        ['mca_pml_cm_thin_recv_request_t', 'receive'],
        ['mca_pml_cm_hvy_recv_request_t', 'receive'],
        ['mca_pml_cm_thin_send_request_t', 'send'],
        ['mca_pml_cm_hvy_send_request_t', 'send'],
      ] as const) {
        const { operation: found, comm, peer, complete } = await make(name);
        assert.deepEqual([found, complete], [operation, false], name);
        assert.equal((comm as HandleRef).handle, `0x${mock.world.toString(16)}`);
        assert.match((peer as Unavailable).reason, /cm keeps of the call is not decoded/);
      }
      assert.equal((await make('mca_pml_other_recv_request_t')).operation, 'unknown');
    });

    it('a request tells persistent and inactive from active, and complete from waited for', async () => {
      mock.class('ompi_request_t');
      const make = (state: number, complete: bigint, isPersistent: number) =>
        ask(
          mock,
          'request',
          mock.object('ompi_request_t', {
            ...{ req_type: 2, req_state: state, req_complete: complete, req_persistent: isPersistent },
            req_f_to_c_index: 0xffff8002,
          }),
        );
      const inactive = await make(1, 1n, 1);
      assert.deepEqual([inactive.flags, inactive.active, inactive.complete], [['persistent'], false, false]);
      assert.deepEqual([inactive.operation, 'status' in inactive], ['generalized', false]);
      const sleptOn = await make(2, 0x7ffc0010n, 0);
      assert.deepEqual([sleptOn.active, sleptOn.complete, 'status' in sleptOn], [true, false, false]);
      const finished = await make(2, 1n, 0);
      assert.deepEqual([finished.active, finished.complete, 'status' in finished], [true, true, true]);
      const process = await openmpi.open(mock.image);
      const gone = mock.object('ompi_request_t', { req_state: 0 });
      mock.image.writeStruct(mock.layout('opal_list_item_t'), gone, { opal_list_next: 0x1000n });
      const answer = await process!.query('request', gone);
      assert.ok(
        !answer.ok && answer.code === 'MPIDBG_ERR_NOT_FOUND' && /in the library's free list/.test(answer.reason),
      );
    });
  });
}
