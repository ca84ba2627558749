/**
 * What glibc's malloc says of the blocks of the heap that grows with brk. Each block has its size in the word before it, and
 * the next block says whether it is in use; small blocks that a thread has freed are on its list of them, in order of their sizes
 * (tcache, malloc.c, since glibc 2.30), with the addresses mangled since 2.32.
 */
import type { ProcessImage } from '../../../plugin-api/image';
import { FaultError } from '../../../plugin-api/result';

const maxBlocks = 500_000;
const tcacheSize = 0x290;
const tcacheLists = 64;
const maxPerList = 65_535;
const headLength = 2 * tcacheLists;
/** Blocks are followed in pieces of so many bytes. */
const pieceLength = 16_384;

/** freed: malloc itself says so; given: it says that the block is in use. `end`: of what the program may use of it. */
export interface HeapBlock {
  state: 'freed' | 'given';
  end: bigint;
}

/** The heap of a process that stands still. Each block is followed once. */
export class HeapBlocks {
  /** Where blocks begin, from the heap's start on, ascending; the last one is where the next one would. */
  private readonly starts = [0];
  private readonly size: number;
  private piece: { at: number; view: DataView } | undefined;
  private isLost = false;

  constructor(
    private readonly image: ProcessImage,
    private readonly heap: { start: bigint; end: bigint },
  ) {
    this.size = Number(heap.end - heap.start);
  }

  /** undefined: it is not known. */
  async at(address: bigint): Promise<HeapBlock | undefined> {
    try {
      return await this.find(Number(address - this.heap.start));
    } catch (error) {
      if (error instanceof FaultError) return undefined;
      throw error;
    }
  }

  private async find(offset: number): Promise<HeapBlock | undefined> {
    // The first word of the next block is this block's too.
    const within = offset - 8;
    await this.follow(within);
    const [start, next] = this.around(within);
    if (start === undefined || next === undefined || offset < start + 16) return undefined;
    if (next === this.size) return { state: 'freed', end: this.heap.end };
    const isInUse = ((await this.word(next + 8)) & 1) === 1 && !(await this.isInTcache(start, next - start));
    return { state: isInUse ? 'given' : 'freed', end: this.heap.start + BigInt(next + 8) };
  }

  /** Until the block that holds this offset is known. */
  private async follow(offset: number): Promise<void> {
    // Its own list is the first block of the heap: a program with another allocator has none.
    if (this.starts.length === 1 && (await this.sizeAt(0)) !== tcacheSize) this.isLost = true;
    while (!this.isLost && this.starts.at(-1)! <= offset && this.starts.length < maxBlocks) {
      const start = this.starts.at(-1)!;
      const size = start < this.size ? await this.sizeAt(start) : 0;
      if (size < 32 || size % 16 !== 0 || start + size > this.size) this.isLost = true;
      else this.starts.push(start + size);
    }
  }

  private around(offset: number): [number | undefined, number | undefined] {
    let [low, high] = [0, this.starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return [this.starts[low - 1], this.starts[low]];
  }

  private async sizeAt(start: number): Promise<number> {
    const word = await this.word(start + 8);
    return word - (word % 8);
  }

  /** Sizes of blocks are below 2^53 in whatever heap there can be; what is not is no size. */
  private async word(at: number): Promise<number> {
    if (this.piece === undefined || at < this.piece.at || at + 8 > this.piece.at + this.piece.view.byteLength) {
      const bytes = await this.image.readMemory(
        this.heap.start + BigInt(at),
        Math.max(8, Math.min(pieceLength, this.size - at)),
      );
      this.piece = { at, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
    }
    return Number(this.piece.view.getBigUint64(at - this.piece.at, true));
  }

  private async isInTcache(start: number, size: number): Promise<boolean> {
    const list = (size - 32) / 16;
    if (list >= tcacheLists) return false;
    const first = this.heap.start;
    const counts = await this.image.readMemory(first + 16n + BigInt(2 * list), 2);
    const count = counts[0]! + 256 * counts[1]!;
    let entry = await this.pointer(first + 16n + BigInt(headLength + 8 * list));
    for (let i = 0; i < Math.min(count, maxPerList) && entry !== 0n; i++) {
      if (entry === first + BigInt(start) + 16n) return true;
      entry = (entry >> 12n) ^ (await this.pointer(entry));
      if (entry % 16n !== 0n) return false;
    }
    return false;
  }

  private async pointer(at: bigint): Promise<bigint> {
    const bytes = await this.image.readMemory(at, 8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  }
}
