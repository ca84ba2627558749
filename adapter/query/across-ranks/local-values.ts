/** The values of a thread's simple variables, in a form that can be compared between ranks. */
import { GdbError } from '../../gdb/mi/mi-connection';
import { frameVariables, type FrameVariable } from '../../gdb/frame-variables';
import type { Frame } from '../../stacks/frame';
import { innermostFrames } from '../../stacks/gdb-stack';
import { memberValues } from '../../gdb/python/member-values';
import { typeNameOf } from '../../gdb/type-name';
import { comparableText, type GdbValue } from '../../gdb/mi/value';
import type { RankThread } from '../../job/rank';
import type { ProcessCode } from '../../expressions/code-modules';
import { isUserCode, languageOf } from '../../expressions/frames';

export interface LocalValue {
  /** The function; of one that is on the stack several times, "visit, call 2", counted from the outermost. */
  frame: string;
  name: string;
  value: GdbValue;
  /** What it is compared by: addresses differ in every process, so they are only "null" or "not null". */
  text: string;
}

/** Only the innermost frames of a recursion; outer callers rarely have anything to compare. */
const maxComparedFrames = 8;
const maxVariables = 100;

/** Arguments and locals of the user's frames, innermost frame first; of nested blocks the innermost one's. */
export async function localValues(thread: RankThread, code: ProcessCode): Promise<LocalValue[]> {
  const frames = await innermostFrames(thread);
  const own = frames.filter((frame) => isUserCode(frame, code));
  const values: LocalValue[] = [];
  for (const [index, each] of own.slice(0, maxComparedFrames).entries()) {
    const { function: name = '' } = each;
    const further = own.slice(index + 1).filter((outer) => outer.function === name).length;
    const isRepeated = further > 0 || own.findIndex((first) => first.function === name) < index;
    const frame = isRepeated ? `${name}, call ${further + 1}` : name;
    for (const variable of await comparedVariables(thread, each)) values.push({ frame, ...variable });
  }
  return values;
}

/** Those of one frame. */
export async function comparedVariables(thread: RankThread, frame: Frame): Promise<Omit<LocalValue, 'frame'>[]> {
  const found = new Map<string, Omit<LocalValue, 'frame'>>();
  for (const { name, type = '', value } of await variablesOf(thread, frame))
    if (value !== undefined && !isHandle(type) && !found.has(name))
      found.set(name, { name, value, text: comparableText(value) });
  return [...found.values()];
}

/** Those of one frame, and the simple members of its objects and of what they point to. */
export async function comparedMembers(thread: RankThread, frame: Frame): Promise<Omit<LocalValue, 'frame'>[]> {
  const [variables, members] = await Promise.all([
    comparedVariables(thread, frame),
    languageOf(frame) === 'c' ? memberValues(thread, frame.level) : [],
  ]);
  const names = new Set(variables.map(({ name }) => name));
  return [
    ...variables,
    ...members
      .filter(({ name }) => !names.has(name))
      .map(({ name, value }) => ({ name, value, text: comparableText(value) })),
  ];
}

/** Arrays, structs and the like, which have no simple value. */
export async function compoundNames(thread: RankThread, frame: Frame): Promise<string[]> {
  const variables = await variablesOf(thread, frame);
  return variables.flatMap(({ name, type = '', value }) => (value === undefined && !isHandle(type) ? [name] : []));
}

/** Those with a value; none if gdb cannot read the frame. */
async function variablesOf(thread: RankThread, frame: Frame): Promise<FrameVariable[]> {
  try {
    const variables = await frameVariables(thread, frame.level, languageOf(frame));
    return variables.filter(({ isUnset }) => !isUnset).slice(0, maxVariables);
  } catch (error) {
    if (error instanceof GdbError) return [];
    throw error;
  }
}

/** Handles are numbers or addresses of their own process; the handles section compares what they stand for. */
function isHandle(type: string): boolean {
  return /^MPI_(?!Aint|Offset|Count|Fint)/.test(typeNameOf(type).base);
}
