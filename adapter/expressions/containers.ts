/** Expressions with C++'s containers and smart pointers: gdb evaluates them without calling functions of the program. */
import {
  elementInContainer,
  isMissingOperator,
  memberOfResult,
  methodOfContainer,
  prepareContainers,
  targetOfPointer,
} from '../gdb/python/container-functions';
import { isTextComparison, withoutShape } from '../gdb/python/text-function';
import type { MiCommands } from '../gdb/mi/context';
import { prepareComponents } from '../gdb/python/fortran-components';
import { postfixSteps, postfixStepsAt, type PostfixStep } from './access-path';

/**
 * The expression with every index and every dereference looked up by gdb's pretty printers where they are not arrays and
 * pointers; the same text where it has none, or is more than names, indexes and members.
 */
export function withContainers(source: string): string {
  const text = source.trim();
  const unary = /^([*&])\s*(.+)$/s.exec(text);
  if (unary !== null) {
    const operand = withContainers(unary[2]!);
    return unary[1] === '*' ? targetOfPointer(operand) : `&${operand}`;
  }
  const steps = postfixSteps(text);
  if (steps === undefined) return source;
  return steps.reduce((before, step) => {
    switch (step.sort) {
      case 'primary':
        return step.text.startsWith('(') ? `(${withContainers(step.text.slice(1, -1))})` : step.text;
      case 'index':
        return elementInContainer(before, withContainers(step.text.slice(1, -1)));
      case 'arrow':
        return `${targetOfPointer(before)}.${step.text.replace('->', '').trim()}`;
      case 'member':
      case 'call':
        return before + step.text;
    }
  }, '');
}

/** Text that is passed over, an operand, or a dereference. */
const piece =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![\w$.)\]]\s*)\*(?=\s*[\w$(:*])|(?:::)?[A-Za-z_$][\w$]*|\(|\d[\w.]*/y;
const unevaluated = /^(?:sizeof|_Alignof|__typeof__|alignof|decltype)$/;

/** As withContainers for every operand in an expression of C or C++, and with methods of the standard library's containers. */
export function withContainersThroughout(source: string): string {
  let written = '';
  for (let at = 0; at < source.length;) {
    const found = operandAt(source, at);
    written += found?.written ?? source.charAt(at);
    at = found?.end ?? at + 1;
  }
  return written;
}

/** `written` is for gdb. undefined: no operand begins here. */
function operandAt(source: string, start: number): { written: string; end: number } | undefined {
  piece.lastIndex = start;
  const [token] = piece.exec(source) ?? [];
  if (token === undefined) return undefined;
  if (token === '*') {
    if (isCastAt(source, start + 1)) return undefined;
    const from = start + 1 + /^\s*/.exec(source.slice(start + 1))![0].length;
    const operand = groupAt(source, from) ?? operandAt(source, from);
    return operand && { written: targetOfPointer(operand.written), end: operand.end };
  }
  const { steps, end } = postfixStepsAt(source, start);
  const isOperand = /^[A-Za-z_$:]/.test(token) || (token === '(' && steps.length > 1 && steps[1]?.sort !== 'call');
  // What is only in parentheses is looked at piece by piece.
  if (!isOperand) return { written: token, end: start + token.length };
  const whole = source.slice(start, end);
  return { written: unevaluated.test(token) ? whole : ofSteps(steps), end };
}

/** Parentheses with nothing behind them that belongs to them. */
function groupAt(source: string, start: number): { written: string; end: number } | undefined {
  if (source.charAt(start) !== '(') return undefined;
  const { steps, end } = postfixStepsAt(source, start);
  return steps.length === 1 ? { written: withoutOuter(steps[0]!.text), end } : undefined;
}

/** "(T *)" before what is cast to it. */
function isCastAt(source: string, start: number): boolean {
  return /^\s*\((?:const\s+|struct\s+|unsigned\s+)*[A-Za-z_][\w:<>, ]*(?:\*\s*(?:const\s*)?)+\)\s*[\w$("'*&]/.test(
    source.slice(start),
  );
}

function ofSteps(steps: readonly PostfixStep[]): string {
  const [primary, ...rest] = steps;
  let written = withoutOuter(primary!.text);
  for (let i = 0; i < rest.length; i++) {
    const { sort, text } = rest[i]!;
    if (sort === 'index') written = elementInContainer(written, withContainersThroughout(text.slice(1, -1)));
    else if (sort === 'call') {
      const given = withContainersThroughout(text.slice(1, -1));
      written += `(${isTextComparison(written) ? withoutShape(given) : given})`;
    } else {
      const name = text.replace(/->|\./, '').trim();
      const object = sort === 'arrow' ? targetOfPointer(written) : written;
      const next = rest[i + 1];
      if (next?.sort === 'call') {
        written = methodOfContainer(object, name, argumentsIn(next.text.slice(1, -1)));
        i += 1;
      } else written = object.startsWith('$') ? memberOfResult(object, name) : `${object}.${name}`;
    }
  }
  return written;
}

function withoutOuter(primary: string): string {
  return primary.startsWith('(') ? `(${withContainersThroughout(primary.slice(1, -1))})` : primary;
}

/** Of a call with at most one, as the methods that are known have it. */
function argumentsIn(text: string): string[] {
  return text.trim() === '' ? [] : [withContainersThroughout(text)];
}

/**
 * What `evaluate` makes of the expression as gdb reads it; where gdb would have to call an operator of the program, of the
 * expression that needs none. Rejects with GdbError.
 */
export async function evaluated<Result>(
  gdb: MiCommands,
  source: string,
  evaluate: (source: string) => Promise<Result>,
): Promise<Result> {
  await prepareComponents(gdb, source);
  await prepareContainers(gdb, source);
  try {
    return await evaluate(source);
  } catch (error) {
    const inContainers = isMissingOperator(error) ? withContainersThroughout(source) : source;
    if (inContainers === source) throw error;
    await prepareContainers(gdb, inContainers);
    return evaluate(inContainers);
  }
}
