/** Whether a rank has died because its stack had no room left. */
import { constants } from 'node:os';
import type { Death } from '../../../plugin-api/deaths/death';
import type { RankDeath } from '../../../plugin-api/deaths/rank-death';
import type { Host } from '../../hosts/host';
import { HostProcess } from '../../hosts/host-process';
import type { LiveMapping } from '../../hosts/process-maps';

/** Empty: the stack had room, or that is not known. */
type FullStack = Pick<RankDeath, 'isStackFull' | 'stackNeeded'>;

/** More than a function reserves at once without a look at what lies below. */
const maxFrame = 1n << 20n;

/** For a rank that is dying. */
export async function fullStackOf(host: Host, { pid, signal, stack }: Death): Promise<FullStack> {
  const top = stack?.registers.stackPointer;
  if (signal?.number !== constants.signals.SIGSEGV || signal.sender !== undefined) return {};
  return fullStack(new HostProcess(host, pid), top, signal.address);
}

/** `top`: where the stack pointer stands; `address`: what could not be used. */
export async function fullStack(
  process: Pick<HostProcess, 'maps'>,
  top: bigint | undefined,
  address: bigint,
): Promise<FullStack> {
  if (top === undefined) return {};
  const mappings = await process.maps().catch(() => []);
  if (isUsable(mappings, address)) return {};
  const needed = neededOfMain(mappings, top, address);
  if (needed !== undefined) return { isStackFull: true, stackNeeded: Number(needed) };
  return isAtEnd(mappings, top, address) ? { isStackFull: true } : {};
}

function isUsable(mappings: readonly LiveMapping[], address: bigint): boolean {
  return mappings.some(({ start, end, writable }) => writable && start <= address && address < end);
}

/** The stack pointer leaves the memory of its stack, or is about to, by one small frame after the other. */
function isAtEnd(mappings: readonly LiveMapping[], top: bigint, address: bigint): boolean {
  const away = address < top ? top - address : address - top;
  if (away > maxFrame) return false;
  const above = mappings.find(({ start, writable }) => writable && start > address);
  return above !== undefined && above.start - address <= maxFrame && top - above.start <= maxFrame;
}

/**
 * The bytes that the first thread's stack would need, where one function has moved the stack pointer far below all that may become its stack: with
 * large local or automatic arrays.
 */
function neededOfMain(mappings: readonly LiveMapping[], top: bigint, address: bigint): bigint | undefined {
  const above = mappings.find(({ start }) => start > top);
  if (above?.path !== '[stack]' || isUsable(mappings, top)) return undefined;
  const isOfFrame = top - maxFrame <= address && address < above.start;
  return isOfFrame && above.start - top > maxFrame ? above.end - top : undefined;
}
