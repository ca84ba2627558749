/** Expressions with C++'s containers and smart pointers: gdb evaluates them without calling functions of the program. */
import {
  comparisonOfObjects,
  elementInContainer,
  isMissingOperator,
  memberOfResult,
  methodOfContainer,
  prepareContainers,
  targetOfPointer,
  truthOfObject,
} from '../gdb/python/container-functions';
import { isTextComparison, withoutShape } from '../gdb/python/text-function';
import type { MiCommands } from '../gdb/mi/context';
import { prepareComponents } from '../gdb/python/fortran-components';
import { GdbError } from '../gdb/mi/mi-connection';
import { postfixSteps, postfixStepsAt, type PostfixStep } from './access-path';
import type { Language } from './expression';
import { withPointerSubscripts } from './pointer-subscripts';

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
/** `std::get<0>` and `get<int>` before their argument; not of a name that goes on. */
const elementByNumber = /(?<![\w$:])(?:(?:::)?std::)?get\s*<([^<>()]+)>\s*(?=\()/y;
const unevaluated = /^(?:sizeof|_Alignof|__typeof__|alignof|decltype)$/;

/** As withContainers for every operand in an expression of C or C++, and with methods of the standard library's containers. */
export function withContainersThroughout(source: string): string {
  let written = '';
  for (let at = 0; at < source.length;) {
    const found = comparisonAt(source, at) ?? truthAt(source, at) ?? operandAt(source, at);
    written += found?.written ?? source.charAt(at);
    at = found?.end ?? at + 1;
  }
  return written;
}

interface Piece {
  /** For gdb. */
  written: string;
  end: number;
}

const begins = /(?:^|&&|\|\||[(,?:])\s*$/;
const ends = /^\s*(?:$|&&|\|\||[),?:])/;
const value = /\(\(void \*\)0\)|'(?:[^'\\]|\\.)*'|[-+]?\d[\w.]*|(?:std::)?nullopt\b/y;

/** `operand == operand`, where nothing beside them binds more tightly. */
function comparisonAt(source: string, start: number): Piece | undefined {
  if (!begins.test(source.slice(0, start))) return undefined;
  const left = sideAt(source, start);
  const [sign, operator] = /^\s*([=!]=)\s*/.exec(source.slice(left?.end ?? source.length)) ?? [];
  if (left === undefined || sign === undefined) return undefined;
  const right = sideAt(source, left.end + sign.length);
  if (right === undefined || !ends.test(source.slice(right.end))) return undefined;
  return { written: comparisonOfObjects(left.written, operator === '==', right.written), end: right.end };
}

function sideAt(source: string, start: number): Piece | undefined {
  value.lastIndex = start;
  const [found] = value.exec(source) ?? [];
  if (found === undefined) return wholeOperandAt(source, start);
  // To gdb's functions a null pointer is what stands for nothing.
  return { written: found.endsWith('nullopt') ? '((void *)0)' : found, end: start + found.length };
}

const toBool = /^(?:\(\s*bool\s*\)|(?:static_cast\s*<\s*bool\s*>|bool)(?=\s*\())\s*/;

/** `!operand`, a cast to bool, and an operand that stands alone beside `&&`, `||` or before `?`. */
function truthAt(source: string, start: number): Piece | undefined {
  const before = source.slice(0, start);
  const negated = /^!\s*(?!=)/.exec(source.slice(start))?.[0];
  if (negated !== undefined) {
    const operand = objectAt(source, start + negated.length);
    return operand && { written: `!${truthOfObject(operand.written)}`, end: operand.end };
  }
  const cast = toBool.exec(source.slice(start))?.[0];
  if (cast !== undefined) {
    const operand = objectAt(source, start + cast.length);
    return operand && { written: truthOfObject(operand.written), end: operand.end };
  }
  if (!begins.test(before)) return undefined;
  const operand = objectAt(source, start);
  if (operand === undefined) return undefined;
  const after = source.slice(operand.end);
  const isTruth = /^\s*(?:&&|\|\||\?)/.test(after) || (/(?:&&|\|\|)\s*$/.test(before) && ends.test(after));
  return isTruth ? { written: truthOfObject(operand.written), end: operand.end } : undefined;
}

/** What may be an object, also in parentheses. */
function objectAt(source: string, start: number): Piece | undefined {
  return wholeOperandAt(source, start) ?? groupAt(source, start);
}

/** As withContainersThroughout, for a condition: its truth is asked for, also where it is nothing but an object, as in `opt`. */
export function truthThroughout(source: string): string {
  const text = source.trim();
  const operand = objectAt(text, 0);
  return operand?.end === text.length ? truthOfObject(operand.written) : withContainersThroughout(source);
}

/** Whether gdb would look at the bytes of an object for its truth, and not fail. */
export function readsBytes(source: string): boolean {
  return /\bbool\s*[)>(]|\?/.test(source);
}

/** No single bracket, literal or word such as sizeof. */
function wholeOperandAt(source: string, start: number): Piece | undefined {
  const found = operandAt(source, start);
  return found !== undefined && /^[$A-Za-z_:]/.test(found.written) && !unevaluated.test(/^\w*/.exec(found.written)![0])
    ? found
    : undefined;
}

/** undefined: no operand begins here. */
function operandAt(source: string, start: number): Piece | undefined {
  elementByNumber.lastIndex = start;
  const [got, which] = elementByNumber.exec(source) ?? [];
  if (got !== undefined && which !== undefined) {
    const { steps, end } = postfixStepsAt(source, start + got.length);
    const [given, ...rest] = steps;
    if (given === undefined) return undefined;
    const object = withContainersThroughout(given.text.slice(1, -1));
    return { written: ofSteps(methodOfContainer(object, `get<${which.trim()}>`, []), rest), end };
  }
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
  return { written: unevaluated.test(token) ? whole : ofSteps(withoutOuter(steps[0]!.text), steps.slice(1)), end };
}

/** Parentheses with nothing behind them that belongs to them. */
function groupAt(source: string, start: number): Piece | undefined {
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

function ofSteps(first: string, rest: readonly PostfixStep[]): string {
  let written = first;
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

/** The argument of a call: the methods that are known have at most one. */
function argumentsIn(text: string): string[] {
  return text.trim() === '' ? [] : [withContainersThroughout(text)];
}

/**
 * What `evaluate` makes of the expression as gdb reads it; in C and C++, where gdb would have to call an operator of the program,
 * of the expression that needs none. Rejects with GdbError.
 */
export async function evaluated<Result>(
  { gdb, language }: { gdb: MiCommands; language: Language },
  source: string,
  evaluate: (source: string) => Promise<Result>,
): Promise<Result> {
  await prepareComponents(gdb, source);
  if (language === 'fortran') return evaluate(source);
  await prepareContainers(gdb, source);
  if (readsBytes(source)) {
    const inContainers = withContainersThroughout(source);
    await prepareContainers(gdb, inContainers);
    return evaluate(inContainers);
  }
  try {
    return await evaluate(source);
  } catch (error) {
    if (error instanceof GdbError && error.failure.reason === 'noElement')
      return evaluate(withPointerSubscripts(source)).catch(() => {
        throw error;
      });
    const inContainers = isMissingOperator(error) ? withContainersThroughout(source) : source;
    if (inContainers === source) throw error;
    await prepareContainers(gdb, inContainers);
    return evaluate(inContainers);
  }
}
