/** Where a variable is declared, by the program's debug information. */
import type { GdbThread } from './mi/context';
import { GdbError } from './mi/mi-connection';
import { printedAnswer } from './python/printed-answer';

export interface Declaration {
  /** Absolute, as the compiler had it. */
  file: string;
  line: number;
}

/** `name`: as the frame's function has it. Undefined: gdb knows no line of it. */
export async function declarationOf(thread: GdbThread, frame: number, name: string): Promise<Declaration | undefined> {
  // As character codes, so that nothing needs quotes.
  const text = `bytes([${[...Buffer.from(name)].join(',')}]).decode()`;
  const symbol = `gdb.lookup_symbol(${text}, gdb.selected_frame().block())[0]`;
  const place = `[s.symtab.fullname(), s.line] if s is not None and s.symtab is not None else None`;
  try {
    const printed = await thread.gdb.console(
      `python import gdb, json; s = ${symbol}; print(json.dumps(${place}))`,
      thread,
      frame,
    );
    return placeIn(printedAnswer(printed));
  } catch (error) {
    if (error instanceof GdbError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function placeIn(told: unknown): Declaration | undefined {
  if (!Array.isArray(told)) return undefined;
  const [file, line] = told as unknown[];
  return typeof file === 'string' && typeof line === 'number' && line > 0 ? { file, line } : undefined;
}
