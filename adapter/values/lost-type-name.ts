/**
 * Handles whose type's name the compiler has not kept. Where they are numbers (MPICH), an argument of a template, and what a
 * variable that is declared `auto` gets, are `int` to the debug information. Only what the library itself has as a handle counts,
 * and only where the name may have been lost: an `int` of the program stays one.
 */
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import type { TypeMeaning } from '../expressions/handle-types';
import { wholeNumberIn, type GdbValue } from '../gdb/mi/value';
import { wasDeclaredWithoutTypeName } from './declared-words';
import type { Reading } from './reading';
import type { Step } from './value-parts';
import type { Shape } from './value-shape';

type Library = Pick<Reading, 'smallestHandle' | 'kindOfNumbers'>;

/** What is needed here of a ValueNode. */
interface Value {
  readonly type: string | undefined;
  readonly value: GdbValue;
  readonly name: string;
  readonly step: Step;
  readonly shape: Shape;
  readonly parent: Value | undefined;
  readonly expression: string | undefined;
  readonly evalFrame: EvaluationFrame;
  parts(from: number, to: number): Promise<Value[]>;
  asPart(): Promise<Value | undefined>;
  kindOfParts(): Promise<HandleKind | undefined>;
}

/** undefined: it is none, or is not known to be one. */
export async function handleWithoutTypeName(
  node: Value,
  reading: Library & Pick<Reading, 'meaningOf'>,
): Promise<TypeMeaning | undefined> {
  const form = formOf(node.type);
  const smallest = form === undefined || node.evalFrame.language !== 'c' ? undefined : await reading.smallestHandle();
  if (form === undefined || smallest === undefined) return undefined;
  const [first] = form === 'handle' ? [node] : await node.parts(0, 1);
  if (!isAtLeast(smallest, first?.value) || !(await hasLostName(node, reading))) return undefined;
  if (form !== 'handle') {
    const kind = await node.kindOfParts();
    return kind && { form, kind, because: form === 'array' ? ofList : ofOne };
  }
  const part = await node.asPart();
  const isInList = part !== undefined && hasEqualSiblings(part);
  const kind = isInList ? await part.parent!.kindOfParts() : await kindOf([node.value], reading);
  return kind && { form, kind, because: isInList ? ofList : ofOne };
}

/** As handleWithoutTypeName, of a variable of the frame whose value gdb has told. */
export async function variableWithoutTypeName(
  evalFrame: EvaluationFrame,
  { name, type, value }: { name: string; type: string; value: GdbValue },
  library: Library,
): Promise<TypeMeaning | undefined> {
  if (formOf(type) !== 'handle' || evalFrame.language !== 'c') return undefined;
  const smallest = await library.smallestHandle();
  if (smallest === undefined || !isAtLeast(smallest, value)) return undefined;
  const kind = await kindOf([value], library);
  if (kind === undefined) return undefined;
  const isLost = isTypeInTemplate(type) || (await wasDeclaredWithoutTypeName(evalFrame.thread, evalFrame.frame, name));
  return isLost ? { form: 'handle', kind, because: ofOne } : undefined;
}

const ofList = 'the numbers in its container are all live handles of this kind, or its null';
const ofOne = 'the compiler has kept no more than `int` of its type, and the number is a live handle of this kind';

function formOf(type = ''): 'handle' | 'array' | 'pointer' | undefined {
  const bare = type.replace(/\b(?:const|volatile)\b/g, '').replace(/\s|&/g, '');
  if (bare === 'int' || isTypeInTemplate(type)) return 'handle';
  if (bare === 'int*') return 'pointer';
  return /^int(?:\(\))?\[\d+\]$/.test(bare) ? 'array' : undefined;
}

/** A type that a template of numbers has: "std::tuple_element<0, std::pair<int, int> >::type &&", of a structured binding. */
function isTypeInTemplate(type: string): boolean {
  return /[<,] ?int\b.*>::\w+(?: ?&{1,2})?$/.test(type);
}

/** Numbers of a program hardly ever are. */
function isAtLeast(smallest: bigint, value: GdbValue | undefined): boolean {
  const number = wholeNumberIn(value);
  return number !== undefined && BigInt.asIntN(32, number) === number && BigInt.asUintN(32, number) >= smallest;
}

function kindOf(values: readonly GdbValue[], { kindOfNumbers }: Pick<Reading, 'kindOfNumbers'>) {
  const numbers = values.flatMap((value) => wholeNumberIn(value) ?? []);
  return numbers.length < values.length ? Promise.resolve<HandleKind | undefined>(undefined) : kindOfNumbers(numbers);
}

/** All parts of what it is in mean the same: those of a list, and the values of a map; not the members of a pair. */
function hasEqualSiblings({ step, parent }: Value): boolean {
  if (step.kind === 'element' || step.kind === 'entry') return true;
  return step.kind === 'contained' && parent?.shape.kind === 'container' && parent.shape.of === 'list';
}

/** It is in a template that has numbers among its arguments, or in what a variable without a named type has or leads to. */
async function hasLostName(node: Value, { meaningOf }: Pick<Reading, 'meaningOf'>): Promise<boolean> {
  if (isTypeInTemplate(node.type ?? '')) return true;
  const part = await node.asPart();
  const { thread, frame } = node.evalFrame;
  if (part === undefined) {
    const { expression } = node;
    return expression !== undefined && wasDeclaredWithoutTypeName(thread, frame, expression);
  }
  const whole = part.parent!;
  const meaning = await meaningOf(whole.type ?? '');
  if (meaning.form === 'other' && meaning.isOfNumbers === true) return true;
  // What a lambda captures as `[comm = grid.comm()]` has no type of its own in the source.
  if (part.step.kind === 'member') return whole.type?.endsWith('struct {...}') === true && part.name.startsWith('__');
  return hasLostName(whole, { meaningOf });
}
