/** `sizeof` of variables and types in expressions for gdb, which gives it in 32 bits. */
import type { MiCommands } from '../gdb/mi/context';
import { wideSizeOf } from '../gdb/python/wide-sizes';

/** With an operand in parentheses and nothing selected from that, or with a name alone. */
const sizeOf =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\bsizeof(?:\s*\(((?:[^()"']|\([^()"']*\))+)\)|\s+([*&]*[A-Za-z_]\w*\b))(?!\s*(?:[.[(]|->))/g;

/** The expression with sizes of any length. */
export async function withWideSizes(gdb: MiCommands, source: string): Promise<string> {
  let written = '';
  let end = 0;
  for (const { 0: whole, 1: inParentheses, 2: alone, index } of source.matchAll(sizeOf)) {
    const operand = inParentheses ?? alone;
    if (operand === undefined || !isPlain(operand)) continue;
    written += source.slice(end, index) + (await wideSizeOf(gdb, operand.trim()));
    end = index + whole.length;
  }
  return written + source.slice(end);
}

/** `*p`, `a.b[1]`, `(struct cell *)q`, `unsigned long`: evaluating it changes nothing and calls nothing. */
function isPlain(operand: string): boolean {
  return /^[\w\s.*&[\]()>:%-]+$/.test(operand) && !/--|\w\s*\(/.test(operand);
}
