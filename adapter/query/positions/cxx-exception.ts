/**
 * The C++ exception that a thread holds when std::terminate ends it: what libstdc++ keeps of it, read from memory. Nothing is
 * run: what() is told by its code.
 */
import type { CxxException } from '../../../plugin-api/deaths/abort-reason';
import type { ProcessImage } from '../../../plugin-api/image';
import { readI32, readPointer, readText, readU64 } from '../../../plugin-api/memory';
import { FaultError } from '../../../plugin-api/result';
import { UnknownInstructionError } from '../../../plugin-api/processor/instruction';
import { returnedValue, UnknownResultError } from '../../../plugin-api/processor/code/returned-value';

/** The what() of an exception whose object and std::type_info are known. undefined: as in CxxException. */
export async function exceptionWhat(
  image: ProcessImage,
  { object, typeInfo }: { object: bigint; typeInfo: bigint },
): Promise<string | undefined> {
  return unlessUnknown(async () => whatOf(image, typeInfo, await typeName(image, typeInfo), object));
}

const maxNameLength = 500;
const maxTextLength = 1000;

/** The offsets in __cxa_exception and __cxa_dependent_exception in libstdc++ on 64-bit machines (unwind-cxx.h), from their beginning. */
const header = { type: 0n, primary: 0n, exceptionClass: 80n, size: 112n };
/** "GNUCC++", and a last byte: 1 in one that std::rethrow_exception has thrown, which refers to another. */
const gnuClass = 0x474e5543432b2b00n;

/** The exception of the thread with this thread pointer, on x86-64 with glibc. undefined: it cannot be known. Throws QueryError. */
export async function caughtException(
  image: ProcessImage,
  threadPointer: bigint,
): Promise<CxxException | 'none' | undefined> {
  return unlessUnknown(() => latestCaught(image, threadPointer));
}

async function latestCaught(image: ProcessImage, threadPointer: bigint): Promise<CxxException | 'none' | undefined> {
  const getGlobals = await image.findSymbol('__cxa_get_globals_fast');
  if (getGlobals === undefined || (await image.findSymbol('gnu_get_libc_version')) === undefined) return undefined;
  const globals = await returnedValue(image, getGlobals.address, 0n, (name, argument) =>
    name === '__tls_get_addr' ? threadVariable(image, threadPointer, argument) : undefined,
  );
  const caught = await readPointer(image, globals);
  if (caught === 0n) return 'none';
  const exceptionClass = await readU64(image, caught + header.exceptionClass);
  if (exceptionClass >> 8n !== gnuClass >> 8n) return undefined;
  const isDependent = (exceptionClass & 0xffn) === 1n;
  const thrown = isDependent ? await readPointer(image, caught + header.primary) : caught + header.size;
  const type = await readPointer(image, thrown - header.size + header.type);
  const name = await typeName(image, type);
  const what = await unlessUnknown(() => whatOf(image, type, name, thrown));
  return { type: name, ...(what !== undefined && { what }) };
}

/** As glibc's __tls_get_addr: `index` is where the module's number and the variable's offset are. */
async function threadVariable(image: ProcessImage, threadPointer: bigint, index: bigint): Promise<bigint> {
  const vector = await readPointer(image, threadPointer + 8n);
  const block = await readPointer(image, vector + 16n * (await readU64(image, index)));
  if (block === BigInt.asUintN(64, -1n)) throw new UnknownResultError('the thread has no such variable yet');
  return block + (await readU64(image, index + 8n));
}

/** A type_info's second word; a name that is compared by its address begins with *. */
async function typeName(image: ProcessImage, type: bigint): Promise<string> {
  return (await readText(image, await readPointer(image, type + 8n), maxNameLength)).replace(/^\*/, '');
}

const cxx11String = 'NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE';

async function whatOf(image: ProcessImage, type: bigint, name: string, object: bigint): Promise<string | undefined> {
  if (name === 'i') return String(await readI32(image, object));
  // Both begin with where the text is.
  if (name === 'PKc' || name === cxx11String) return readText(image, await readPointer(image, object), maxTextLength);
  const exception = await baseIn(image, type, object, 'St9exception');
  if (exception === undefined) return undefined;
  // The third of its virtual functions, behind its destructors.
  const what = await readPointer(image, (await readPointer(image, exception)) + 16n);
  return readText(image, await returnedValue(image, what, exception), maxTextLength);
}

const maxBases = 20;

/** Where the part of this type is in an object; undefined: it has none that is reached through one chain or list of bases. */
async function baseIn(
  image: ProcessImage,
  type: bigint,
  object: bigint,
  wanted: string,
  depth = 0,
): Promise<bigint | undefined> {
  if ((await typeName(image, type)) === wanted) return object;
  if (depth === maxBases) return undefined;
  // The name of the class of type_info that this one is.
  const sort = (await image.symbolAt(await readPointer(image, type)))?.name;
  if (sort === '_ZTVN10__cxxabiv120__si_class_type_infoE')
    return baseIn(image, await readPointer(image, type + 16n), object, wanted, depth + 1);
  if (sort !== '_ZTVN10__cxxabiv121__vmi_class_type_infoE') return undefined;
  const count = Number((await readU64(image, type + 16n)) >> 32n);
  for (let i = 0; i < Math.min(count, maxBases); i++) {
    const base = type + 24n + 16n * BigInt(i);
    const flags = BigInt.asIntN(64, await readU64(image, base + 8n));
    const offset = flags >> 8n;
    const isVirtual = (flags & 1n) !== 0n;
    const at = isVirtual ? await readU64(image, (await readPointer(image, object)) + offset) : offset;
    const found = await baseIn(
      image,
      await readPointer(image, base),
      BigInt.asUintN(64, object + BigInt.asIntN(64, at)),
      wanted,
      depth + 1,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

async function unlessUnknown<Result>(look: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await look();
  } catch (error) {
    const unknown = [UnknownResultError, UnknownInstructionError, FaultError];
    if (unknown.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}
