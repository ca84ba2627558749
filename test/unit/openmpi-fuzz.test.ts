/**
 * 100 000 questions about random handles in memory that is full of objects with random contents: right classes and
 * slots, so that every decoder is entered, and wild pointers, counts, cycles and texts behind that.
 */
import assert from 'node:assert/strict';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { openmpi } from '../../plugin-api/plugins/openmpi/index';
import { MockOpenmpi } from '../support/mock-openmpi';
import { randomNumbers } from '../support/random-numbers';

const QUESTIONS = 50_000; // of each version
/** Between two mutations of the memory. */
const QUESTIONS_PER_STOP = 250;
const LONGEST_READ = 1 << 22;
const MOST_READS = 200_000;

/** What an object of each kind is, and where it keeps the number of its slot. */
const objects: Partial<Record<HandleKind, { struct: string; slot: string; table: string }>> = {
  datatype: { struct: 'ompi_datatype_t', slot: 'd_f_to_c_index', table: 'ompi_datatype_f_to_c_table' },
  errhandler: { struct: 'ompi_errhandler_t', slot: 'eh_f_to_c_index', table: 'ompi_errhandler_f_to_c_table' },
  file: { struct: 'ompi_file_t', slot: 'f_f_to_c_index', table: 'ompi_file_f_to_c_table' },
  group: { struct: 'ompi_group_t', slot: 'grp_f_to_c_index', table: 'ompi_group_f_to_c_table' },
  info: { struct: 'ompi_info_t', slot: 'i_f_to_c_index', table: 'ompi_info_f_to_c_table' },
  message: { struct: 'ompi_message_t', slot: 'm_f_to_c_index', table: 'ompi_message_f_to_c_table' },
  request: { struct: 'ompi_request_t', slot: 'req_f_to_c_index', table: 'ompi_request_f_to_c_table' },
  win: { struct: 'ompi_win_t', slot: 'w_f_to_c_index', table: 'ompi_mpi_windows' },
  session: { struct: 'ompi_instance_t', slot: 'i_f_to_c_index', table: 'ompi_instance_f_to_c_table' },
};
/** Requests of components, and what is found through pointers alone. */
const requestStructs = ['mca_pml_ob1_send_request_t', 'mca_pml_ob1_recv_request_t', 'ompi_coll_libnbc_request_t'];
const others = ['__dt_args', 'opal_info_entry_t', 'ompio_file_t', 'opal_hash_table_t', 'attribute_key_value_t'];
const kinds: readonly HandleKind[] = [...(Object.keys(objects) as HandleKind[]), 'comm', 'op', 'status'];

for (const version of ['4.1.4', '5.0.7']) {
  it(`${QUESTIONS} questions about random handles of Open MPI ${version} end, each with an answer or a reason`, async () => {
    const random = randomNumbers(version === '4.1.4' ? 20261121 : 4711);
    const memory = new RandomMemory(version, random);
    const reads = countReads(memory.mock);
    const answers = new Map<string, number>();
    for (let asked = 0; asked < QUESTIONS; asked += QUESTIONS_PER_STOP) {
      memory.mutate(40);
      const process = await openmpi.open(memory.mock.image);
      assert.ok(process !== undefined);
      for (let i = 0; i < QUESTIONS_PER_STOP; i++) {
        const kind = kinds[random(kinds.length)]!;
        reads.count = 0;
        const answer = await process.query(kind, memory.handle(kind));
        if (i === 0) await process.handles(kind);
        assert.ok(reads.count < MOST_READS, `${kind}: ${reads.count} reads`);
        const code = answer.ok ? `${kind} decoded` : answer.code;
        answers.set(code, (answers.get(code) ?? 0) + 1);
      }
    }
    assert.ok(reads.longest <= LONGEST_READ, `a read of ${reads.longest} bytes`);
    for (const kind of ['datatype', 'errhandler', 'file', 'group', 'info', 'request', 'status', 'win'])
      assert.ok((answers.get(`${kind} decoded`) ?? 0) > 100, `too few are decoded: ${JSON.stringify([...answers])}`);
  }).timeout(60_000);
}

type Random = (limit: number) => number;

class RandomMemory {
  readonly mock: MockOpenmpi;
  private readonly addresses: bigint[] = [];
  /** Make an object one that a handle may lead to: its class, its reference, its slot. */
  private readonly repairs: (() => void)[] = [];
  private readonly ofKind = new Map<HandleKind, bigint[]>();
  private readonly start: bigint;
  private readonly end: bigint;

