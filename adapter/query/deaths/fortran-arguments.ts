/** What Fortran has given to a call of MPI: the address of each argument, which the code of the program tells. */
import { cArguments, type CArgument } from '../../../plugin-api/fortran/c-arguments';
import { mpiRoutine, type MpiArgument } from '../../../plugin-api/fortran/bindings';
import { readI32, readU64 } from '../../../plugin-api/memory';
import { typeNames } from '../../../plugin-api/mpi/describe';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { ProcessCode } from '../../expressions/code-modules';
import { callOfBinding, isCBinding, nameOfCall } from '../across-ranks/mpi-calls';
import { callerOf } from '../positions/call-on-stack';
import { argumentsOfCaller, isLeftOutByCaller } from '../positions/caller-arguments';
import { calledFunction } from '../positions/called-function';
import { LostError, passedArguments, type Passed, type StoppedStack } from '../positions/passed-arguments';
import { FaultError } from '../../../plugin-api/result';

/** By the index of the argument. */
export interface FortranArguments {
  /** The program has called it in C, as its code tells. */
  isInC: boolean;
  /** As C would have been given them; arrays by their addresses. */
  passed: ReadonlyMap<number, Passed>;
  /** The words for what C would have been given in another form. */
  texts: ReadonlyMap<number, string>;
  /** The C handles behind the addresses of handles. */
  handles: ReadonlyMap<number, bigint>;
  /** Whether this address is that of ierror, and whether ierror is not given at all. undefined: it is another's, or not known. */
  errorAt: (address: bigint) => Promise<'missing' | 'unusable' | undefined>;
}

/** Characters of a text that are told. */
const maxText = 200;

/** `call`: "MPI_Bcast". Empty where the program has called it in C, or its code does not tell. */
export async function fortranArguments(
  stack: StoppedStack,
  code: ProcessCode,
  call: string,
  mpi: MpiProcess,
): Promise<FortranArguments> {
  const passed = new Map<number, Passed>();
  const texts = new Map<number, string>();
  const handles = new Map<number, bigint>();
  const found = { isInC: false, passed, texts, handles, errorAt: () => Promise.resolve(undefined) };
  const routine = mpiRoutine(call.toLowerCase());
  const kinds = cArguments(call.toLowerCase());
  const caller = callerOf(stack.frames, code);
  if (routine === undefined || kinds === undefined || caller?.address === undefined) return found;
  const called = await calledFunction(stack.image, caller.address);
  if (called === undefined || callOfBinding(called.name) !== call) return found;
  if (isCBinding(called.name) && nameOfCall(called.name) === call) return { ...found, isInC: true };
  const inRegisters = await argumentsOfCaller(stack, caller.level - 1, called.address);
  const registers = await stack.registers(caller.level);
  let textsBefore = 0;
  for (const [index, kind] of kinds.entries()) {
    const argument = routine[index];
    const hidden = kind === 'text' ? routine.length + textsBefore++ : undefined;
    await unlessGone(async () => {
      const address = await given(index);
      if (argument === undefined || address === undefined || address === 0n) return;
      await readArgument(index, kind, argument, address, hidden === undefined ? undefined : await given(hidden));
    });
  }
  return { ...found, errorAt: (address) => errorAt(address, caller.level, called.address) };

  async function errorAt(address: bigint, level: number, start: bigint): Promise<'missing' | 'unusable' | undefined> {
    const index = routine?.findIndex(({ name }) => name === 'ierror') ?? -1;
    if (index < 0) return undefined;
    const inMemory = index - (registers?.processor.argumentRegisters.length ?? Infinity);
    const own = inMemory >= 0 ? await given(index) : await keptBy(stack, level - 1, start, index);
    if (own !== address) return undefined;
    return inMemory >= 0 && (await isLeftOutByCaller(stack, level, inMemory)) ? 'missing' : 'unusable';
  }

  /** Those behind the ones in registers lie on the stack, where the caller has put them. */
  async function given(index: number): Promise<bigint | undefined> {
    const top = registers?.stackPointer;
    const inMemory = registers === undefined ? -1 : index - registers.processor.argumentRegisters.length;
    if (inMemory >= 0) return top === undefined ? undefined : readU64(stack.image, top + 8n * BigInt(inMemory));
    const register = inRegisters.get(index);
    return register?.bits === 64 ? BigInt.asUintN(64, register.value) : undefined;
  }

  async function readArgument(
    index: number,
    kind: CArgument,
    argument: MpiArgument,
    address: bigint,
    length: bigint | undefined,
  ): Promise<void> {
    const { image } = stack;
    switch (kind) {
      case 'int':
        passed.set(index, { value: BigInt(await readI32(image, address)), bits: 32 });
        break;
      case 'long':
        passed.set(index, { value: await readU64(image, address), bits: 64 });
        break;
      case 'handle':
      case 'pointer': {
        if (argument.kind === undefined || argument.kind === 'status' || argument.isArray) return;
        const integer = await readI32(image, address);
        const handle = await mpi.fortranToC(argument.kind, integer);
        if (kind === 'pointer' && handle.ok) handles.set(index, handle.value);
        else if (handle.ok) passed.set(index, { value: handle.value, bits: 64 });
        else if (kind === 'handle') texts.set(index, `invalid ${typeNames[argument.kind]} ${integer}`);
        break;
      }
      case 'text': {
        const size = Number(BigInt.asUintN(32, length ?? 0n));
        if (size === 0 || size > maxLength) return;
        const bytes = await image.readMemory(address, Math.min(size, maxText));
        texts.set(index, `"${Buffer.from(bytes).toString('utf8').trimEnd()}"`);
        break;
      }
      case 'other':
        passed.set(index, { value: address, bits: 64 });
    }
  }
}

/** More is no length of a name. */
const maxLength = 65_536;

/** The argument of the function that begins at `start`; undefined: its code does not tell. */
async function keptBy(stack: StoppedStack, level: number, start: bigint, index: number): Promise<bigint | undefined> {
  try {
    const kept = (await passedArguments(stack, level, start, [index])).get(index);
    return kept?.bits === 64 ? BigInt.asUintN(64, kept.value) : undefined;
  } catch (error) {
    if (error instanceof LostError || error instanceof FaultError) return undefined;
    throw error;
  }
}

async function unlessGone(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
  }
}
