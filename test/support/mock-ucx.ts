/** UCX in a process made by hand: its version, its requests and its queues. */
import type { LayoutTable } from '../../plugin-api/layout';
import { tables } from '../../plugin-api/plugins/ucx/library';
import type { MockImage } from './mock-image';

type Values = Record<string, bigint | number>;

export interface MockReceive {
  tag?: bigint;
  mask?: bigint;
  buffer?: bigint;
  bytes?: number;
  sequence?: number;
  userData?: bigint;
  worker?: bigint;
  /** What UCX packs through callbacks with this context. */
  context?: bigint;
}

const codeStart = 0x7f2000000000n;
const heapStart = 0x666600000000n;
const exactTag = 2n ** 64n - 1n;

export class MockUcx {
  readonly table: LayoutTable;
  private top = heapStart;

  constructor(
    readonly image: MockImage,
    version = '1.13.1',
    layoutOf = version,
  ) {
    this.table = tables[layoutOf]!;
    const library = image.load('/usr/lib/libucp.so.0.0.0', [{ address: codeStart, size: 0x1000, executable: true }]);
    image.define('ucp_get_version', codeStart, library);
    this.writeCode(...version.split('.').map(Number));
    image.map(heapStart, 0x400000);
  }

  /** movl $major,(%rdi); movl $minor,(%rsi); movl $release,(%rdx); ret */
  private writeCode(major = 0, minor = 0, release = 0): void {
    const bytes = [
      ...[0xf3, 0x0f, 0x1e, 0xfa],
      ...[0xc7, 0x07, major, 0, 0, 0],
      ...[0xc7, 0x06, minor, 0, 0, 0],
      ...[0xc7, 0x02, release, 0, 0, 0],
      0xc3,
    ];
    for (let at = 0; at < bytes.length; at += 4)
      this.image.writeI32(
        codeStart + BigInt(at),
        bytes.slice(at, at + 4).reduceRight((word, byte) => (word << 8) | byte, 0),
      );
  }

  allocate(size: number): bigint {
    const address = this.top;
    this.top += BigInt((size + 63) & ~15);
    return address;
  }

  private write(struct: string, address: bigint, values: Values): void {
    this.image.writeStruct(this.table[struct]!, address, values);
  }

  /** Answers the user's area. */
  receive(receive: MockReceive = {}): bigint {
    const { tag = 0n, mask = exactTag, buffer = 0n, bytes = 0, sequence = 0, userData = 0n, worker = 0n } = receive;
    const address = this.request();
    const generic = receive.context === undefined ? 0n : this.generic(receive.context);
    this.write('ucp_request', address, {
      ...{ user_data: userData, 'recv.tag.tag': tag, 'recv.tag.tag_mask': mask, 'recv.tag.sn': sequence },
      'recv.worker': worker,
      ...(this.hasIterator()
        ? {
            'recv.dt_iter.dt_class': generic === 0n ? 0 : 7,
            'recv.dt_iter.length': bytes,
            'recv.dt_iter.type.contig.buffer': buffer,
            ...(generic === 0n ? {} : { 'recv.dt_iter.type.generic.dt_gen': generic }),
          }
        : { 'recv.buffer': buffer, 'recv.datatype': generic === 0n ? 0n : generic | 7n, 'recv.length': bytes }),
    });
    return this.areaOf(address);
  }

  /**
   * By the old protocols, or, with an `operation` of UCX's, the new ones. Answers the user's area, which begins with
   * `owner`.
   */
  send(endpoint: bigint, tag: bigint, buffer: bigint, bytes: number, owner: bigint, operation?: number): bigint {
    const address = this.request();
    this.write('ucp_request', address, {
      ...{ flags: operation === undefined ? 1 << 14 : 1 << 2, 'send.ep': endpoint, 'send.msg_proto.tag': tag },
      ...(operation !== undefined
        ? {
            'send.proto_config': this.protocol(operation),
            'send.state.dt_iter.dt_class': 0,
            'send.state.dt_iter.length': bytes,
            'send.state.dt_iter.type.contig.buffer': buffer,
          }
        : { 'send.buffer': buffer, 'send.datatype': 0, 'send.length': bytes }),
    });
    this.image.writeU64(this.areaOf(address), owner);
    return this.areaOf(address);
  }

  hasIterator(): boolean {
    return this.table['ucp_request']!.fields['recv.dt_iter.length'] !== undefined;
  }

  /** The address of the struct in front of a user's area. */
  requestOf(area: bigint): bigint {
    return area - BigInt(this.table['ucp_request']!.size);
  }

  /** A worker with these receives, by their user's areas, in the queue of wildcards and one hashed; messages by address. */
  worker(posted: readonly bigint[] = [], hashed: readonly bigint[] = [], messages: readonly bigint[] = []): bigint {
    const address = this.allocate(this.table['ucp_worker_t']!.size);
    const hash = this.allocate(1021 * 24);
    for (let i = 0; i < 1021; i++) this.queue(hash + BigInt(24 * i), i === 7 ? hashed : []);
    this.write('ucp_worker_t', address, { 'tm.expected.hash': hash });
    this.queue(this.fieldOf('ucp_worker_t', 'tm.expected.wildcard.queue.head', address), posted);
    const head = this.fieldOf('ucp_worker_t', 'tm.unexpected.all', address);
    const links = [head, ...messages.map((message) => message + 16n), head];
    for (let i = 0; i + 1 < links.length; i++) {
      this.image.writeU64(links[i]! + 8n, links[i + 1]!);
      this.image.writeU64(links[i + 1]!, links[i]!);
    }
    return address;
  }

  /** Makes this the worker's only receive in the queue of wildcards. */
  post(worker: bigint, area: bigint): void {
    this.queue(this.fieldOf('ucp_worker_t', 'tm.expected.wildcard.queue.head', worker), [area]);
  }

  /** An unexpected message; `header` follows the tag. */
  message(tag: bigint, values: Values, ...header: bigint[]): bigint {
    const { size } = this.table['ucp_recv_desc']!;
    const address = this.allocate(size + 64);
    this.write('ucp_recv_desc', address, values);
    this.image.writeU64(address + BigInt(size), tag, ...header);
    return address;
  }

  private queue(head: bigint, areas: readonly bigint[]): void {
    const links = areas.map((area) => this.fieldOf('ucp_request', 'recv.queue.next', this.requestOf(area)));
    links.forEach((link, i) => this.image.writeU64(link, links[i + 1] ?? 0n));
    this.image.writeU64(head, links[0] ?? 0n, links.at(-1) ?? head);
  }

  private fieldOf(struct: string, field: string, address: bigint): bigint {
    return address + BigInt(this.table[struct]!.fields[field]!.offset);
  }

  private request(): bigint {
    return this.allocate(this.table['ucp_request']!.size + 64);
  }

  private areaOf(request: bigint): bigint {
    return request + BigInt(this.table['ucp_request']!.size);
  }

  private protocol(operation: number): bigint {
    const address = this.allocate(this.table['ucp_proto_config_t']!.size);
    this.write('ucp_proto_config_t', address, { 'select_param.op_id_flags': operation });
    return address;
  }

  private generic(context: bigint): bigint {
    const address = this.allocate(16);
    this.image.writeU64(address, context);
    return address;
  }
}
