/**
 * What is in a container or smart pointer of C++, by functions of gdb's own Python: in plain gdb, `depths["east"]`
 * would call a function of the program, which may not even exist. gdb's pretty printers find the elements in memory;
 * the results of these functions have their own address and type.
 */
import { GdbError } from '../mi/mi-connection';
import { WouldChangeError } from '../mi/read-only';
import type { MiCommands } from '../mi/context';
import type { GdbValue } from '../mi/value';
import { containerScript } from './container-script';
import { iteratorScript } from './iterator-script';
import { prepareDynamicCasts } from './dynamic-cast-function';
import { runPythonOnce } from './run-python';

const functions = {
  at: '$_mpidbg_at',
  target: '$_mpidbg_target',
  child: '$_mpidbg_child',
  member: '$_mpidbg_member',
  method: '$_mpidbg_method',
  truth: '$_mpidbg_truth',
  equal: '$_mpidbg_equal',
} as const;

/** `container[index]` as gdb reads it, after prepareContainers: the value of a map's key, an element by its position. */
export function elementInContainer(container: string, index: string): string {
  return `${functions.at}(${container}, ${index})`;
}

/** `*pointer`, where it may be a smart pointer or an optional. */
export function targetOfPointer(pointer: string): string {
  return `${functions.target}(${pointer})`;
}

/** An expression for gdb that begins with `*`. */
export function isDereferenced(source: string): boolean {
  return source.startsWith('*') || source.startsWith(`${functions.target}(`);
}

/** `object.name`, where the object comes from such a function: of a function's result gdb knows no members before it is called. */
export function memberOfResult(object: string, name: string): string {
  return `${functions.member}(${[object, ...Buffer.from(name)].join(', ')})`;
}

/** `object.name(…)`, of a container, text or smart pointer of C++'s library; refused for everything else. */
export function methodOfContainer(object: string, name: string, given: readonly string[]): string {
  return `${functions.method}(${[object, name.length, ...Buffer.from(name), ...given].join(', ')})`;
}

/** Whether a smart pointer leads to something and an optional has a value; of numbers and pointers, whether they are not 0. */
export function truthOfObject(object: string): string {
  return `${functions.truth}(${object})`;
}

/** `left == right`, or `left != right`, also of smart pointers, optionals and texts. A null pointer is also nullopt. */
export function comparisonOfObjects(left: string, isEqual: boolean, right: string): string {
  return `${functions.equal}(${isEqual ? 1 : 0}, ${left}, ${right})`;
}

/** How an element of a pretty printer is accessed: by index, as a member, or as the target of a pointer or optional. */
export type Contained = { kind: 'index'; index: string } | { kind: 'member' } | { kind: 'pointer' } | { kind: 'value' };

/** By the name that the printer gives it; undefined: there is no expression for it. */
export function containedAs(name: string): Contained | undefined {
  const index = /^\[(\d+)\]$/.exec(name)?.[1];
  if (index !== undefined) return { kind: 'index', index };
  if (['get()', '.get()', 'get'].includes(name)) return { kind: 'pointer' };
  if (name === '[contained value]') return { kind: 'value' };
  return /^[A-Za-z_]\w*$/.test(name) ? { kind: 'member' } : undefined;
}

/** A key of a map as one writes it: `"east"`, `4`, `true`, `color::red`; of `97 'a'` the number. */
export function keyOfMap({ text }: GdbValue): string | undefined {
  return /^(?:"(?:[^"\\]|\\.)*"|-?\d+|[A-Za-z_][\w:]*)(?= '|$)/.exec(text)?.[0];
}

/** What the pretty printer shows at this position, from 0: of a map keys and values in turn. */
export function childOfContainer(container: string, position: number): string {
  return `${functions.child}(${container}, ${position})`;
}

/** Makes the functions known to this gdb, where an expression uses them. Rejects with NoPythonError, GdbError. */
export async function prepareContainers(gdb: MiCommands, expression: string): Promise<void> {
  await prepareDynamicCasts(gdb, expression);
  if (!Object.values(functions).some((name) => expression.includes(name))) return;
  await runPythonOnce(gdb, iteratorScript);
  await runPythonOnce(gdb, containerScript);
}

/** gdb's message when it would have to call a function of the program. */
export function isMissingOperator(error: unknown): boolean {
  if (error instanceof WouldChangeError) return error.isCall;
  return (
    error instanceof GdbError &&
    /operator|Cannot (evaluate|resolve|call) |Attempt to take (?:address of value not located in memory|contents of a non-pointer value)|matching xmethod|Error while executing Python code|Invalid cast\.$|No symbol "(?:[^"]*<|nullopt")|do that binary op on that type|Cannot access memory at address 0x0$/.test(
      error.message,
    )
  );
}
