/** In what words the source declares a variable. */
import { declarationOf } from '../gdb/declaration';
import type { GdbThread } from '../gdb/mi/context';
import { sourceText } from '../job/source-text';

/**
 * Whether the source declares it with `auto` or some other word than that of a type of C++ itself: it may be a type of MPI's, which
 * debug information of `int` does not tell. False where the source cannot be read.
 */
export async function wasDeclaredWithoutTypeName(thread: GdbThread, frame: number, name: string): Promise<boolean> {
  if (!isName(name)) return false;
  const declaration = await declarationOf(thread, frame, name);
  const text = declaration && (await sourceText(declaration.file));
  return isWithoutTypeName(text?.split('\n')[declaration!.line - 1] ?? '', name);
}

/** What comes from the debug information, or from the user, may be anything. */
const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text);

const ownTypes =
  /^(?:int|unsigned|signed|long|short|char|bool|float|double|int\d+_t|return|case|goto|else|delete|new)$/;

/** `auto [comm, count] = …`, `auto &comm = …`, `Comm comm`, of a line of the source. */
export function isWithoutTypeName(line: string, name: string): boolean {
  if (!isName(name)) return false;
  const qualifiers = String.raw`(?:[\s&*]|\bconst\b|\bvolatile\b)`;
  if (new RegExp(String.raw`\bauto\b${qualifiers}*\[[^\]]*\b${name}\b`).test(line)) return true;
  const [, word] = new RegExp(String.raw`\b([A-Za-z_]\w*)${qualifiers}+\b${name}\b(?!\s*\()`).exec(line) ?? [];
  return word !== undefined && word !== 'const' && word !== 'volatile' && !ownTypes.test(word);
}
