/**
 * Many questions about random handles in memory that is full of objects with random contents: right classes and
 * slots, so that every decoder is entered, and wild pointers, counts, cycles and texts behind that.
 */
import type { HandleKind } from '../../plugin-api/mpi/records';
import { openmpi } from '../../plugin-api/plugins/openmpi/index';
import { MockOpenmpi } from '../support/mock-openmpi';
import { assertDecoded, askAtRandom, RandomObjects, type Random, type RandomMemory } from '../support/random-memory';
import { randomNumbers } from '../support/random-numbers';
import { randomCases } from '../support/thorough';

const questions = randomCases(50_000); // of each version

interface KindOfObject {
  struct: string;
  /** Where an object keeps the number of its slot. */
  slot: string;
  table: string;
  /** The table's variable is a pointer. */
  isIndirect?: boolean;
  /** What an object has when its call has returned. */
  made?: Record<string, number>;
}

/** Communicators have a table in the mock. */
const objects: Partial<Record<HandleKind, KindOfObject>> = {
  datatype: { struct: 'ompi_datatype_t', slot: 'd_f_to_c_index', table: 'ompi_datatype_f_to_c_table' },
  errhandler: { struct: 'ompi_errhandler_t', slot: 'eh_f_to_c_index', table: 'ompi_errhandler_f_to_c_table' },
  file: { struct: 'ompi_file_t', slot: 'f_f_to_c_index', table: 'ompi_file_f_to_c_table', made: { f_io_version: 1 } },
  group: { struct: 'ompi_group_t', slot: 'grp_f_to_c_index', table: 'ompi_group_f_to_c_table' },
  info: { struct: 'ompi_info_t', slot: 'i_f_to_c_index', table: 'ompi_info_f_to_c_table' },
  message: { struct: 'ompi_message_t', slot: 'm_f_to_c_index', table: 'ompi_message_f_to_c_table' },
  op: {
    struct: 'ompi_op_t',
    slot: 'o_f_to_c_index',
    table: 'ompi_op_f_to_c_table',
    isIndirect: true,
    made: { o_flags: 0x10, 'o_func.c_fn': 0x1000 },
  },
  request: { struct: 'ompi_request_t', slot: 'req_f_to_c_index', table: 'ompi_request_f_to_c_table' },
  win: { struct: 'ompi_win_t', slot: 'w_f_to_c_index', table: 'ompi_mpi_windows' },
  session: { struct: 'ompi_instance_t', slot: 'i_f_to_c_index', table: 'ompi_instance_f_to_c_table' },
};
/** Requests of components, and what is found through pointers alone. */
const requestStructs = ['mca_pml_ob1_send_request_t', 'mca_pml_ob1_recv_request_t', 'ompi_coll_libnbc_request_t'];
const others = ['__dt_args', 'opal_info_entry_t', 'ompio_file_t', 'opal_hash_table_t', 'attribute_key_value_t'];
const kinds: readonly HandleKind[] = [...(Object.keys(objects) as HandleKind[]), 'comm', 'status'];
/** The structs whose classes the mock has. */
const classified = ['ompi_request_t', 'ompi_datatype_t', 'ompi_errhandler_t', 'ompi_group_t', 'ompi_op_t'];
const comms = 16;
/** MPI_COMM_WORLD, MPI_COMM_SELF and MPI_COMM_NULL. */
const predefinedComms = 3;
const complete = 0x1000;

const messageLayerOf = (version: string): string => (version === '4.1.4' ? 'ob1' : 'ucx');

/** Under ob1 no message of random memory is that of a probe. */
function isThere(kind: HandleKind, version: string): boolean {
  if (kind === 'session') return version === '5.0.7';
  return kind !== 'message' || messageLayerOf(version) === 'ucx';
}

for (const version of ['4.1.4', '5.0.7']) {
  it(`${questions} questions about random handles of Open MPI ${version} end, each with an answer or a reason`, async () => {
    const random = randomNumbers(version === '4.1.4' ? 20261121 : 4711);
    const answers = await askAtRandom(openmpi, new RandomTables(version, random), kinds, random, questions);
    assertDecoded(
      answers,
      kinds.filter((kind) => isThere(kind, version)),
    );
  }).timeout(120_000);
}

