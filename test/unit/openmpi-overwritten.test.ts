/** One word of a live object is overwritten: the library's table has the object, whatever the object says of itself. */
import assert from 'node:assert/strict';
import type { TypeLayout } from '../../plugin-api/layout';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { openmpi } from '../../plugin-api/plugins/openmpi/index';
import { MockOpenmpi } from '../support/mock-openmpi';

interface KindOfObject {
  struct: string;
  /** Where an object keeps the number of its slot. */
  index: string;
  table: string;
  isIndirect?: boolean;
  made?: Record<string, bigint | number>;
  /** The library has live ones that are not in the table. */
  isInTableLate?: boolean;
}

const objects: Partial<Record<HandleKind, KindOfObject>> = {
  comm: { struct: 'ompi_communicator_t', index: 'c_f_to_c_index', table: 'ompi_comm_f_to_c_table' },
  datatype: {
    ...{ struct: 'ompi_datatype_t', index: 'd_f_to_c_index', table: 'ompi_datatype_f_to_c_table' },
    isInTableLate: true,
  },
  errhandler: {
    ...{ struct: 'ompi_errhandler_t', index: 'eh_f_to_c_index', table: 'ompi_errhandler_f_to_c_table' },
    made: { eh_fort_fn: 0x1000n },
  },
  file: {
    ...{ struct: 'ompi_file_t', index: 'f_f_to_c_index', table: 'ompi_file_f_to_c_table' },
    made: { f_io_version: 1 },
  },
  group: {
    ...{ struct: 'ompi_group_t', index: 'grp_f_to_c_index', table: 'ompi_group_f_to_c_table' },
    made: { grp_flags: 4 },
  },
  info: {
    ...{ struct: 'ompi_info_t', index: 'i_f_to_c_index', table: 'ompi_info_f_to_c_table' },
    isInTableLate: true,
  },
  message: {
    ...{ struct: 'ompi_message_t', index: 'm_f_to_c_index', table: 'ompi_message_f_to_c_table' },
    ...{ made: { req_ptr: 0x1000n }, isInTableLate: true },
  },
  op: {
    ...{ struct: 'ompi_op_t', index: 'o_f_to_c_index', table: 'ompi_op_f_to_c_table', isIndirect: true },
    made: { o_flags: 0x10, 'o_func.c_fn': 0x1000 },
  },
  request: {
    ...{ struct: 'ompi_request_t', index: 'req_f_to_c_index', table: 'ompi_request_f_to_c_table' },
    ...{ made: { req_state: 2 }, isInTableLate: true },
  },
  session: { struct: 'ompi_instance_t', index: 'i_f_to_c_index', table: 'ompi_instance_f_to_c_table' },
  win: { struct: 'ompi_win_t', index: 'w_f_to_c_index', table: 'ompi_mpi_windows' },
};

const slot = 12;
const slotCount = 64;
/** A number in the table whose slot is empty, of another object, and none of the table. */
const wrongIndexes = [3, 5, 77, -1, 0x5a5a5a5a, -32766];
const clobbered = 0x5a5a5a5a5a5a5a50n;

class Overwritten extends MockOpenmpi {
  readonly handle: bigint;
  private readonly slots: bigint;
  private handleTable: bigint | undefined;
  private readonly used = new Set<number>();

  constructor(
    readonly kind: HandleKind,
    private readonly facts: KindOfObject,
  ) {
    super({ version: '5.0.7', messageLayer: 'ucx' });
    const { struct, index, table, isIndirect, made } = facts;
    if (!['comm', 'datatype', 'errhandler', 'group', 'op'].includes(kind))
      this.addClass(struct, this.layout(struct).size);
    this.slots = this.pointers(Array.from({ length: slotCount }, () => 0n));
    if (kind !== 'comm') this.addTable(table, isIndirect === true);
    this.handle = this.make(index, slot, made);
    this.enter(slot, this.handle);
    this.enter(5, this.make(index, 5, made));
  }

