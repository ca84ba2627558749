/**
 * Names that gdb finds in a library that the user does not mean. Where a frame lacks a name, gdb takes it from whatever
 * has debug symbols: `done` is then a static of the C library.
 */
import { dataEvaluateExpression } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import { addressIn } from '../gdb/mi/value';
import { isStaticVariable } from '../gdb/python/static-variable';
import { moduleOf, type ProcessCode } from './code-modules';
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
    const module = moduleOf({ address: await addressOfVariable({ thread, frame }, name) }, code);
    if (module === undefined || module.isExecutable || module === moduleOf(frame, code)) continue;
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

/** undefined: it is none, has no address, or is a function, of whatever library. */
async function addressOfVariable({ thread, frame }: ThreadFrame, name: string): Promise<bigint | undefined> {
  try {
    const value = await dataEvaluateExpression(thread, frame.level, `&${name}`);
    return /\(\*\)\s*\(/.test(value.text) ? undefined : addressIn(value);
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
