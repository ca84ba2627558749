/** Elements that gdb does not reach by their index: it counts the bytes of an array in 32 bits, but those behind a pointer in 64. */
import { postfixStepsAt } from './access-path';

/** `a.b[5]` as `(*(a.b + (5)))`, throughout an expression of C or C++. */
export function withPointerSubscripts(source: string): string {
  let written = '';
  for (let at = 0; at < source.length;) {
    const [passed] = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\d[\w.]*|\s+)/.exec(source.slice(at)) ?? [];
    const { steps, end } = passed === undefined ? postfixStepsAt(source, at) : { steps: [], end: at };
    const [primary, ...others] = steps;
    if (primary === undefined) {
      written += passed ?? source.charAt(at);
      at += passed?.length ?? 1;
      continue;
    }
    let element = primary.text.startsWith('(') ? `(${withPointerSubscripts(primary.text.slice(1, -1))})` : primary.text;
    for (const { text, sort } of others)
      element = sort === 'index' ? `(*(${element} + (${withPointerSubscripts(text.slice(1, -1))})))` : element + text;
    written += element;
    at = end;
  }
  return written;
}
