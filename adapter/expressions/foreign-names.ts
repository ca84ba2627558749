/**
 * Names that gdb finds in a library that the user does not mean. Where a frame lacks a name, gdb takes it from whatever
 * has debug symbols: `done` is then a static of the C library.
 */
import { addressOf } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import { isStaticVariable } from '../gdb/python/static-variable';
import { moduleOf, type CodeModule, type ProcessCode } from './code-modules';
import { freeNames, type Language } from './expression';
import { isForeignLibrary, languageOf, type ThreadFrame } from './frames';

/**
 * Of the expression's variables, only those of the frame, of the program, of the frame's own library, and those that other
 * libraries of the program offer to all may answer. Rejects with GdbError for any other.
 */
export async function refuseForeignNames(
  { thread, frame }: ThreadFrame,
  source: string,
  code: ProcessCode,
): Promise<void> {
  for (const name of freeNames(source)) {
    // What is called is refused for being called, and MPI's own names are no variables.
    if (isCalled(name, source, languageOf(frame)) || /^MPIX?_/i.test(name)) continue;
    const address = await addressOfName({ thread, frame }, name);
    const module = moduleOf({ address }, code);
    if (address === undefined || module === undefined || isCode(address, module)) continue;
    if (module.isExecutable || module === moduleOf(frame, code)) continue;
    const isForeign =
      isForeignLibrary(module.path, code.mpis) || (languageOf(frame) === 'c' && (await isStaticVariable(thread, name)));
    if (!isForeign) continue;
    const library = module.path.slice(module.path.lastIndexOf('/') + 1);
    throw new GdbError(`No symbol "${name}" in current context, only in ${library}, which is not the program's`, '');
  }
}

/** In Fortran an array is written alike. */
function isCalled(name: string, source: string, language: Language): boolean {
  return language === 'c' && new RegExp(String.raw`\b${name}\s*\(`).test(source);
}

/** A function, of whatever library. */
function isCode(address: bigint, { segments }: CodeModule): boolean {
  return segments.some(
    (each) => each.executable && each.address <= address && address < each.address + BigInt(each.size),
  );
}

/** undefined: gdb does not know it, or it is nowhere in memory. */
async function addressOfName({ thread, frame }: ThreadFrame, name: string): Promise<bigint | undefined> {
  try {
    return await addressOf(thread, frame.level, `&${name}`);
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
