/** Where a name that a frame does not know could be meant: in a module of Fortran or a namespace of C++ that it does not use. */
import type { GdbThread } from '../gdb/mi/context';
import { GdbError } from '../gdb/mi/mi-connection';
import { symbolInfoVariables } from '../gdb/mi/symbol-query';
import type { Language } from './expression';

/** More are not named: they would be no help. */
const maxNamed = 4;

/** Statics of that name in other files are among them. */
const maxFound = 50;

/** Words behind gdb's message that it knows no such name: `there is geometry::dx`; none for any other message. */
export async function namesElsewhere(
  thread: GdbThread,
  { failure, message }: GdbError,
  language: Language,
): Promise<string[]> {
  const [, name] = /^No symbol "(\w+)" in current context/.exec(message) ?? [];
  if (failure.reason !== 'noSymbol' || name === undefined) return [];
  try {
    // gdb compares with the last part first, then with the whole name.
    const found = await symbolInfoVariables(
      thread,
      `\\b${language === 'fortran' ? name.toLowerCase() : name}$`,
      maxFound,
    );
    const ofProgram = [...new Set(found)].filter((each) => each.includes('::') && !/^(std|__\w*)::/.test(each));
    if (ofProgram.length === 0 || ofProgram.length > maxNamed) return [];
    return [`there is ${ofProgram.join(' and ')}`];
  } catch (error) {
    if (error instanceof GdbError) return [];
    throw error;
  }
}
