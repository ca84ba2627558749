/** What is wrong with the memory of a pending operation's buffer, by what is mapped, malloc's blocks and the stacks in use. */
import type { BufferFault, RequestInfo } from '../../../plugin-api/mpi/records';
import type { EpochImage } from '../../images/epoch-image';
import type { Bytes } from './byte-ranges';
import { writes } from './byte-ranges';
import { HeapBlocks } from './heap-blocks';
import { areaAt, isMapped, type Area, type Mapped } from './mapped-areas';

/** Where a thread's stack ends in code that is not the C library's or MPI's. isFirst: the process's first thread's. */
export interface UsedStack {
  isFirst: boolean;
  pointer: bigint;
}

/** What is known of the variable that a buffer lies in: whether it is its own memory, and where that, or the block that it points to, ends. */
interface OfVariable {
  isOwn: boolean;
  end?: bigint | undefined;
  isBlock?: boolean | undefined;
}

export class MemoryFaults {
  private readonly heaps = new Map<bigint, HeapBlocks>();

  constructor(
    private readonly image: EpochImage,
    private readonly mapped: Mapped,
    private readonly stacks: () => Promise<readonly UsedStack[]>,
  ) {}

  async of(info: RequestInfo, { address, bytes, isDense }: Bytes, variable?: OfVariable): Promise<BufferFault[]> {
    const { mapped } = this;
    const area = areaAt(mapped, address);
    const block = area === undefined ? undefined : await this.blockAt(area, address);
    const faults: BufferFault[] = [];
    const beyond = (end: bigint | undefined): bigint =>
      !isDense || end === undefined || address + bytes <= end ? 0n : address + bytes - end;
    const isUnmapped = mapped.isAll && isDense && !isMapped(mapped, address, bytes);
    // A large block goes back to the kernel when it is freed.
    if (isUnmapped || block?.state === 'freed')
      faults.push({ kind: isUnmapped ? 'unmapped' : 'freed', ...((await this.isFortran()) && { mayBeCopy: true }) });
    else if (variable?.isOwn !== true && area !== undefined && (await this.isReturned(area, address)))
      faults.push({ kind: 'returned' });
    else if (beyond(variable?.end) > 0n) faults.push(tooShort(beyond(variable!.end), variable!.isBlock === true));
    else if (variable?.end === undefined && beyond(block?.end) > 0n) faults.push(tooShort(beyond(block!.end), true));
    if (writes(info) && area !== undefined && !area.writable) faults.push({ kind: 'readOnly' });
    return faults;
  }

  /** By its main program, under the name that compilers of Fortran give it. */
  private async isFortran(): Promise<boolean> {
    return (await this.image.findSymbol('MAIN__')) !== undefined;
  }

  private async blockAt(area: Area, address: bigint) {
    const mayBeHeap = area.path === undefined ? area.isAnonymous : area.path === '[heap]';
    if (!mayBeHeap) return undefined;
    const heap = this.heaps.get(area.start) ?? new HeapBlocks(this.image, area);
    this.heaps.set(area.start, heap);
    return heap.at(address);
  }

  /** Other threads' stacks count only with a guard page below: what lies there cannot be anything else. */
  private async isReturned(area: Area, address: bigint): Promise<boolean> {
    const mayBeStack = area.path === '[stack]' || area.path === undefined || area.path === '';
    if (!mayBeStack || !area.writable) return false;
    const inArea = (await this.stacks()).filter(({ pointer }) => area.start <= pointer && pointer < area.end);
    const [stack] = inArea;
    if (stack === undefined || inArea.length > 1 || address >= stack.pointer - redZone) return false;
    return stack.isFirst || this.mapped.areas.some(({ end, writable }) => end === area.start && !writable);
  }
}

/** What a function may use below its stack pointer (System V ABI). */
const redZone = 128n;

function tooShort(beyond: bigint, isAtLeast: boolean): BufferFault {
  const number = beyond <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(beyond) : String(beyond);
  return { kind: 'tooShort', beyond: number, ...(isAtLeast ? { isAtLeast: true } : {}) };
}
