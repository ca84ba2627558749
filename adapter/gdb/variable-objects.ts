/**
 * GDB/MI Variable Objects. A variable object is bound to the thread and frame it was made in. The other commands must
 * name that thread too: gdb 13 reads the memory of members from the inferior that is selected, which with several
 * inferiors is another rank's (seen: the values of one rank in all of them). The creator must delete it: otherwise gdb
 * keeps it for ever.
 */
import { select, type GdbThread, type MiCommands } from './mi/context';
import { lengthIn } from './fortran-type';
import { dataEvaluateExpression, sizeOf } from './mi/data-manipulation';
import { printedAnswer } from './python/printed-answer';
import { prepareDescriptors } from './python/fortran-components';
import { keepable } from './python/fortran-sections';
import { NoPythonError } from './python/run-python';
import { evaluating } from './mi/read-only';
import { GdbError } from './mi/mi-connection';
import { integer, optionalInteger, optionalText, quote, text, tuples, type MiTuple } from './mi/mi-values';
import { valueOf, type GdbValue } from './mi/value';

export interface VariableObject {
  /** gdb's name: "var1", "var1.public.x". */
  name: string;
  /** As shown: the member's name, the index; for a root the expression. */
  expression: string;
  type: string | undefined;
  value: GdbValue;
  /** The number of static children; a dynamic variable object (pretty-printed) tells by hasMore. */
  childCount: number;
  /** For a dynamic child gdb does not know until its own children are listed: assume that it may have some. */
  hasMore: boolean;
  /** A pretty printer shows it. */
  dynamic: boolean;
  /** "map", "array" or "string" for what a pretty printer shows. */
  displayHint: string | undefined;
}

/** Rejects with GdbError. */
export async function varCreate(evalFrame: GdbEvaluationFrame, expression: string): Promise<VariableObject> {
  const { thread, frame, language } = evalFrame;
  const command = (source: string): string => `-var-create ${select(thread, frame)} - * ${quote(source)}`;
  if (language !== 'fortran') return variableOf(await evaluating(thread, expression, command(expression)), expression);
  // Without Python, nothing keeps gdb from ending at what it cannot print.
  await prepareDescriptors(thread.gdb).catch(ignoreNoPython);
  if (await hasUnknownType(evalFrame, expression)) throw new UnknownTypeError(unknownType, command(expression));
  const kept = await keepable(thread.gdb, expression);
  const variable = variableOf(await evaluating(thread, expression, command(kept)), expression);
  if (!isUntold(variable)) return variable;
  await varDelete(thread.gdb, variable.name);
  throw new UntoldTypeError(untoldType, command(expression));
}

function ignoreNoPython(error: unknown): void {
  if (!(error instanceof NoPythonError)) throw error;
}

/** gfortran leaves the type of such a component out; gdb takes it for void. */
const isUntold = ({ type }: VariableObject): boolean => type === 'void';

const untoldType =
  'the debug information does not tell its type, as with an allocatable array of the type that it is in';

const unknownType = 'gdb does not know its type, as with arrays of CHARACTER whose length is known only at run time';

/** gdb knows the variable, but not what it is. */
export class UnknownTypeError extends GdbError {}

/** Nor does anything else. */
export class UntoldTypeError extends GdbError {}

/** gdb 13 crashes when it prints such a type, or texts that have no size for it. */
export async function hasUnknownType(
  { thread, frame }: Omit<GdbEvaluationFrame, 'language'>,
  expression: string,
): Promise<boolean> {
  try {
    if ((await sizeOf(thread, frame, expression)) !== 0) return false;
    if (await isOfTexts(thread, frame, expression)) return true;
    return (await dataEvaluateExpression(thread, frame, expression)).text === '<incomplete type>';
  } catch (error) {
    if (error instanceof GdbError) return false;
    throw error;
  }
}

/** An array of CHARACTER with a last bound: of others gdb says itself that it has none. Rejects with GdbError. */
async function isOfTexts(thread: GdbThread, frame: number, expression: string): Promise<boolean> {
  // As character codes, so that nothing needs quotes.
  const type = `gdb.parse_and_eval(bytes([${[...Buffer.from(expression)].join(',')}]).decode()).type`;
  const element = `e = lambda type: e(type.target()) if type.code == gdb.TYPE_CODE_ARRAY else type.code`;
  const told = `print(json.dumps(e(t) == gdb.TYPE_CODE_STRING and not str(t).endswith('*)')))`;
  const script = `python import gdb, json; t = ${type}; ${element}; ${told}`;
  return printedAnswer(await thread.gdb.console(script, thread, frame)) === true;
}

