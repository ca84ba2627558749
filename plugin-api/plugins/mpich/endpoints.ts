/**
 * The process that a UCX endpoint leads to: ch4 keeps the endpoints of all processes of MPI_COMM_WORLD in a table, in
 * their order. The table has no symbol; its manager, in the library's data, is found by its required content.
 */
import { readI32, readPointer } from '../../memory';
import { once, onceByKey } from '../../once';
import { QueryError, guard } from '../../result';
import type { DataSegment } from './containers';
import type { Decoder } from './handles';
import { addressEntrySpec } from './specs';

/** The manager: { int most, int used, int free, table of the world, array of all tables }. */
const manager = { most: 0, used: 4, free: 8, world: 16, tables: 24, size: 32 };

/**
 * The table's header, which the layouts lack, by the size of an entry, which changed with it: 4.0, 4.1 and 4.2, since
 * 5.0.
 */
const heads: Readonly<Record<number, { size: number; entries: number }>> = {
  16: { size: 8, entries: 16 },
  32776: { size: 4, entries: 8 },
  32784: { size: 0, entries: 8 },
};

const maxTables = 1 << 16;
/** The most entries that are searched for an endpoint of a communication interface other than the first. */
const maxSearchedBytes = 16 << 20;

/** The rank in MPI_COMM_WORLD. Throws QueryError where the table is not found, or has no such endpoint. */
export const processOfEndpoint = onceByKey(async (decoder: Decoder, endpoint: bigint): Promise<number> => {
  const { image, objects } = decoder;
  const worldSize = objects.process?.size ?? 0;
  const entries = await entriesOf(decoder);
  const entrySize = await objects.reader.sizeOf(addressEntrySpec);
  for (let rank = 0; rank < worldSize; rank++)
    if ((await readPointer(image, entries + BigInt(rank * entrySize))) === endpoint) return rank;
  // With several interfaces an entry has an endpoint for each pair of them, and little else.
  const perInterface = entrySize - (entrySize % 4096);
  if (perInterface > 0 && worldSize * perInterface <= maxSearchedBytes) {
    for (let rank = 0; rank < worldSize; rank++) {
      const bytes = await image.readMemory(entries + BigInt(rank * entrySize), perInterface);
      const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let at = 0; at < perInterface; at += 8) if (words.getBigUint64(at, true) === endpoint) return rank;
    }
  }
  throw new QueryError('MPIDBG_ERR_NOT_FOUND', 'the receiver is not a process of MPI_COMM_WORLD');
});

/** The address of the first entry. */
const entriesOf = once(async (decoder: Decoder): Promise<bigint> => {
  const { image, objects } = decoder;
  const worldSize = objects.process?.size ?? 0;
  const head = heads[await objects.reader.sizeOf(addressEntrySpec)];
  if (head === undefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', "where this MPICH keeps the processes' addresses is not known");
  for (const { world, tables } of managersIn(objects.data)) {
    const isTable = await guard(
      async () =>
        (await readPointer(image, tables)) === world && (await readI32(image, world + BigInt(head.size))) === worldSize,
    );
    if (isTable.ok && isTable.value) return world + BigInt(head.entries);
  }
  throw new QueryError('MPIDBG_ERR_NOT_FOUND', "the table of the processes' addresses was not found");
});

function* managersIn(data: readonly DataSegment[]): Generator<{ world: bigint; tables: bigint }> {
  for (const { words } of data) {
    const pointer = (at: number) => (BigInt(words[at + 1]! >>> 0) << 32n) | BigInt(words[at]! >>> 0);
    for (let at = 0; at <= words.length - manager.size / 4; at += 2) {
      const most = words[at + manager.most / 4]!;
      const used = words[at + manager.used / 4]!;
      const free = words[at + manager.free / 4]!;
      if (most < 1 || most > maxTables || used < 1 || used > most || free < 0 || free > most) continue;
      const world = pointer(at + manager.world / 4);
      const tables = pointer(at + manager.tables / 4);
      if (world !== 0n && tables !== 0n && world % 8n === 0n && tables % 8n === 0n) yield { world, tables };
    }
  }
}
