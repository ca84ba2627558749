/** Memory of one process, read at once: of a live one, or of the core file that it left. */
export interface MemoryReader {
  /** Exactly `length` bytes. Throws FaultError where one of them cannot be read. */
  read(address: bigint, length: number): Uint8Array;
}