/** The type of an expression's value, '' where gdb tells none. Rejects with GdbError. */
export async function typeOf(evalFrame: GdbEvaluationFrame, expression: string): Promise<string> {
  const variable = await varCreate(evalFrame, expression);
  await varDelete(evalFrame.thread.gdb, variable.name);
  return variable.type ?? '';
}

/** Where a variable object was made. */
export interface GdbEvaluationFrame {
  thread: GdbThread;
  frame: number;
  language: 'c' | 'fortran';
}

/** Children `from` (included) to `to` (not included), with their values. */
export async function varListChildren(
  { thread, frame, language }: GdbEvaluationFrame,
  { name, type }: VariableObject,
  from: number,
  to: number,
): Promise<VariableObject[]> {
  const list = async (inLanguage: string, first: number, last: number): Promise<VariableObject[]> => {
    const range = `${quote(name)} ${first} ${last}`;
    const answer = await thread.gdb.command(`-var-list-children ${select(thread)} ${inLanguage} --all-values ${range}`);
    return tuples(answer, 'children').map((child) => variableOf(child, text(child, 'exp')));
  };
  // Without a frame gdb writes types in the language of the innermost one, which may be in the MPI library; and gdb 13
  // crashes when it prints a type without a name in Fortran.
  if (language === 'fortran' && isNameOfC(type)) return list('--language c', from, to);
  const inFrame = `--frame ${frame}`;
  const isDerived = language === 'fortran' && /^(?:PTR TO -> \( )?Type /i.test(type ?? '');
  if (!isDerived || /\(.*\d\)$/.test(type ?? '')) return list(inFrame, from, to);
  const inC = await list('--language c', from, to);
  const each = inC.map(async (child, i): Promise<VariableObject[]> => {
    if (isUnknown(child)) return [{ ...child, type: '', value: valueOf(`<${unknownType}>`) }];
    if (isUntold(child)) return [{ ...child, type: '', value: valueOf(`<${untoldType}>`) }];
    return Promise.all((await list(inFrame, from + i, from + i + 1)).map(inFortran));
  });
  return (await Promise.all(each)).flat();

  // gdb keeps the text of a value as it was written first, which was in C.
  async function inFortran(child: VariableObject): Promise<VariableObject> {
    if (child.childCount > 0 || /^(integer|real)/.test(child.type ?? '')) return child;
    const answer = await thread.gdb.command(
      `-var-set-format ${select(thread)} ${inFrame} ${quote(child.name)} natural`,
    );
    return { ...child, value: valueOf(optionalText(answer, 'value') ?? '', child.type) };
  }
}

/** As C writes a type that gdb does not know. */
const isUnknown = ({ type }: VariableObject): boolean => type === 'struct {...}';

/** In Fortran gdb writes the types of C, and pointers to them, with nothing but their names. */
function isNameOfC(type = ''): boolean {
  return /^(?:(?:const|volatile) )*(?:(?:struct|union) \w+|\w+)$|^PTR TO -> \( \w+ \)$/.test(type);
}

export async function varDelete(gdb: MiCommands, name: string): Promise<void> {
  await gdb.command(`-var-delete ${quote(name)}`);
}

function variableOf(answer: MiTuple, expression: string): VariableObject {
  const dynamic = answer.dynamic === '1';
  const type = optionalText(answer, 'type');
  const value = optionalText(answer, 'value') ?? '';
  const long = longLength(type, value);
  return {
    name: text(answer, 'name'),
    expression,
    type,
    value: valueOf(long === undefined ? value : `[${long}]`, type),
    childCount: long ?? integer(answer, 'numchild'),
    hasMore: (optionalInteger(answer, 'has_more') ?? (dynamic ? 1 : 0)) > 0,
    dynamic,
    displayHint: optionalText(answer, 'displayhint'),
  };
}

/** How many elements an array has where gdb, which counts them in 32 bits, tells something else. */
function longLength(type: string | undefined, value: string): number | undefined {
  const counted = /^\[(-?\d+)\]$/.exec(value)?.[1];
  if (counted === undefined) return undefined;
  const told = lengthIn(type);
  if (told !== undefined && told > largestCount) return told;
  return counted.startsWith('-') ? Number(counted) + 2 ** 32 : undefined;
}

const largestCount = 2 ** 31 - 1;
