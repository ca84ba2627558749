/** Values with numbers in base 16: a gdb setting that must not affect other commands. */
import type { GdbThread, MiCommands } from './context';

/** A thread whose values come in hexadecimal. */
export function inHexadecimal<Thread extends GdbThread>(thread: Thread): Thread {
  const { gdb } = thread;
  // gdb runs commands in order: no other comes between these three.
  const between = <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    const before = gdb.command('-gdb-set output-radix 16');
    const answer = ask();
    const after = gdb.command('-gdb-set output-radix 10');
    return Promise.all([answer, before, after]).then(([result]) => result);
  };
  const commands: MiCommands = {
    command: (text, settings) => between(() => gdb.command(text, settings)),
    console: (text, at, frame) => between(() => gdb.console(text, at, frame)),
  };
  return Object.create(thread, { gdb: { value: commands } }) as Thread;
}