  constructor(
    version: string,
    private readonly random: Random,
  ) {
    this.mock = new MockOpenmpi({ version });
    this.start = this.mock.allocate(16);
    const requestClass = this.mock.addClass('ompi_request_t', this.mock.layout('ompi_request_t').size);
    const pointToPoint = this.mock.layout('mca_pml_base_request_t').size;
    const pointToPointClass = this.mock.addClass('mca_pml_base_request_t', pointToPoint, requestClass);
    for (const name of requestStructs)
      this.mock.addClass(name, this.mock.layout(name).size, name.startsWith('mca') ? pointToPointClass : requestClass);
    for (const { struct } of Object.values(objects))
      if (
        !['ompi_request_t', 'ompi_datatype_t', 'ompi_errhandler_t', 'ompi_group_t'].includes(struct) &&
        this.has(struct)
      )
        this.mock.addClass(struct, this.mock.layout(struct).size);
    const selected = this.mock.variable('mca_pml_base_selected_component', 512);
    this.mock.image.writeStruct(this.mock.layout('mca_pml_base_component_t'), selected, {
      'pmlm_version.mca_component_name': 'ob1',
    });
    for (const [kind, object] of Object.entries(objects)) this.ofKind.set(kind as HandleKind, this.table(object));
    for (const struct of others) for (let i = 0; i < 8; i++) this.add(struct);
    for (const struct of requestStructs) for (let i = 0; i < 8; i++) this.add(struct);
    this.end = this.mock.allocate(16);
    this.mutate(this.addresses.length * 12);
  }

  private has(struct: string): boolean {
    try {
      return this.mock.layout(struct).size > 0;
    } catch {
      return false;
    }
  }

  private add(struct: string, values: Record<string, number> = {}): bigint {
    if (!this.has(struct)) return 0n;
    const address = this.mock.object(struct, values);
    const { image } = this.mock;
    const head = image.readMemory(address, 16);
    this.repairs.push(() => {
      void head.then((bytes) => {
        const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
        image.writeU64(address, view.getBigUint64(0, true), view.getBigUint64(8, true));
      });
      image.writeStruct(this.mock.layout(struct), address, values);
    });
    this.addresses.push(address);
    return address;
  }

  private table({ struct, slot, table }: { struct: string; slot: string; table: string }): bigint[] {
    if (!this.has(struct)) return [];
    const layout = this.mock.layout('opal_pointer_array_t');
    const slots = Array.from({ length: 24 }, (_, i) => this.add(struct, { [slot]: i }));
    const address = this.mock.variable(table, layout.size);
    this.mock.image.writeStruct(layout, address, { size: slots.length, addr: this.mock.pointers(slots) });
    return slots;
  }

  /** Overwrites words behind the heads of the objects, and now and then one of a head. */
  mutate(words: number): void {
    for (; words > 0; words--) {
      const object = this.addresses[this.random(this.addresses.length)]!;
      const at = object + BigInt((this.random(50) === 0 ? 0 : 16) + 8 * this.random(70));
      if (at + 8n < this.end) this.mock.image.writeU64(at, this.word());
    }
    for (const repair of this.repairs) if (this.random(8) !== 0) repair();
  }

  private word(): bigint {
    const words = [
      0n,
      1n,
      BigInt(this.random(64)),
      0x7fffffffn,
      0xffffffffn,
      2n ** 64n - 1n,
      this.inside(),
      this.object(),
    ];
    return words[this.random(words.length)] ?? 0n;
  }

  private object(): bigint {
    return this.addresses[this.random(this.addresses.length)] ?? 0n;
  }

  private inside(): bigint {
    return this.start + 8n * BigInt(this.random(Number(this.end - this.start) >> 3));
  }

  /** Mostly the address of an object, often of one of the kind. */
  handle(kind: HandleKind): bigint {
    const own = this.ofKind.get(kind) ?? [];
    if (own.length > 0 && this.random(2) === 0) return own[this.random(own.length)] ?? 0n;
    switch (this.random(8)) {
      case 0:
        return this.inside();
      case 1:
        return this.word();
      case 2:
        return (BigInt(this.random(0x7fffffff)) << 33n) | BigInt(this.random(0x7fffffff));
      default:
        return this.object();
    }
  }
}

function countReads({ image }: MockOpenmpi): { count: number; longest: number } {
  const reads = { count: 0, longest: 0 };
  const readMemory = image.readMemory.bind(image);
  image.readMemory = (address, length) => {
    reads.count++;
    reads.longest = Math.max(reads.longest, length);
    return readMemory(address, length);
  };
  return reads;
}
