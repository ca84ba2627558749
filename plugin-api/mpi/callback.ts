/** Functions of the program that the library calls. */
import type { ProcessImage } from '../image';
import type { Callback } from './records';

/** The function at `address`, by its symbol where one begins there or covers it. */
export async function callbackAt(
  image: ProcessImage,
  address: bigint,
  language: Callback['language'],
): Promise<Callback> {
  const hex: Callback['address'] = `0x${address.toString(16)}`;
  const symbol = await image.symbolAt(address);
  return symbol === undefined ? { address: hex, language } : { address: hex, symbol: symbol.name, language };
}
