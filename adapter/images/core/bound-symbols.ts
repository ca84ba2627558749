/**
 * Where a library's symbol is while the program's own symbols are unknown, because its file is not here: a program that was linked
 * with data of a library has a copy of it (copy relocation), which the library uses, too.
 */
import type { Symbol } from '../../../plugin-api/image';
import { FaultError } from '../../../plugin-api/result';
import type { LinkedWords } from '../../elf/linked-words';
import type { MemoryReader } from '../memory-reader';

/** `words`: of the file that defines the symbol. It says where the dynamic linker has written the address that all use. */
export async function boundSymbol(symbol: Symbol, words: LinkedWords, memory: MemoryReader): Promise<Symbol> {
  const { bias } = symbol.module;
  const word = words.symbols.find(({ value }) => bias + BigInt(value) === symbol.address);
  if (word === undefined) return symbol;
  try {
    const bytes = Buffer.from(await memory.read(bias + BigInt(word.at), 8));
    const address = bytes.readBigUInt64LE(0);
    return address === 0n ? symbol : { ...symbol, address };
  } catch (error) {
    if (error instanceof FaultError) return symbol;
    throw error;
  }
}
