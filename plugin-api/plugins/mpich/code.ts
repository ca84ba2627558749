/** The library's machine code, for what has no symbol: `references` finds in it what it refers to. */
import type { Module, ProcessImage } from '../../image';
import type { Code } from '../../processor/code-references';
import { usualProcessor } from '../../processor/known/processors';
import { guard } from '../../result';
import { mayReadCode } from '../../mpi/vendors';

export const { references } = usualProcessor;

/**
 * Searches an exported function, the functions that it calls, and so on, `depth` levels deep, since it may delegate the
 * work. Reads the whole code of the exported function, and the start of the others.
 */
export async function codeFrom(image: ProcessImage, module: Module, name: string, depth: number): Promise<Code[]> {
  const symbol = await image.findSymbol(name, module);
  if (symbol === undefined) return [];
  const found: Code[] = [];
  const seen = new Set([symbol.address]);
  let functions = [symbol.address];
  for (let level = 0, length = symbol.size || exportedBytes; level <= depth; level++, length = startBytes) {
    const codes = await Promise.all(functions.map((address) => codeAt(image, module, address, length)));
    const read = codes.filter((code) => code !== undefined);
    found.push(...read);
    functions = [...new Set(read.flatMap((code) => references.callsIn(code, module)))].filter(
      (address) => !seen.has(address),
    );
    for (const address of functions) seen.add(address);
  }
  return found;
}

/** The size of an exported function whose symbol has none, and of the start of a called one. */
const exportedBytes = 1024;
const startBytes = 128;

/** At most `length` bytes of the module's code; undefined where there is none that can, or may, be read. */
export async function codeAt(
  image: ProcessImage,
  module: Module,
  address: bigint,
  length: number,
): Promise<Code | undefined> {
  const segment = module.segments.find((s) => address >= s.address && address < s.address + BigInt(s.size));
  if (segment === undefined || !segment.executable) return undefined;
  if (!(await mayReadCode(image, module))) return undefined;
  const left = Number(segment.address + BigInt(segment.size) - address);
  const read = await guard(() => image.readMemory(address, Math.min(length, left)));
  if (!read.ok) return undefined;
  return { address, bytes: new DataView(read.value.buffer, read.value.byteOffset, read.value.byteLength) };
}
