/** What Fortran has given to a call of MPI: the address of each argument, which the code of the program tells. */
import { cArguments, type CArgument } from '../../../plugin-api/fortran/c-arguments';
import { mpiRoutine, type MpiArgument } from '../../../plugin-api/fortran/bindings';
import { readI32, readU64 } from '../../../plugin-api/memory';
import { typeNames } from '../../../plugin-api/mpi/describe';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { ProcessCode } from '../../expressions/code-modules';
import { callerOf } from '../positions/call-on-stack';
import { argumentsOfCaller } from '../positions/caller-arguments';
import { calledFunction } from '../positions/called-function';
import type { Passed, StoppedStack } from '../positions/passed-arguments';
import { FaultError } from '../../../plugin-api/result';

/** By the index of the argument. */
export interface FortranArguments {
  /** As C would have been given them; arrays by their addresses. */
  passed: ReadonlyMap<number, Passed>;
  /** The words for what C would have been given in another form. */
  texts: ReadonlyMap<number, string>;
  /** The C handles behind the addresses of handles. */
  handles: ReadonlyMap<number, bigint>;
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
  const found = { passed, texts, handles };
  const routine = mpiRoutine(call.toLowerCase());
  const kinds = cArguments(call.toLowerCase());
  const caller = callerOf(stack.frames, code);
  if (routine === undefined || kinds === undefined || caller?.address === undefined) return found;
  const called = await calledFunction(stack.image, caller.address);
  if (called === undefined || !isFortranBinding(called.name, call)) return found;
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
  return found;

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

/** mpi_bcast_, MPI_BCAST, mpi_bcast_f08_; also the names that libraries of MPI have for the same function, as symbols are found by address. */
function isFortranBinding(name: string, call: string): boolean {
  const [, routine] = /^(?:p?mpi|ompi|pmpir|mpir)(x?_\w+?)(?:_f|_f08|_f08ts)?_{0,2}$/.exec(name.toLowerCase()) ?? [];
  const isC = /^P?MPIX?_[A-Z]\w*$/.test(name) && name.replace(/^P/, '') === call;
  return routine !== undefined && !isC && `mpi${routine}` === call.toLowerCase();
}

async function unlessGone(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
  }
}
