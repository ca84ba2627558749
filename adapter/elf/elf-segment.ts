/** A program header of an ELF file: a range of the file, and where it belongs in memory. */
export interface ElfSegment {
  type: number;
  writable: boolean;
  executable: boolean;
  offset: number;
  /** As linked: without the bias. */
  address: number;
  fileSize: number;
  size: number;
}

/** The type of a segment that is loaded into memory. */
export const PT_LOAD = 1;
