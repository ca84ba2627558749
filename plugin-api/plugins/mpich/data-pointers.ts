/** The variables without a name that the library has beside its objects: what they point to tells which is which. */
import { addressAt, wordAt, type Objects } from './containers';

/** Where memory from malloc begins. */
const alignment = 16n;
/** Of a process on 64-bit Linux. */
const lowest = 0x10000n;
const highest = 0x7fffffffffffn;

/** The addresses in the library's data, its objects left out, of what malloc may have given it; each once. */
export function* pointersInData({ data, pools }: Objects): Generator<bigint> {
  const objects = new Map([...pools.values()].map((pool) => [pool.direct, pool.directCount * pool.size]));
  const seen = new Set<bigint>();
  for (const { address, words } of data) {
    for (let at = 0; at < words.length - 1; at += 2) {
      at += (objects.get(address + BigInt(4 * at)) ?? 0) / 4;
      const pointer = at < words.length - 1 ? addressAt(words, at) : 0n;
      if (pointer < lowest || pointer > highest || pointer % alignment !== 0n) continue;
      if (seen.has(pointer) || wordAt(data, pointer) !== undefined) continue;
      seen.add(pointer);
      yield pointer;
    }
  }
}
