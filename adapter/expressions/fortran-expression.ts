/** An expression of a Fortran frame as gdb reads it there. */
import type { GdbThread } from '../gdb/mi/context';
import { dataEvaluateExpression } from '../gdb/mi/data-manipulation';
import { componentOf, intrinsicOf, prepareComponents, variableOf } from '../gdb/python/fortran-components';
import { GdbError } from '../gdb/mi/mi-connection';
import { isInlined } from '../gdb/mi/stack-manipulation';
import type { Frame } from '../stacks/frame';
import { isNameOfType } from '../gdb/mi/symbol-query';
import { hasUnknownType, typeOf, UnknownTypeError, UntoldTypeError } from '../gdb/variable-objects';
import { classOf, dimensions } from '../gdb/fortran-type';
import { deferredText } from '../gdb/python/deferred-text';
import { isTextComparison } from '../gdb/python/text-function';
import { arrayByDescriptor, textByLength } from '../gdb/python/fortran-descriptors';
import { refuseOperands, sectionOfAssumed } from '../gdb/python/fortran-operands';
import { withLogic } from '../gdb/python/fortran-logic';
import { withPointed } from '../gdb/python/pointed-scalars';
import { lengthOfText, prepareTextIntrinsics, withTextIntrinsics } from '../gdb/python/text-intrinsics';
import { deferredCharacter } from '../gdb/value-type';
import { isRange, sliceIn } from './access-path';
import { freeNames } from './expression';
import { arrayInDescriptor, arrayOfType, withParts, type ForwardArray } from './fortran-arrays';
import { whyNotInFortran } from './fortran-refusals';
import { withPrecedence } from './fortran-precedence';
import {
  fortranVariable,
  isIntrinsic,
  reservedNamesIn,
  withFortranVariables,
  type ReservedVariables,
} from './fortran-names';

/** What gdb is to evaluate; it knows all that is needed by then. Rejects with NoPythonError, GdbError. */
export async function fortranForGdb(
  thread: GdbThread,
  frame: Pick<Frame, 'function' | 'level'>,
  source: string,
): Promise<string> {
  const refusal = whyNotInFortran(source);
  if (refusal !== undefined) throw new GdbError(refusal, '');
  await refuseOperands(thread, frame.level, source);
  // LEN is worked out below, where the lengths of more variables are known.
  const withIntrinsics = withTextIntrinsics(source, /^(?:len_trim|present)$/i);
  await prepareTextIntrinsics(thread.gdb, withIntrinsics);
  const pointed = await withPointed(thread, frame.level, await withKnownParts(thread, frame, withIntrinsics));
  return withLogic(thread.gdb, pointed);
}

