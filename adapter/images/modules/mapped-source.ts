/** What a process has mapped of a file that is itself gone: its headers and its dynamic symbols at least. */
import { counted } from '../../../plugin-api/counted';
import { FaultError } from '../../../plugin-api/result';
import { ElfError } from '../../elf/byte-source';
import type { DistantBytes } from '../../elf/distant-bytes';
import type { Mapping } from '../../hosts/process-maps';
import type { MemoryReader } from '../memory-reader';

export class MappedSource implements DistantBytes {
  readonly size: number;
  private readonly mappings: readonly Mapping[];
  private readonly memory: MemoryReader;

  /** `mappings`: those of this file alone. */
  constructor(mappings: readonly Mapping[], memory: MemoryReader) {
    this.mappings = mappings;
    this.memory = memory;
    this.size = mappings.reduce((size, { offset, start, end }) => Math.max(size, offset + Number(end - start)), 0);
  }

  async read(offset: number, length: number): Promise<Buffer> {
    // A page in which two segments meet is mapped for each; a core file may hold only the one that was written to.
    for (const mapping of this.mappings) {
      const from = offset - mapping.offset;
      if (from < 0 || from + length > Number(mapping.end - mapping.start)) continue;
      try {
        return Buffer.from(await this.memory.read(mapping.start + BigInt(from), length));
      } catch (error) {
        if (!(error instanceof FaultError)) throw error;
      }
    }
    throw new ElfError(`${counted(length, 'byte')} at its offset ${offset} not in memory`);
  }
}
