/** Where a name that a frame does not know could be meant: in a module of Fortran or a namespace of C++ that it does not use. */
import type { GdbThread } from './mi/context';
import { GdbError } from './mi/mi-connection';
import { symbolInfoTypes, symbolInfoVariables } from './mi/symbol-query';

/** More are not named: they would be no help. */
const maxNamed = 4;

/** Statics of that name in other files are among them. */
const maxFound = 50;

const unknown = /^No symbol "(\w+)" in (?:current context|namespace ")|^No type "(\w+)" within class or namespace "/;

/** Words behind gdb's message that it knows no such name: `there is geometry::dx`; none for any other message. */
export async function namesElsewhere(
  thread: GdbThread,
  { failure, message }: GdbError,
  language: 'c' | 'fortran',
): Promise<string[]> {
  const [, name, type] = unknown.exec(message) ?? [];
  const missing = name ?? type;
  if (failure.reason !== 'noSymbol' || missing === undefined) return [];
  try {
    // gdb compares with the last part first, then with the whole name.
    const pattern = `\\b${language === 'fortran' ? missing.toLowerCase() : missing}$`;
    const found = name === undefined ? [] : await symbolInfoVariables(thread, pattern, maxFound);
    const types = language === 'c' && found.length === 0 ? await symbolInfoTypes(thread, pattern, maxFound) : [];
    const ofProgram = [...new Set([...found, ...types])].filter(
      (each) => each.includes('::') && !/^(std|__\w*)::/.test(each),
    );
    if (ofProgram.length === 0 || ofProgram.length > maxNamed) return [];
    return [`there is ${ofProgram.join(' and ')}`];
  } catch (error) {
    if (error instanceof GdbError) return [];
    throw error;
  }
}
