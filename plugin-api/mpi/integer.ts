/** 64-bit numbers in records. */
import type { Integer } from './records';

/** A number if that is exact, otherwise the decimal digits as text. */
export function integer(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