async function withKnownParts(
  thread: GdbThread,
  { function: fn, level }: Pick<Frame, 'function' | 'level'>,
  source: string,
): Promise<string> {
  const typed = await withoutTypes(thread, level, fn, withPrecedence(source));
  const reserved = reservedNamesIn(typed);
  // Debian's mpifort of MPICH adds -O2, which puts even the main program into what calls it.
  const isOfInlined = fn !== undefined && (typed !== source || reserved.length > 0) && (await isInlined(thread, level));
  const inFrame = (each: string): string => (isOfInlined ? withVariablesOf(each, fn) : each);
  const variables = await reservedVariables(thread, level, reserved, (name) => inFrame(fortranVariable(name, fn)));
  const forGdb = await sliceOfAssumedSize(thread, level, inFrame(withFortranVariables(typed, fn, variables)));
  if (!/[%(]/.test(forGdb)) return forGdb;
  await prepareComponents(thread.gdb, forGdb);
  // What gdb cannot read as it stands may have a component of a CLASS, or an inherited one.
  const isReadable = await canRead(thread, level, forGdb);
  const written = await withParts(forGdb, {
    arrayOf: (array) => arrayAt(thread, level, array),
    componentOf: async (object, name) => {
      const plain = `${object}%${name}`;
      if (isReadable || !(await lacksComponent(thread, level, plain))) return plain;
      const component = componentOf(object, name);
      await prepareComponents(thread.gdb, component);
      return component;
    },
    callOf: async (name, subscripts) => {
      const [subscript] = subscripts;
      if (isTextComparison(name)) return `${name}(${(await comparedText(thread, level, subscripts)).join(',')})`;
      const section = await sectionAt(thread, level, name, subscripts);
      if (section !== undefined) return section;
      if (subscripts.length === 1 && isRange(subscript!)) return substringOf(thread, level, name, subscript!);
      const length = /^len$/i.test(name) ? await lengthOf(thread, level, subscript ?? '') : undefined;
      if (length !== undefined) return length;
      const args = (await withDescribed(thread, level, name, subscripts)).join(',');
      const wide = await wideCount(thread, level, name, args);
      if (wide !== undefined) return wide;
      // In gdb 16 a variable hides the intrinsic of its name; gdb 13 always reads the intrinsic, and no such name alone.
      if (!isIntrinsic(name) || !(await canRead(thread, level, name))) return `${name}(${args})`;
      await prepareComponents(thread.gdb, args);
      return intrinsicOf(name, args);
    },
  });
  await prepareComponents(thread.gdb, written);
  return written;
}

/** Which of these names are variables. */
async function reservedVariables(
  thread: GdbThread,
  frame: number,
  names: readonly string[],
  forGdb: (name: string) => string,
): Promise<ReservedVariables> {
  const found = new Map<string, { hasParts: boolean }>();
  for (const name of names) {
    const variable = forGdb(name);
    // Without a function gdb would read the word itself.
    if (variable === name) continue;
    try {
      await prepareComponents(thread.gdb, variable);
      const type = await typeOf({ thread, frame, language: 'fortran' }, variable);
      const hasParts = dimensions(type).length > 0 || /^character/i.test(type) || classOf(type)?.isArray === true;
      found.set(name, { hasParts: hasParts || deferredCharacter(type) !== undefined });
    } catch (error) {
      if (!(error instanceof GdbError)) throw error;
      // Arrays of CHARACTER whose length only the program knows.
      if (error instanceof UnknownTypeError) found.set(name, { hasParts: true });
    }
  }
  return found;
}

/** undefined: it is no array, but a function, or nothing that gdb knows. */
async function arrayAt(thread: GdbThread, frame: number, source: string): Promise<ForwardArray | undefined> {
  if (/^(sizeof|\$_\w+)$/.test(source)) return undefined;
  try {
    await prepareComponents(thread.gdb, source);
    const evalFrame = { thread, frame, language: 'fortran' } as const;
    try {
      return await arrayOfType(evalFrame, source, await typeOf(evalFrame, source));
    } catch (error) {
      if (!(error instanceof UnknownTypeError)) throw error;
      return await arrayInDescriptor(evalFrame, source).catch((why: unknown) => {
        throw why instanceof GdbError ? error : why;
      });
    }
  } catch (error) {
    const isTold = error instanceof UnknownTypeError || error instanceof UntoldTypeError;
    if (error instanceof GdbError && !isTold) return undefined;
    throw error;
  }
}

/** An intrinsic of what gdb does not know is asked of what it does know. */
async function withDescribed(
  thread: GdbThread,
  frame: number,
  name: string,
  [array, ...others]: readonly string[],
): Promise<readonly string[]> {
  if (array === undefined || !/^(?:size|shape|[lu]bound)$/i.test(name) || !/^[A-Za-z][\w:%]*$/.test(array))
    return array === undefined ? [] : [array, ...others];
  const { described, polymorphic, source } = (await arrayAt(thread, frame, array)) ?? {};
  const isKnown = described === undefined && polymorphic === undefined;
  return [isKnown || source === undefined ? array : source, ...others];
}

/** The length of a CHARACTER, for which gdb has no intrinsic; undefined: it is none. */
async function lengthOf(thread: GdbThread, frame: number, text: string): Promise<string | undefined> {
  const typeFor = async (source: string): Promise<string> => {
    await prepareComponents(thread.gdb, source);
    return typeOf({ thread, frame, language: 'fortran' }, source);
  };
  try {
    const type = await typeFor(text).catch((error: unknown) => {
      if (error instanceof UnknownTypeError) return typeFor(arrayByDescriptor(text));
      throw error;
    });
    const whole = wholeText(text, type);
    if (whole !== undefined) {
      // It may not be there, and its variable still has a length.
      const length = lengthOfText(whole);
      await prepareTextIntrinsics(thread.gdb, length);
      return length;
    }
    return /^character(?:\*| \()(\d+)/i.exec(type)?.[1];
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/** All of a CHARACTER of deferred length, as gdb reads it after prepareComponents; undefined: the type is another one. */
function wholeText(text: string, type: string): string | undefined {
  const deferred = deferredCharacter(type);
  return deferred && (deferred.isComponent ? textByLength(text) : deferredText(text));
}

/** The arguments of a comparison with a literal: gdb knows the length of a component of deferred length by another component only. */
async function comparedText(thread: GdbThread, frame: number, args: readonly string[]): Promise<readonly string[]> {
  const [operator, operand, ...literal] = args;
  if (operator === undefined || operand === undefined || !operand.includes('%')) return args;
  try {
    await prepareComponents(thread.gdb, operand);
    const type = await typeOf({ thread, frame, language: 'fortran' }, operand);
    const whole = deferredCharacter(type)?.isComponent === true ? textByLength(operand.trim()) : undefined;
    if (whole === undefined) return args;
    await prepareComponents(thread.gdb, whole);
    return [operator, whole, ...literal];
  } catch (error) {
    if (error instanceof GdbError) return args;
    throw error;
  }
}

async function sectionAt(
  thread: GdbThread,
  frame: number,
  array: string,
  subscripts: readonly string[],
): Promise<string | undefined> {
  if (!subscripts.some(isRange)) return undefined;
  try {
    await prepareComponents(thread.gdb, array);
    return await sectionOfAssumed(thread, frame, array, subscripts);
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/** A part of a CHARACTER: `range` of the text that gdb has, or that a component of deferred length is. */
async function substringOf(thread: GdbThread, frame: number, text: string, range: string): Promise<string> {
  try {
    await prepareComponents(thread.gdb, text);
    // gdb 13 reads zeros for parts of what is optimized out.
    if ((await dataEvaluateExpression(thread, frame, text)).kind === 'optimizedOut') return text;
    const type = await typeOf({ thread, frame, language: 'fortran' }, text);
    return `${wholeText(text, type) ?? text}(${range})`;
  } catch (error) {
    if (error instanceof GdbError) return `${text}(${range})`;
    throw error;
  }
}

/** `w@3` of a dummy `w(*)`, whose first elements are meant: gdb would take so many arrays without an end. */
async function sliceOfAssumedSize(thread: GdbThread, frame: number, source: string): Promise<string> {
  const { from, count } = sliceIn(source) ?? {};
  if (from === undefined || !/^[\w:]+$/.test(from)) return source;
  try {
    const [bounds, ...others] = dimensions(await typeOf({ thread, frame, language: 'fortran' }, from));
    if (bounds?.endsWith('*') !== true || others.length > 0) return source;
    return `${from}(${/^-?\d+(?=:)/.exec(bounds)?.[0] ?? 1})@${count}`;
  } catch (error) {
    if (error instanceof GdbError) return source;
    throw error;
  }
}

/** SIZE and the bounds of an array with more elements than gdb's default INTEGER can count; undefined: it is none. */
async function wideCount(thread: GdbThread, frame: number, name: string, args: string): Promise<string | undefined> {
  const [, array, dimension] = /^\s*([\w:%]+)\s*(?:,\s*([^,]+))?$/.exec(args) ?? [];
  if (array === undefined || !/^(?:size|[lu]bound)$/i.test(name)) return undefined;
  const extents = (await arrayAt(thread, frame, array))?.dimensions.map(({ low, high }) => Math.max(0, high - low + 1));
  const size = extents?.reduce((product, extent) => product * extent, 1) ?? 0;
  if (size <= largestInteger || size === Infinity) return undefined;
  if (dimension !== undefined) return `${name}(${array},${dimension},8)`;
  return /^size$/i.test(name) ? String(size) : undefined;
}

const largestInteger = 2 ** 31 - 1;

/** Nothing is read. */
async function canRead(thread: GdbThread, level: number, source: string): Promise<boolean> {
  try {
    await dataEvaluateExpression(thread, level, `sizeof(${source})`);
    return true;
  } catch (error) {
    if (error instanceof GdbError) return false;
    throw error;
  }
}

/** Whether gdb itself does not find a component. */
async function lacksComponent(thread: GdbThread, level: number, source: string): Promise<boolean> {
  try {
    await prepareComponents(thread.gdb, source);
    // For a size alone gdb calls no function, not even those of prepareComponents.
    await dataEvaluateExpression(thread, level, `&(${source})`);
    return false;
  } catch (error) {
    if (error instanceof GdbError) return error.failure.reason === 'noMember';
    throw error;
  }
}

/**
 * What parts of the value are written with: the name with its function where gdb reads the name alone as something else,
 * and a slice with its first element.
 */
export function writtenFor(forGdb: string, source: string): string {
  const isSliceOfName = /^[\w:]+\(-?\d+\)@/.test(forGdb) && !source.includes('(');
  return isSliceOfName || /^\w+(::\w+)+$/.test(forGdb) ? forGdb : source;
}

function withVariablesOf(source: string, fn: string): string {
  return source.replace(/(?<![\w:])((?:\w+::)+)(\w+)/g, (whole, before: string, name: string) =>
    before === `${fn}::` ? variableOf(name) : whole,
  );
}

/** By gdb: names that it takes for those of a type, though the program may have variables of that name. */
const typeNames = new WeakMap<GdbThread['gdb'], Map<string, Promise<boolean>>>();

/** `stat`, the usual name of a status, is a struct of the C library, and gdb finds types first. */
async function withoutTypes(thread: GdbThread, level: number, fn: string | undefined, source: string): Promise<string> {
  const known = typeNames.get(thread.gdb) ?? new Map<string, Promise<boolean>>();
  typeNames.set(thread.gdb, known);
  const readable = new Map<string, string>();
  for (const name of freeNames(source)) {
    const lower = name.toLowerCase();
    let isType = known.get(lower);
    if (isType === undefined) known.set(lower, (isType = isTypeName(thread, level, lower)));
    if (await isType) readable.set(lower, await variableNotType(thread, level, fn, lower));
  }
  if (readable.size === 0) return source;
  return source.replace(
    /"[^"]*"|'[^']*'|(%\s*|::|\$)?\b([A-Za-z]\w*)\b(?!\s*::)/g,
    (whole, before: string | undefined, name?: string) =>
      (before === undefined && name !== undefined && readable.get(name.toLowerCase())) || whole,
  );
}

/** A variable is never of a type that has its own name. */
async function isTypeName(thread: GdbThread, level: number, name: string): Promise<boolean> {
  try {
    if (await hasUnknownType({ thread, frame: level }, name)) return false;
    return await isNameOfType(thread, level, name);
  } catch (error) {
    if (error instanceof GdbError) return false;
    throw error;
  }
}

/** A variable of the function itself, or of a module that it uses. */
async function variableNotType(
  thread: GdbThread,
  level: number,
  fn: string | undefined,
  name: string,
): Promise<string> {
  if (fn === undefined) return variableOf(name);
  try {
    await dataEvaluateExpression(thread, level, `sizeof(${fn}::${name})`);
  } catch (error) {
    if (!(error instanceof GdbError)) throw error;
    if (error.failure.reason === 'noSymbol') return variableOf(name);
  }
  return `${fn}::${name}`;
}
