/** Numbers of 64 bits in records. */
import type { Integer } from './records';

/** A number where it is exact, else its decimal digits. */
export function integer(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
