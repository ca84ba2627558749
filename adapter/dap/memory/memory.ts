/** readMemory and writeMemory. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { dataReadMemoryBytes, dataWriteMemoryBytes } from '../../gdb/mi/data-manipulation';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { Rank } from '../../job/rank';
import { notEvaluated } from '../client/errors';
import { memoryReference, type MemoryReferences } from '../references/memory-references';

/** One answer's bytes at most: MI writes two digits for each. A client asks again for what is missing. */
const maxBytes = 1 << 20;

export class Memory {
  constructor(
    private readonly references: MemoryReferences,
    private readonly written: (rank: Rank) => void,
  ) {}

  /** The bytes from the address on, up to the first that cannot be read. */
  async read(args: DebugProtocol.ReadMemoryArguments): Promise<DebugProtocol.ReadMemoryResponse['body']> {
    const { rank, thread, address } = await this.references.locate('readMemory', args.memoryReference, args.offset);
    const count = Math.min(args.count, maxBytes);
    const where = { address: memoryReference(rank, address) };
    if (count <= 0) return { ...where, data: '' };
    const pieces = await dataReadMemoryBytes(thread, address, count).catch((error: unknown) => {
      if (error instanceof GdbError) return [];
      throw error;
    });
    const [first] = pieces;
    if (first?.address !== address) {
      return { ...where, unreadableBytes: first === undefined ? count : Number(first.address - address) };
    }
    const unreadableBytes = count - first.bytes.length;
    return { ...where, data: first.bytes.toString('base64'), ...(unreadableBytes === 0 ? {} : { unreadableBytes }) };
  }

  async write(args: DebugProtocol.WriteMemoryArguments): Promise<DebugProtocol.WriteMemoryResponse['body']> {
    const located = await this.references.locate('writeMemory', args.memoryReference, args.offset);
    const bytes = Buffer.from(args.data, 'base64');
    try {
      await dataWriteMemoryBytes(located.thread, located.address, bytes);
    } catch (error) {
      if (error instanceof GdbError) throw notEvaluated(error.message);
      throw error;
    }
    this.written(located.rank);
    return { bytesWritten: bytes.length };
  }
}