class RandomTables implements RandomMemory {
  readonly objects: RandomObjects;
  private readonly mock: MockOpenmpi;
  private readonly ofKind = new Map<HandleKind, bigint[]>();
  private readonly start: bigint;
  private end: bigint;

  constructor(
    version: string,
    private readonly random: Random,
  ) {
    this.mock = new MockOpenmpi({ version, messageLayer: messageLayerOf(version) });
    this.start = this.mock.allocate(16);
    this.end = this.start;
    this.objects = new RandomObjects(this.mock.image, random, () => ({ start: this.start, end: this.end }));
    this.addClasses();
    for (const [kind, object] of Object.entries(objects)) this.ofKind.set(kind as HandleKind, this.addTable(object));
    this.ofKind.set(
      'comm',
      Array.from({ length: comms }, (_, i) => this.addComm(predefinedComms + i)),
    );
    for (const struct of [...others, ...requestStructs]) for (let i = 0; i < 8; i++) this.addObject(struct);
    this.end = this.mock.allocate(16);
    this.objects.mutate(3000);
  }

  get image() {
    return this.mock.image;
  }

  private addClasses(): void {
    const { mock } = this;
    const requestClass = mock.addClass('ompi_request_t', mock.layout('ompi_request_t').size);
    const pointToPoint = mock.layout('mca_pml_base_request_t').size;
    const pointToPointClass = mock.addClass('mca_pml_base_request_t', pointToPoint, requestClass);
    for (const name of requestStructs)
      mock.addClass(name, mock.layout(name).size, name.startsWith('mca') ? pointToPointClass : requestClass);
    for (const { struct } of Object.values(objects))
      if (!classified.includes(struct) && this.has(struct)) mock.addClass(struct, mock.layout(struct).size);
  }

  private has(struct: string): boolean {
    try {
      return this.mock.layout(struct).size > 0;
    } catch {
      return false;
    }
  }

  private addObject(struct: string, values: Record<string, number> = {}): bigint {
    if (!this.has(struct)) return 0n;
    return this.added(this.mock.object(struct, values), struct, values);
  }

  private addComm(slot: number): bigint {
    const comm = this.mock.comm({ members: [0, 1, 2] });
    return this.added(comm, 'ompi_communicator_t', { c_flags: complete, c_f_to_c_index: slot });
  }

  /** Its class and its reference are what they were, and these values, after each repair. */
  private added(address: bigint, struct: string, values: Record<string, number>): bigint {
    const { image } = this.mock;
    const head = image.readMemory(address, 16);
    const layout = this.mock.layout(struct);
    this.objects.add(address, layout.size, () => {
      void head.then((bytes) => {
        const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
        image.writeU64(address, view.getBigUint64(0, true), view.getBigUint64(8, true));
      });
      image.writeStruct(layout, address, values);
    });
    return address;
  }

  private addTable({ struct, slot, table, isIndirect, made }: KindOfObject): bigint[] {
    if (!this.has(struct)) return [];
    const layout = this.mock.layout('opal_pointer_array_t');
    const slots = Array.from({ length: 24 }, (_, i) => this.addObject(struct, { [slot]: i, ...made }));
    const values = { number_free: 0, size: slots.length, addr: this.mock.pointers(slots) };
    const address = this.mock.variable(table, layout.size);
    if (isIndirect !== true) this.mock.image.writeStruct(layout, address, values);
    else this.mock.image.writeU64(address, this.mock.object('opal_pointer_array_t', values));
    return slots;
  }

  /** Mostly the address of an object, often of one of the kind. */
  handle(kind: HandleKind): bigint {
    const own = this.ofKind.get(kind) ?? [];
    if (own.length > 0 && this.random(2) === 0) return own[this.random(own.length)] ?? 0n;
    switch (this.random(8)) {
      case 0:
        return this.objects.inside();
      case 1:
        return this.objects.word();
      case 2:
        return (BigInt(this.random(0x7fffffff)) << 33n) | BigInt(this.random(0x7fffffff));
      default:
        return this.objects.object();
    }
  }
}
