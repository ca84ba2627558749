/**
 * Whether a process has loaded the content that a file has now, or somebody has written another one into it since (cp, without
 * removing it first). Its code then is the new one in the process, too, so the build-id in memory proves nothing. What the dynamic
 * linker made for the process alone is still of the old one, or gone: where the file was cut off to be written anew, the kernel has
 * thrown that away.
 */
import { FaultError } from '../../../plugin-api/result';
import type { LinkedWords } from '../../elf/linked-words';
import type { MemoryReader } from '../memory-reader';

const DT_NULL = 0n;
const DT_DEBUG = 21n;

/** linked: of this content, perhaps not wholly yet. unlinked: the dynamic linker has not been there, or what it did is lost. another: of another content. */
export type Linkage = 'linked' | 'unlinked' | 'another';

/** What the dynamic linker wrote, and nobody else writes, is compared with the file. `end`: of its last segment, as linked. */
export async function linkageOf(
  { dynamic, sealed, addresses, symbols }: LinkedWords,
  { bias, end }: { bias: bigint; end: number },
  memory: MemoryReader,
): Promise<Linkage> {
  if (dynamic === undefined) return 'linked';
  try {
    const section = Buffer.from(await memory.read(bias + BigInt(dynamic.address), dynamic.bytes.length));
    if (!isLinkedFrom(dynamic.bytes, section, bias)) return 'another';
    // The dynamic linker writes this first.
    const isBeingLinked = !section.equals(dynamic.bytes);
    if (sealed === undefined) return 'linked';
    const words = Buffer.from(await memory.read(bias + BigInt(sealed.start), sealed.end - sealed.start));
    const wordAt = (at: number): bigint => words.readBigUInt64LE(at - sealed.start);
    const isLinked = ({ at, value }: { at: number; value: number }): boolean => wordAt(at) === bias + BigInt(value);
    // What a file has in the place of an address.
    const isRaw = ({ at, value }: { at: number; value: number }): boolean =>
      wordAt(at) === 0n || wordAt(at) === BigInt(value);
    const isOwn = ({ at }: { at: number }): boolean => wordAt(at) >= bias && wordAt(at) < bias + BigInt(end);
    if (addresses.length > 0 && addresses.every((each) => isRaw(each) && !isLinked(each)))
      return isBeingLinked ? 'linked' : 'unlinked';
    const isOfAnother =
      addresses.some((each) => !isLinked(each) && !isRaw(each)) ||
      symbols.some((each) => isOwn(each) && !isLinked(each) && !isRaw(each));
    return isOfAnother ? 'another' : 'linked';
  } catch (error) {
    // The process has nothing where the file would be.
    if (error instanceof FaultError) return 'another';
    throw error;
  }
}

/** glibc adds the bias to the addresses of the dynamic section, musl does not. */
function isLinkedFrom(file: Buffer, memory: Buffer, bias: bigint): boolean {
  for (let at = 0; at + 16 <= file.length; at += 16) {
    const [tag, value] = [file.readBigUInt64LE(at), file.readBigUInt64LE(at + 8)];
    const [ownTag, ownValue] = [memory.readBigUInt64LE(at), memory.readBigUInt64LE(at + 8)];
    if (tag !== ownTag) return false;
    if (tag === DT_NULL) return true;
    if (tag !== DT_DEBUG && ownValue !== value && ownValue !== BigInt.asUintN(64, value + bias)) return false;
  }
  return true;
}