  /** Communicators have one in every mock. */
  private addTable(symbol: string, isIndirect: boolean): void {
    const layout = this.layout('opal_pointer_array_t');
    const values = { number_free: slotCount, size: slotCount, addr: this.slots };
    this.handleTable = isIndirect ? this.object('opal_pointer_array_t', values) : this.variable(symbol, layout.size);
    if (isIndirect) this.image.writeU64(this.variable(symbol, 8), this.handleTable);
    else this.image.writeStruct(layout, this.handleTable, values);
  }

  /** As the library does; 0: it is freed. */
  enter(at: number, object: bigint): void {
    if (this.handleTable === undefined) return this.enterComm(at, object);
    this.overwriteSlot(at, object);
    if (object === 0n) this.used.delete(at);
    else this.used.add(at);
    const layout = this.layout('opal_pointer_array_t');
    this.image.writeStruct(layout, this.handleTable, { number_free: slotCount - this.used.size });
  }

  /** As somebody else may do. */
  overwriteSlot(at: number, word: bigint): void {
    if (this.handleTable === undefined) this.overwriteCommSlot(at, word);
    else this.image.writeU64(this.slots + BigInt(8 * at), word);
  }

  overwrite(struct: string, field: string, value: bigint | number): void {
    this.image.writeStruct(this.layout(struct), this.handle, { [field]: value });
  }

  overwriteIndex(value: number): void {
    this.overwrite(this.facts.struct, this.facts.index, value);
  }

  private make(index: string, number: number, made: KindOfObject['made']): bigint {
    const object = this.kind === 'comm' ? this.comm({ isFreed: true }) : this.object(this.facts.struct, made ?? {});
    this.image.writeStruct(this.layout(this.facts.struct), object, { [index]: number });
    return object;
  }

  async ask() {
    const process = await openmpi.open(this.image);
    assert.ok(process !== undefined);
    return process.query(this.kind, this.handle);
  }

  async reason(): Promise<string> {
    const answer = await this.ask();
    assert.ok(!answer.ok, 'the query succeeded');
    return answer.reason;
  }
}

for (const [name, facts] of Object.entries(objects)) {
  const kind = name as HandleKind;
  describe(`an overwritten ${kind} of Open MPI`, () => {
    let mock: Overwritten;
    beforeEach(() => (mock = new Overwritten(kind, facts)));

    it('is a live one before', async () => {
      const answer = await mock.ask();
      assert.ok(answer.ok, answer.ok ? '' : answer.reason);
      assert.ok('fortranHandle' in answer.value);
      assert.equal(answer.value.fortranHandle, slot);
    });

    for (const index of wrongIndexes)
      it(`is told by the table when its own number reads ${index}`, async () => {
        mock.overwriteIndex(index);
        const answer = await mock.ask();
        // Nothing but its number is in doubt where a live object need not be in the table.
        const told = answer.ok ? 'fortranHandle' in answer.value && answer.value.fortranHandle : answer;
        assert.ok(typeof told === 'object' && 'reason' in told);
        assert.match(told.reason, /overwritten/);
        assert.match(told.reason, new RegExp(`its own number reads ${index}\\b.* number ${slot}`));
        assert.doesNotMatch(told.reason, /freed/);
      });

    it('is told by the table when its class is none, or another', async () => {
      mock.overwrite('opal_object_t', 'obj_class', clobbered);
      assert.match(await mock.reason(), /has been overwritten: its class is none of Open MPI, .* number 12$/);
      mock.setClass(mock.handle, (await mock.image.findSymbol('ompi_op_t_class'))!.address);
      if (kind === 'op') return;
      assert.match(await mock.reason(), /has been overwritten: its class is that of an MPI_Op, .* number 12$/);
    });

    it('is told by the table when its reference count is impossible, and perhaps being freed at 0', async () => {
      mock.overwrite('opal_object_t', 'obj_reference_count', -7);
      assert.match(await mock.reason(), /has been overwritten: it has the reference count -7, .* number 12$/);
      mock.overwrite('opal_object_t', 'obj_reference_count', 0);
      assert.match(await mock.reason(), /number 12, so a call is freeing it, or it has been overwritten$/);
      assert.doesNotMatch(await mock.reason(), /freed/);
    });

    it('is freed when no table has it, and either where a live one need not be there', async () => {
      mock.enter(slot, 0n);
      mock.overwrite('opal_object_t', 'obj_class', clobbered);
      const isEither = facts.isInTableLate === true;
      assert.match(await mock.reason(), /was freed/);
      assert.equal(/overwritten/.test(await mock.reason()), isEither);
      mock.enter(slot, 77n);
      assert.match(await mock.reason(), /overwritten/, 'the table has been overwritten, too');
    });

    it('is freed or overwritten when its slot is empty, which the library counts as taken', async () => {
      mock.overwriteSlot(slot, 0n);
      mock.overwrite('opal_object_t', 'obj_reference_count', 0);
      assert.match(await mock.reason(), /it was freed \(reference count 0\), .*, or it has been overwritten$/);
      mock.overwrite('opal_object_t', 'obj_class', clobbered);
      assert.match(await mock.reason(), /it was freed, has been overwritten or never was one$/);
    });

    if (facts.isInTableLate !== true)
      it('cannot be told from a freed one when neither its number nor the table leads to it', async () => {
        mock.enter(slot, 0n);
        assert.match(await mock.reason(), /either it was freed or it has been overwritten/);
        mock.overwriteIndex(77);
        assert.match(await mock.reason(), /either it was freed or it has been overwritten/);
        mock.overwriteIndex(slot);
        mock.enter(slot, clobbered);
        assert.match(await mock.reason(), /either it was freed or it has been overwritten/);
      });
  });
}

