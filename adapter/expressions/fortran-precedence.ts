/**
 * Which operators of Fortran bind more tightly. gdb takes `.not. a == b` for `(.not. a) == b`, `a == b .eqv. c == d` for a chain, and
 * `-a**2` for `(-a)**2`: parentheses tell it. And `2.or` of `a == 2.or.b == 3` for a number, `n:n` of `text(n:n)` for one name. It does
 * not know the kind of a literal, as in `2_8`; its numbers are wide enough without.
 */

const numberBefore =
  /"[^"]*"|'[^']*'|(?<=^|[^\w.]|\.(?:not|and|or|eqv|neqv|eq|ne|lt|le|gt|ge)\.)\d+(?:\.\d+)?(?:[deq][-+]?\d+)?(?=\.(?:not|and|or|eqv|neqv|eq|ne|lt|le|gt|ge)\.)/gi;

const kindBehind = /"[^"]*"|'[^']*'|(?<![\w$])(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[de][-+]?\d+)?|\.true\.|\.false\.)_\w+/gi;

const nameBefore = /"[^"]*"|'[^']*'|(?<![\w:])[A-Za-z_]\w*(?=:(?!:))/g;

const token =
  /"[^"]*"|'[^']*'|\.(?:not|and|or|eqv|neqv|eq|ne|lt|le|gt|ge)\.|\.(?:true|false)\.|\*\*|[=/<>]=|\d+(?:\.(?![a-z]+\.)\d*)?(?:[deq][-+]?\d+)?|[\w$%]+|\S|\s+/gi;

/** The expression with parentheses and blanks where gdb needs them. */
export function withPrecedence(written: string): string {
  const apart = (each: string): string => (/^["']/.test(each) ? each : `${each} `);
  const withoutKinds = written.replace(kindBehind, (each) => (/^["']/.test(each) ? each : each.replace(/_\w+$/, '')));
  const source = withoutKinds.replace(numberBefore, apart).replace(nameBefore, apart);
  return /\.\s*(?:not|n?eqv)\s*\.|\*\*/i.test(source) ? bound(source.match(token) ?? []) : source;
}

function bound(tokens: readonly string[]): string {
  const sides = split(tokens, /^\.n?eqv\.$/i);
  if (sides.parts.length === 1) return split(tokens, /^(?:\.(?:and|or)\.|,|:)$/i).joined(negation);
  // From the left: each is compared with what came before.
  return sides.parts.reduce(
    (before, part, i) =>
      i === 0
        ? inParentheses(bound(part))
        : `${i > 1 ? inParentheses(before) : before} ${sides.operators[i - 1]} ${inParentheses(bound(part))}`,
    '',
  );
}

function negation(tokens: readonly string[]): string {
  const at = tokens.findIndex((each) => each.trim() !== '');
  if (!/^\.not\.$/i.test(tokens[at] ?? ''))
    return split(tokens, /^(?:\.(?:eq|ne|lt|le|gt|ge)\.|[=/<>]=|[<>=])$/i).joined(sum);
  return `${tokens.slice(0, at + 1).join('')} ${inParentheses(negation(tokens.slice(at + 1)))}`;
}

/** A sign at its beginning belongs to all of the first term. */
function sum(tokens: readonly string[]): string {
  const at = tokens.findIndex((each) => each.trim() !== '');
  const { parts, operators } = split(tokens.slice(at + 1), /^[-+]$/);
  const [term = [], ...others] = parts;
  if (!/^[-+]$/.test(tokens[at] ?? '') || !term.includes('**')) return inner(tokens);
  const rest = others.map((each, i) => `${operators[i]}${inner(each)}`).join('');
  return `${tokens.slice(0, at + 1).join('')}${inParentheses(inner(term))}${rest}`;
}

/** What is in brackets is an expression of its own. */
function inner(tokens: readonly string[]): string {
  let [written, depth, from] = ['', 0, 0];
  for (const [i, each] of tokens.entries()) {
    if (/^[([]$/.test(each) && depth++ === 0) from = i + 1;
    if (/^[)\]]$/.test(each) && depth > 0 && --depth === 0) written += bound(tokens.slice(from, i));
    if (depth === 0 || (depth === 1 && i === from - 1)) written += each;
  }
  return depth === 0 ? written : tokens.join('');
}

function inParentheses(text: string): string {
  return `(${text.trim()})`;
}

interface Split {
  parts: readonly (readonly string[])[];
  operators: readonly string[];
  /** The parts, written each by `write`, with the operators between them. */
  joined: (write: (part: readonly string[]) => string) => string;
}

/** Outside of brackets. */
function split(tokens: readonly string[], operator: RegExp): Split {
  const parts: string[][] = [[]];
  const operators: string[] = [];
  let depth = 0;
  for (const each of tokens) {
    if (/^[([]$/.test(each)) depth += 1;
    if (/^[)\]]$/.test(each)) depth -= 1;
    if (depth === 0 && operator.test(each)) {
      operators.push(each);
      parts.push([]);
    } else parts.at(-1)!.push(each);
  }
  const joined: Split['joined'] = (write) =>
    parts.map((part, i) => `${i === 0 ? '' : operators[i - 1]}${write(part)}`).join('');
  return { parts, operators, joined };
}
