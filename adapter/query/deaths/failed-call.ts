/** The call of MPI that a rank dies in, with what it was given, as far as that can still be told. */
import { mpiRoutine } from '../../../plugin-api/fortran/bindings';
import { isNumberInC } from '../../../plugin-api/fortran/c-integers';
import { argumentsInText } from '../../../plugin-api/deaths/error-text';
import { describeBriefly } from '../../../plugin-api/mpi/describe';
import { refName } from '../../../plugin-api/mpi/describe-ref';
import type { MpiConstant, MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { HandleKind } from '../../../plugin-api/mpi/records';
import type { ProcessCode } from '../../expressions/code-modules';
import { answerOf } from '../list-handles';
import { activityOf } from '../positions/call-on-stack';
import { argumentsOfCaller } from '../positions/caller-arguments';
import { hiddenCall, withFunction } from '../positions/entered-function';
import type { PassedArgument, RankDeath } from './rank-death';
import { LostError, passedArguments, type Passed, type StoppedStack } from '../positions/passed-arguments';

export type FailedCall = NonNullable<RankDeath['call']>;

/** undefined: the thread is in no call of MPI. `text`: MPI's own of the error, in which some libraries tell the arguments. */
export async function failedCall(
  stack: StoppedStack,
  code: ProcessCode,
  mpi: MpiProcess,
  text: string,
): Promise<FailedCall | undefined> {
  const activity = activityOf(stack.frames, code);
  if (activity.kind === 'program') return undefined;
  const entered = activity.kind === 'call' ? await withFunction(activity, stack) : await hiddenCall(activity, stack);
  if (entered === undefined) return undefined;
  const { call, function: of } = entered;
  const names = (mpiRoutine(call.toLowerCase()) ?? []).filter(({ name }) => name !== 'ierror');
  const indices = names.map((_, index) => index);
  const found = of === undefined ? new Map<number, Passed>() : await allPassed(stack, of, indices);
  const told = argumentsInText(text, call, names.length);
  const constants = await mpi.constants();
  const passed: PassedArgument[] = [];
  for (const [index, { name, kind, isArray, isSet, isInteger }] of names.entries()) {
    const value = found.get(index);
    if (kind !== undefined && !isArray && !isSet && kind !== 'status') {
      const handle = value && handleOf(value, kind, mpi);
      const shown = handle === undefined ? undefined : await handleArgument(mpi, kind, handle);
      const text = told[index];
      if (shown !== undefined) passed.push({ name, ...shown });
      else if (text !== undefined) passed.push({ name, text });
    } else if (isInteger && isNumberInC(call.toLowerCase(), name)) {
      const number = value === undefined ? undefined : Number(BigInt.asIntN(32, value.value));
      const shown = number === undefined ? told[index] : integerText(name, number, constants);
      if (shown !== undefined) passed.push({ name, text: shown, ...(number === undefined ? {} : { number }) });
    }
  }
  return { call, passed };
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

export async function handleArgument(
  mpi: MpiProcess,
  kind: HandleKind,
  handle: bigint,
): Promise<Omit<PassedArgument, 'name'>> {
  const answer = await answerOf(mpi, kind, handle);
  const hex = `0x${handle.toString(16)}` as const;
  if (answer.code !== 'MPIDBG_SUCCESS') return { text: `${describeBriefly(answer)} ${hex}` };
  const { name, size } = answer.info as { name?: unknown; size?: unknown };
  const text = typeof name === 'string' && name !== '' ? refName({ kind, handle: hex, name }) : describeBriefly(answer);
  return { text, ...(kind === 'datatype' && typeof size === 'number' ? { size } : {}) };
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
};

function integerText(name: string, number: number, constants: ReadonlyMap<string, MpiConstant>): string {
  const isNumber = (each: string): boolean => {
    const constant = constants.get(each);
    return constant?.kind === 'integer' && constant.value === number;
  };
  return named[name]?.find(isNumber) ?? String(number);
}
