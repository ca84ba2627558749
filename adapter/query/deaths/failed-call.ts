/** The call of MPI that a rank dies in, with what it was given, as far as that can still be told. */
import { mpiRoutine, type MpiArgument } from '../../../plugin-api/fortran/bindings';
import { cArguments, type CArgument } from '../../../plugin-api/fortran/c-arguments';
import { readText, readU64, readI32 } from '../../../plugin-api/memory';
import { FaultError } from '../../../plugin-api/result';
import type { ProcessImage } from '../../../plugin-api/image';
import { argumentsInText } from '../../../plugin-api/deaths/error-text';
import { describeBriefly } from '../../../plugin-api/mpi/describe';
import { refName } from '../../../plugin-api/mpi/describe-ref';
import type { MpiConstant, MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { HandleKind } from '../../../plugin-api/mpi/records';
import type { ProcessCode } from '../../expressions/code-modules';
import { answerOf } from '../list-handles';
import { activityOf, type Activity } from '../positions/call-on-stack';
import { argumentsOfCaller } from '../positions/caller-arguments';
import { fortranArguments } from './fortran-arguments';
import { arrayText, type CallNumbers } from './passed-arrays';
import { invalidRequests, isReadRequest } from './passed-requests';
import { callBefore, hiddenCall, withFunction, type EnteredCall } from '../positions/entered-function';
import type { PassedArgument, RankDeath } from '../../../plugin-api/deaths/rank-death';
import { LostError, passedArguments, type Passed, type StoppedStack } from '../positions/passed-arguments';

export type FailedCall = NonNullable<RankDeath['call']>;

/** What is known of the error beside the stack. */
export interface KnownOfError {
  /** MPI's own words, in which some libraries tell the arguments. */
  text?: string;
  /** The call that the library names as the one that failed, if it does: its frame may be gone. */
  failed?: string | undefined;
  /** The address that could not be used. */
  fault?: bigint | undefined;
}

/** undefined: the thread is in no call of MPI. */
export async function failedCall(
  stack: StoppedStack,
  code: ProcessCode,
  mpi: MpiProcess,
  { text = '', failed, fault }: KnownOfError,
): Promise<FailedCall | undefined> {
  // Its frame may be gone: a function that ends in another leaves it in its place.
  const entered = (await enteredCall(activityOf(stack.frames, code), stack, failed)) ?? onlyNamed(failed);
  if (entered === undefined) return undefined;
  const { call, function: of } = entered;
  const names = (mpiRoutine(call.toLowerCase()) ?? []).filter(({ name }) => name !== 'ierror');
  const kinds = cArguments(call.toLowerCase()) ?? [];
  const indices = names.map((_, index) => index);
  const inC = of === undefined ? new Map<number, Passed>() : await allPassed(stack, of, indices);
  const inFortran = await fortranArguments(stack, code, call, mpi);
  // What Fortran has given lies in its memory, while C's copies may have changed.
  const found = new Map([...inC, ...inFortran.passed]);
  const told = argumentsInText(text, call, names.length);
  const number = (name: string): Passed | undefined => found.get(names.findIndex((each) => each.name === name));
  const numbers = callNumbers(number, mpi);
  const read = { image: stack.image, mpi, constants: await mpi.constants(), numbers, isInC: inFortran.isInC };
  const passed: PassedArgument[] = [];
  for (const [index, argument] of names.entries()) {
    const value = found.get(index);
    const kind = kinds.length === names.length ? (kinds[index] ?? 'other') : 'other';
    const shown =
      (await inFortranWords(index, argument)) ?? (value && (await shownArgument(call, argument, kind, value, read)));
    const inText = kind === 'int' || (kind === 'handle' && argument.kind !== 'status') ? told[index] : undefined;
    if (shown !== undefined) passed.push({ name: argument.name, ...shown });
    else if (inText !== undefined) passed.push({ name: argument.name, text: inText });
  }
  const errorArgument = fault === undefined ? undefined : await inFortran.errorAt(fault);
  return { call, passed, ...(errorArgument && { errorArgument }) };

  async function inFortranWords(
    index: number,
    { kind }: MpiArgument,
  ): Promise<Omit<PassedArgument, 'name'> | undefined> {
    const text = inFortran.texts.get(index);
    if (text !== undefined) return { text };
    const handle = inFortran.handles.get(index);
    const isTold = handle !== undefined && kind !== undefined && kind !== 'status' && keepsHandle.test(call);
    return isTold ? handleArgument(mpi, kind, handle) : undefined;
  }
}

function enteredCall(
  activity: Activity,
  stack: StoppedStack,
  failed: string | undefined,
): Promise<EnteredCall | undefined> {
  switch (activity.kind) {
    case 'call':
      return withFunction(activity, stack, failed);
    case 'library':
      return hiddenCall(activity, stack);
    case 'program':
      return failed === undefined ? Promise.resolve(undefined) : callBefore(stack, failed);
  }
}

function onlyNamed(failed: string | undefined): EnteredCall | undefined {
  return failed === undefined ? undefined : { call: failed, function: undefined };
}

interface Reading {
  image: ProcessImage;
  mpi: MpiProcess;
  constants: ReadonlyMap<string, MpiConstant>;
  numbers: CallNumbers;
  isInC: boolean;
}

function callNumbers(passed: (name: string) => Passed | undefined, mpi: MpiProcess): CallNumbers {
  return {
    numberOf: (name) => {
      const value = passed(name)?.value;
      return value === undefined ? undefined : Number(BigInt.asIntN(32, value));
    },
    commSize: async () => {
      const value = passed('comm');
      const handle = value && handleOf(value, 'comm', mpi);
      const answer = handle === undefined ? undefined : await mpi.query('comm', handle);
      const size = answer?.ok === true ? answer.value.size : undefined;
      return typeof size === 'number' ? size : undefined;
    },
  };
}

/** Calls that leave the handle behind the pointer as it is when they fail. */
const keepsHandle = /_(free|close|disconnect|start|commit|cancel)$/i;

/** Characters of a file's or a program's name that are told. */
const maxText = 200;

/** undefined: it cannot be told. `name`: where it is not the argument's own. */
async function shownArgument(
  call: string,
  { name, kind, isArray, isInteger }: MpiArgument,
  passedAs: CArgument,
  value: Passed,
  { image, mpi, constants, numbers, isInC }: Reading,
): Promise<(Omit<PassedArgument, 'name'> & { name?: string }) | undefined> {
  if (passedAs === 'int') {
    const number = Number(BigInt.asIntN(32, value.value));
    return { text: integerText(name, number, constants), number };
  }
  if (passedAs === 'handle' && kind !== undefined && kind !== 'status') {
    const handle = handleOf(value, kind, mpi);
    return handle === undefined ? undefined : handleArgument(mpi, kind, handle);
  }
  if (value.bits !== 64) return undefined;
  const address = BigInt.asUintN(64, value.value);
  if (passedAs === 'long') return { text: String(BigInt.asIntN(64, value.value)) };
  try {
    // Those of the calls with large counts have longer elements.
    if (passedAs === 'other' && isInteger && !call.endsWith('_c')) {
      const text = await arrayText(call, name, { image, address }, numbers);
      return text === undefined ? undefined : { text };
    }
    // Fortran counts from 1, and has other handles.
    if (isReadRequest(call, name)) {
      if (!isInC) return undefined;
      const count = isArray ? (numbers.numberOf('count') ?? numbers.numberOf('incount')) : undefined;
      if (isArray && count === undefined) return undefined;
      return await invalidRequests(name, { image, address }, count, mpi);
    }
    if (passedAs === 'text') return { text: `"${await readText(image, address, maxText)}"` };
    if (passedAs !== 'pointer' || kind === undefined || isArray || !keepsHandle.test(call)) return undefined;
    const size = mpi.handleSize(kind);
    const handle = size === 4 ? BigInt(await readI32(image, address)) : await readU64(image, address);
    return await handleArgument(mpi, kind, BigInt.asUintN(8 * size, handle));
  } catch (error) {
    if (error instanceof FaultError) return undefined;
    throw error;
  }
}

/** What the function still keeps, and what its caller tells; where they differ, neither is believed. */
async function allPassed(
  stack: StoppedStack,
  { level, start }: { level: number; start: bigint },
  indices: readonly number[],
): Promise<ReadonlyMap<number, Passed>> {
  const found = new Map(await argumentsOfCaller(stack, level, start));
  for (const [index, passed] of await keptArguments(stack, { level, start }, indices)) {
    const told = found.get(index);
    const differs = told !== undefined && BigInt.asUintN(32, told.value) !== BigInt.asUintN(32, passed.value);
    if (differs) found.delete(index);
    else if (told === undefined || told.bits < passed.bits) found.set(index, passed);
  }
  return found;
}

async function keptArguments(
  stack: StoppedStack,
  { level, start }: { level: number; start: bigint },
  indices: readonly number[],
): Promise<ReadonlyMap<number, Passed>> {
  try {
    return await passedArguments(stack, level, start, indices);
  } catch (error) {
    if (error instanceof LostError) return new Map();
    throw error;
  }
}

function handleOf({ value, bits }: Passed, kind: HandleKind, mpi: MpiProcess): bigint | undefined {
  if (mpi.handleSize(kind) === 4) return BigInt.asUintN(32, value);
  return bits === 64 ? BigInt.asUintN(64, value) : undefined;
}

/** undefined: MPI is not up. */
export async function handleArgument(
  mpi: MpiProcess,
  kind: HandleKind,
  handle: bigint,
): Promise<Omit<PassedArgument, 'name'> | undefined> {
  const answer = await answerOf(mpi, kind, handle);
  if (answer.code === 'MPIDBG_ERR_UNAVAILABLE') return undefined;
  const hex = `0x${handle.toString(16)}` as const;
  if (answer.code !== 'MPIDBG_SUCCESS') return { text: `${describeBriefly(answer)} ${hex}` };
  const info = answer.info as { name?: unknown; size?: unknown; remoteSize?: unknown };
  const { name, size, remoteSize: ranks = size } = info;
  const text = typeof name === 'string' && name !== '' ? refName({ kind, handle: hex, name }) : describeBriefly(answer);
  if (kind === 'datatype' && typeof size === 'number') return { text, size };
  return { text, ...(kind === 'comm' && typeof ranks === 'number' ? { ranks } : {}) };
}

/** Arguments whose number is one of a few names. */
const named: Readonly<Record<string, readonly string[]>> = {
  source: ['MPI_ANY_SOURCE', 'MPI_PROC_NULL'],
  dest: ['MPI_PROC_NULL'],
  root: ['MPI_ROOT', 'MPI_PROC_NULL'],
  tag: ['MPI_ANY_TAG'],
  recvtag: ['MPI_ANY_TAG'],
  color: ['MPI_UNDEFINED'],
  whence: ['MPI_SEEK_SET', 'MPI_SEEK_CUR', 'MPI_SEEK_END'],
  lock_type: ['MPI_LOCK_EXCLUSIVE', 'MPI_LOCK_SHARED'],
};

/** Arguments that are a sum of names. */
const sums: Readonly<Record<string, RegExp>> = { amode: /^MPI_MODE_(RD|WR|CREATE|EXCL|DELETE|UNIQUE|SEQ|APPEND)/ };

function integerText(name: string, number: number, constants: ReadonlyMap<string, MpiConstant>): string {
  const valueOf = (each: string): number | undefined => {
    const constant = constants.get(each);
    return constant?.kind === 'integer' ? constant.value : undefined;
  };
  const sum = sums[name];
  if (sum === undefined) return named[name]?.find((each) => valueOf(each) === number) ?? String(number);
  const parts = [...constants.keys()].filter((each) => sum.test(each) && ((valueOf(each) ?? 0) & number) !== 0);
  const isWhole = parts.reduce((all, each) => all | (valueOf(each) ?? 0), 0) === number;
  return isWhole && parts.length > 0 ? parts.join('|') : String(number);
}
