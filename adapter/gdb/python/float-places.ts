/**
 * Where the floating point numbers of variables lie. gdb knows the types and the addresses, and what a Fortran descriptor or
 * a container leads to; the numbers themselves are read past gdb.
 */
import type { GdbThread } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { isAssignment, WouldChangeError } from '../mi/read-only';
import { objectOf, prepareComponents, prepareDescriptors } from './fortran-components';
import { floatWalkScript } from './float-walk-script';
import { heapBlockScript } from './heap-block-script';
import { pointerWalkScript } from './pointer-walk-script';
import { runPythonOnce } from './run-python';
import { unsetScript } from './unset-variables';
import { printedAnswer } from './printed-answer';

/** `x87`: 80 bits; `f16`: IEEE with 128 bits; `bf2`: bfloat16. */
export type FloatFormat = 'f2' | 'bf2' | 'f4' | 'f8' | 'x87' | 'f16';

/** One subscript of an array: `count` elements from `low` on, `stride` bytes apart. */
export interface Dimension {
  low: number;
  count: number;
  stride: number;
  /** How many are sure to be there, of memory whose end is not known exactly. */
  least?: number;
}

/** Text as it is, or the subscripts of these dimensions: `[i]` in C, `(i,j)` in Fortran. */
export type NamePart = string | { subscripts: readonly number[] };

/** Numbers of one format in one variable, at `address` plus the strides of their subscripts. */
export interface Place<Format> {
  /** Which of the roots below. */
  root: number;
  name: readonly NamePart[];
  address: bigint;
  format: Format;
  /** 2 for a complex number, whose parts lie one after the other. */
  parts: number;
  /** The outermost first, as the elements lie in memory. */
  dimensions: readonly Dimension[];
}

export type FloatPlace = Place<FloatFormat>;

/** What is not looked at, and why. */
export interface LeftOut {
  root: number;
  expression: string;
  why: string;
  /** Where it leads to. */
  address?: bigint;
}

/** A variable, or the expression that was asked for. */
export interface FloatRoot {
  name: string;
  type: string;
  language: 'c' | 'fortran';
  /** The depth of the frame that it is a variable of; undefined: a global one. */
  frame?: number;
  /** Where it is declared, as far as that is known. */
  source?: { file: string; line: number };
}

/** A number that has no address, such as one in a register. */
export interface KeptFloat {
  root: number;
  expression: string;
  /** As gdb writes it: "-nan(0x8000000000000)". */
  text: string;
}

export interface Places<Root, Format> {
  roots: readonly Root[];
  places: readonly Place<Format>[];
  kept: readonly KeptFloat[];
  leftOut: readonly LeftOut[];
  /** There are more: the bound on what is listed was reached. */
  isCut: boolean;
}

export type FloatPlaces = Places<FloatRoot, FloatFormat>;

interface Told<Root, Format> {
  roots: Root[];
  places: [
    root: number,
    name: NamePart[],
    address: string,
    format: Format,
    parts: number,
    dims: [low: number, count: number, stride: number, least?: number][],
  ][];
  kept: KeptFloat[];
  left: (Omit<LeftOut, 'address'> & { address?: string })[];
  cut: boolean;
  error: string | null;
}

/** The number with which it goes on. */
interface Paused {
  more: number;
}

/** Arguments and local variables of the thread's frames at these depths. Rejects with NoPythonError, GdbError, and the signal's reason. */
export function floatsOfFrames(
  thread: GdbThread,
  levels: readonly number[],
  signal?: AbortSignal,
): Promise<FloatPlaces> {
  return ask(thread, 0, `of_frames(${JSON.stringify(levels)})`, signal);
}

/** Global variables of these files of the process. Rejects with NoPythonError, GdbError, and the signal's reason. */
export function floatsOfGlobals(
  thread: GdbThread,
  files: readonly string[],
  signal?: AbortSignal,
): Promise<FloatPlaces> {
  return ask(thread, 0, `of_globals(${decoded(files)})`, signal);
}

/**
 * An expression in a frame. `source`: as gdb reads it; `text`: as the user wrote it. Rejects with GdbError in gdb's words, and with the
 * signal's reason.
 */
export async function floatsOfExpression(
  thread: GdbThread,
  asked: { frame: number; source: string; text: string; language: 'c' | 'fortran' },
  signal?: AbortSignal,
): Promise<FloatPlaces> {
  const { frame, source, text, language } = asked;
  if (thread.whyNoValues !== undefined || isAssignment(source, thread.readOnlySyntax ?? 'unknown'))
    throw new WouldChangeError(source, false);
  await prepareComponents(thread.gdb, source);
  return ask(thread, frame, `of_expression(*${decoded([source, text, language])}, ${frame})`, signal);
}

/** Text of the user or the program, as Python reads it. */
export function decoded(texts: readonly string[]): string {
  const encoded = Buffer.from(JSON.stringify(texts)).toString('base64');
  return `json.loads(base64.b64decode('${encoded}').decode())`;
}

async function ask(thread: GdbThread, frame: number, question: string, signal?: AbortSignal): Promise<FloatPlaces> {
  await prepareWalk(thread.gdb);
  return walk<FloatRoot, FloatFormat>(thread, frame, `_mpidbg_floats.tell(lambda walk: walk.${question})`, signal);
}

/** What walks through variables. Rejects with NoPythonError, GdbError. */
export async function prepareWalk(gdb: GdbThread['gdb']): Promise<void> {
  // What an object of a CLASS is.
  await prepareComponents(gdb, objectOf(''));
  await prepareDescriptors(gdb);
  await runPythonOnce(gdb, heapBlockScript);
  await runPythonOnce(gdb, unsetScript);
  await runPythonOnce(gdb, pointerWalkScript);
  await runPythonOnce(gdb, floatWalkScript);
}

/** In slices, so that gdb answers others meanwhile. Rejects with GdbError, and with the signal's reason. */
export async function walk<Root, Format>(
  thread: GdbThread,
  frame: number,
  python: string,
  signal?: AbortSignal,
): Promise<Places<Root, Format>> {
  const call = `python import json, base64; ${python}`;
  const answerTo = async (text: string): Promise<Told<Root, Format> | Paused> =>
    printedAnswer(await thread.gdb.console(text, thread, frame)) as Told<Root, Format> | Paused;
  let told = await answerTo(call);
  while ('more' in told) {
    const going = `_mpidbg_floats.going.pop(${told.more})`;
    if (signal?.aborted === true) await thread.gdb.console(`python ${going}`);
    signal?.throwIfAborted();
    told = await answerTo(`python ${going}.go_on()`);
  }
  const { roots, places, kept, left, cut, error } = told;
  if (error !== null) throw refusalOf(new GdbError(error, call), call);
  return {
    roots,
    places: places.map(([root, name, address, format, parts, dims]) => ({
      ...{ root, name, address: BigInt(address), format, parts },
      dimensions: dims.map(([low, count, stride, least]) => ({
        ...{ low, count, stride },
        ...(least === undefined ? {} : { least }),
      })),
    })),
    kept,
    leftOut: left.map(({ address, ...each }) => ({
      ...each,
      ...(address === undefined ? {} : { address: BigInt(address) }),
    })),
    isCut: cut,
  };
}

function refusalOf(error: GdbError, command: string): GdbError {
  const { reason } = error.failure;
  return reason === 'mayNotCall' || reason === 'mayNotWrite'
    ? new WouldChangeError(command, reason === 'mayNotCall')
    : error;
}
