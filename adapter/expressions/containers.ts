/** Expressions with C++'s containers and smart pointers: gdb evaluates them without calling functions of the program. */
import {
  elementInContainer,
  isMissingOperator,
  prepareContainers,
  targetOfPointer,
} from '../gdb/python/container-functions';
import type { MiCommands } from '../gdb/mi/context';
import { prepareComponents } from '../gdb/python/fortran-components';
import { postfixSteps } from './access-path';

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
    const inContainers = isMissingOperator(error) ? withContainers(source) : source;
    if (inContainers === source) throw error;
    await prepareContainers(gdb, inContainers);
    return evaluate(inContainers);
  }
}
