/** Which reads of a process' memory are worth asking its kernel for. */
import { FaultError } from '../../plugin-api/result';

/** A longer length is a garbage count that somebody read from a broken struct. */
const maxReadLength = 1 << 30;
/** Behind it lies the kernel. */
const userSpaceEnd = 1n << 63n;

/** Throws FaultError. */
export function checkMemoryRange(address: bigint, length: number): void {
  if (!Number.isSafeInteger(length) || length < 0 || length > maxReadLength)
    throw new FaultError(address, length, 'no such length');
  if (address < 0n || address + BigInt(length) > userSpaceEnd) throw new FaultError(address, length);
}
