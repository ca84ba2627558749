/** Small core files made of bytes: what the reader of core files is tested with. */

export interface CorePiece {
  address: number;
  /** What the file holds of it. */
  bytes: Buffer;
  /** In memory; default: as much as in the file. */
  size?: number;
  executable?: boolean;
}

export interface CoreParts {
  pid?: number;
  threads?: { lwp: number; signal: number; registers?: Buffer }[];
  signal?: { number: number; code: number; address?: bigint; sender?: number };
  auxiliary?: [type: number, value: bigint][];
  mappings?: { start: number; end: number; page: number; path: string }[];
  memory: CorePiece[];
}

/** An x86-64 core file, as the kernel lays it out. */
export function coreBytes({
  pid = 4711,
  threads = [{ lwp: pid, signal: 11 }],
  signal,
  auxiliary = [],
  mappings = [],
  memory,
}: CoreParts): Buffer {
  const [first, ...others] = threads.map(status);
  const notes = Buffer.concat([
    first === undefined ? Buffer.alloc(0) : note(1, first),
    note(3, processInfo(pid)),
    ...(signal === undefined ? [] : [note(0x53494749, signalInfo(signal))]),
    note(6, auxiliaryBytes(auxiliary)),
    note(0x46494c45, fileNote(mappings)),
    ...others.map((other) => note(1, other)),
  ]);
  const headerSize = 64 + 56 * (memory.length + 1);
  let offset = headerSize + notes.length;
  const headers = [
    programHeader({ type: 4, offset: headerSize, address: 0, fileSize: notes.length, size: 0, flags: 0 }),
  ];
  for (const { address, bytes, size = bytes.length, executable = false } of memory) {
    headers.push(programHeader({ type: 1, offset, address, fileSize: bytes.length, size, flags: executable ? 5 : 6 }));
    offset += bytes.length;
  }
  return Buffer.concat([header(headers.length), ...headers, notes, ...memory.map(({ bytes }) => bytes)]);
}

/** As in the notes and on the stack. */
export function auxiliaryBytes(entries: readonly [type: number, value: bigint][]): Buffer {
  return words([...entries, [0, 0n] as [number, bigint]].flatMap(([type, value]) => [BigInt(type), value]));
}

export function words(values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  values.forEach((value, index) => bytes.writeBigUInt64LE(value, index * 8));
  return bytes;
}

function header(count: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write('\x7fELF\x02\x01\x01', 'latin1');
  bytes.writeUInt16LE(4, 16);
  bytes.writeUInt16LE(62, 18);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(count, 56);
  return bytes;
}

function programHeader(of: {
  type: number;
  offset: number;
  address: number;
  fileSize: number;
  size: number;
  flags: number;
}): Buffer {
  const bytes = Buffer.alloc(56);
  bytes.writeUInt32LE(of.type, 0);
  bytes.writeUInt32LE(of.flags, 4);
  bytes.writeBigUInt64LE(BigInt(of.offset), 8);
  bytes.writeBigUInt64LE(BigInt(of.address), 16);
  bytes.writeBigUInt64LE(BigInt(of.fileSize), 32);
  bytes.writeBigUInt64LE(BigInt(of.size), 40);
  return bytes;
}

function note(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(20);
  head.writeUInt32LE(5, 0);
  head.writeUInt32LE(content.length, 4);
  head.writeUInt32LE(type, 8);
  head.write('CORE\0', 12, 'latin1');
  return Buffer.concat([head, content, Buffer.alloc((4 - (content.length % 4)) % 4)]);
}

function status({ lwp, signal, registers = Buffer.alloc(216) }: NonNullable<CoreParts['threads']>[number]): Buffer {
  const bytes = Buffer.alloc(336);
  bytes.writeUInt16LE(signal, 12);
  bytes.writeInt32LE(lwp, 32);
  registers.copy(bytes, 112);
  return bytes;
}

function processInfo(pid: number): Buffer {
  const bytes = Buffer.alloc(136);
  bytes.writeInt32LE(pid, 24);
  bytes.writeInt32LE(pid - 1, 28);
  bytes.write('solver', 40);
  bytes.write('./solver input', 56);
  return bytes;
}

function signalInfo({ number, code, address = 0n, sender }: NonNullable<CoreParts['signal']>): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.writeInt32LE(number, 0);
  bytes.writeInt32LE(code, 8);
  bytes.writeBigUInt64LE(address, 16);
  if (sender !== undefined) bytes.writeInt32LE(sender, 16);
  return bytes;
}

function fileNote(mappings: NonNullable<CoreParts['mappings']>): Buffer {
  const table = mappings.flatMap(({ start, end, page }) => [BigInt(start), BigInt(end), BigInt(page)]);
  const paths = mappings.map(({ path }) => `${path}\0`).join('');
  return Buffer.concat([words([BigInt(mappings.length), 4096n, ...table]), Buffer.from(paths)]);
}
