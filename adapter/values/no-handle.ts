/** Why an expression holds no handle, and what to ask for instead. */
import { isArrayOfPointers, isVoid, targetType } from '../gdb/value-type';
import { noPlaceInCommon } from '../gdb/mi/failure';
import { isPointerType } from '../gdb/value-type';

/** For a variable that the compiler keeps nowhere at this point, and what to do about it. */
export const whyOptimizedOut = 'optimized out here: compile with -O0 or -Og';

/** The same in this function, and in a language as gdb calls it. */
export function whyOptimizedOutIn(fn: string | undefined, language: string): string {
  const [, entered] = /(?:^|::)(master\.\d+\.\w+)$/.exec(fn ?? '') ?? [];
  if (entered === undefined)
    return language === 'fortran'
      ? `${whyOptimizedOut}; or its place is not noted: ${noPlaceInCommon}`
      : whyOptimizedOut;
  return (
    'its place is not noted: gfortran notes none for the results of a function with ENTRY statements, ' +
    `and what it will return is __result_${entered} among the local variables`
  );
}

export interface WholeNumber {
  expression: string;
  /** It is among the members of a struct, which are not all handles. */
  isMember: boolean;
}

export interface NoHandle {
  /** The user has named a kind. */
  isKindGiven: boolean;
  /** The first whole number in it, which may be a handle. */
  number: WholeNumber | undefined;
  /** MPI's name for the value. */
  named: string | undefined;
  /** For an INTEGER that the program uses as handles of several kinds: which, and why. */
  conflict: string | undefined;
  /** The source that would tell what an INTEGER is, is missing. */
  untold: string | undefined;
}

/** `type` as gdb prints it; undefined where it cannot tell. `text`: the expression without a prefix. */
export function whyNoHandle(
  type: string | undefined,
  text: string,
  { isKindGiven, number, named, conflict, untold }: NoHandle,
): string {
  if (named !== undefined) return `${text} is ${named}, not a handle`;
  if (conflict !== undefined)
    return `the program uses ${text} as handles of several kinds (${conflict}): name one, as in comm.f:${text}`;
  const name = /^[\w.:%>()[\]-]+$/.test(text) ? text : `(${text})`;
  const target = targetType(type ?? '');
  if (target !== undefined && isPointerType(target))
    return `its type is ${type}, a pointer to a pointer: ask for *${name}`;
  if (isArrayOfPointers(type ?? ''))
    return `its type is ${type}, an array of pointers: ask for one of them, as in ${name}[0]`;
  if (type === undefined || isKindGiven) return `${text} holds no value that can be read as a handle`;
  if (isVoid(target ?? ''))
    return `its type is ${type}, which does not say what is there: name the type, as in *(MPI_Comm *)${name}`;
  const read = number === undefined ? undefined : readAsHandle(number, text);
  if (untold !== undefined) return `its type is ${type}, and ${untold}${read === undefined ? '' : `, or ${read}`}`;
  const shown = `mpidbg print ${/^[\w.:%-]+$/.test(text) ? text : `'${text}'`} shows its value`;
  return `its type is ${type}, not an MPI handle: ${shown}${read === undefined ? '' : `; if it holds one, ${read}`}`;
}

function readAsHandle({ expression, isMember }: WholeNumber, text: string): string {
  if (!isMember) return `name the kind, as in comm:${text} or comm.f:${text}`;
  return `name the number and its kind, as in comm:${expression}`;
}
