/** The library's variables without symbols, identified by what they point to. */
import { addressAt } from './containers';
import type { Decoder } from './handles';

/** Where memory from malloc begins. */
const alignment = 16n;
/** The end of the addresses of a process on 64-bit Linux. */
const lowest = 0x10000n;
const highest = 0x7fffffffffffn;

/** The distinct addresses of possible malloc blocks in the library's data, outside its objects. */
export async function pointersInData({ image, objects: { data, pools } }: Decoder): Promise<bigint[]> {
  const segments = (await image.modules()).flatMap((module) => module.segments);
  const loaded = segments.map(({ address, size }) => ({ start: address, end: address + BigInt(size) }));
  const objects = new Map([...pools.values()].map((pool) => [pool.direct, pool.directCount * pool.size]));
  const found = new Set<bigint>();
  for (const { address, words } of data) {
    for (let at = 0; at < words.length - 1; at += 2) {
      at += (objects.get(address + BigInt(4 * at)) ?? 0) / 4;
      const pointer = at < words.length - 1 ? addressAt(words, at) : 0n;
      if (pointer < lowest || pointer > highest || pointer % alignment !== 0n) continue;
      if (!found.has(pointer) && !loaded.some(({ start, end }) => pointer >= start && pointer < end))
        found.add(pointer);
    }
  }
  return [...found];
}
