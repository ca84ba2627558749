/** What a process has mapped of a file that is itself gone: its headers and its dynamic symbols at least. */
import type { ByteSource } from '../../elf/byte-source';
import { checkRange, ElfError } from '../../elf/byte-source';
import type { Mapping } from '../../hosts/process-maps';

export class MappedSource implements ByteSource {
  readonly size: number;
  readonly #mappings: readonly Mapping[];
  readonly #read: (address: bigint, length: number) => Uint8Array;

  /** `mappings`: those of this file alone. `read` throws for unreadable memory. */
  constructor(mappings: readonly Mapping[], read: (address: bigint, length: number) => Uint8Array) {
    this.#mappings = mappings;
    this.#read = read;
    this.size = Math.max(0, ...mappings.map((mapping) => mapping.offset + Number(mapping.end - mapping.start)));
  }

  read(offset: number, length: number): Buffer {
    checkRange(this, offset, length);
    for (const mapping of this.#mappings) {
      const from = offset - mapping.offset;
      if (from < 0 || from + length > Number(mapping.end - mapping.start)) continue;
      return Buffer.from(this.#read(mapping.start + BigInt(from), length));
    }
    throw new ElfError(`${length} bytes at its offset ${offset} are not in memory`);
  }
}
