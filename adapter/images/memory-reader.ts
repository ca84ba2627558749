/** Memory of one process: of a live one, or of the core file that it left. */
export interface MemoryReader {
  /** Exactly `length` bytes. Rejects with FaultError where one of them cannot be read. */
  read(address: bigint, length: number): Promise<Uint8Array>;
}