it('a datatype of Open MPI that no table has is not said to be freed for its number alone', async () => {
  const mock = new Overwritten('datatype', objects.datatype!);
  mock.enter(slot, 0n);
  mock.overwriteIndex(-1);
  const healthy = await mock.ask();
  assert.ok(healthy.ok);
  mock.overwriteIndex(3);
  assert.match(await mock.reason(), /either it was freed or it has been overwritten/);
});

it('a request of Open MPI that the table has is live, whatever its state says', async () => {
  const mock = new Overwritten('request', objects.request!);
  mock.overwrite('ompi_request_t', 'req_state', 0);
  assert.match(await mock.reason(), /has been overwritten: its state is that of a free one, .* number 12$/);
  mock.enter(slot, 0n);
  assert.match(await mock.reason(), /it was completed or freed, unless that word has been overwritten$/);
});

it('a message of Open MPI that the table has is live, whatever it is linked to', async () => {
  const mock = new Overwritten('message', objects.message!);
  mock.overwrite('opal_list_item_t', 'opal_list_next', 0x1000n);
  assert.match(await mock.reason(), /has been overwritten: it is linked as a free one is, .* number 12$/);
  mock.enter(slot, 0n);
  assert.match(await mock.reason(), /it was received, unless that link has been overwritten$/);
});

it('a collective operation of Open MPI that is under way is live, whatever its state says', async () => {
  const mock = new Overwritten('request', objects.request!);
  mock.enter(slot, 0n);
  const component = mock.layout('ompi_coll_libnbc_component_t');
  const list = mock.layout('opal_list_t');
  const active = mock.variable('mca_coll_libnbc_component', component.size) + at(component, 'active_requests');
  mock.image.writeStruct(list, active, { 'opal_list_sentinel.opal_list_next': mock.handle });
  mock.overwrite('opal_list_item_t', 'opal_list_next', active + at(list, 'opal_list_sentinel'));
  mock.overwrite('ompi_request_t', 'req_state', 0);
  assert.match(await mock.reason(), /has been overwritten: its state is that of a free one, .* among those under way$/);
});

function at({ fields }: TypeLayout, field: string): bigint {
  return BigInt(fields[field]!.offset);
}
