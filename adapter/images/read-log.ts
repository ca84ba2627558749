/** Keeps what was read, so that an answer made of it can be told to be still right. */
import { FaultError } from '../../plugin-api/result';
import { ForwardedImage } from './forwarded-image';

export class ReadLog extends ForwardedImage {
  private readonly reads = new Map<string, { address: bigint; bytes: Uint8Array | undefined }>();

  override async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    const key = `${address} ${length}`;
    try {
      const bytes = await super.readMemory(address, length);
      this.reads.set(key, { address, bytes: bytes.slice() });
      return bytes;
    } catch (error) {
      if (error instanceof FaultError) this.reads.set(key, { address, bytes: undefined });
      throw error;
    }
  }

  /** Whether all that was read is the same in this image; what could not be read counts as changed. */
  async isSameIn(now: ForwardedImage): Promise<boolean> {
    try {
      for (const { address, bytes } of this.reads.values()) {
        if (bytes === undefined) return false;
        if (Buffer.compare(await now.readMemory(address, bytes.length), bytes) !== 0) return false;
      }
      return true;
    } catch (error) {
      if (error instanceof FaultError) return false;
      throw error;
    }
  }
}
