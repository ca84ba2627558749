/** Registers of a frame, and of its thread. */
import type { GdbThread, MiCommands } from './mi/context';
import { dataListRegisterNames, dataListRegisterValues } from './mi/data-manipulation';

const names = new WeakMap<MiCommands, Promise<readonly string[]>>();

/** By x86-64's numbers of them. */
const x86Names = [
  ...['rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi'],
  ...['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'],
];

/**
 * Their values when the frame goes on, by x86-64's numbers; only those that calls keep are known of a frame that has
 * called another. undefined: the machine is another one. Rejects with GdbError.
 */
export async function frameRegisters(thread: GdbThread, frame: number): Promise<(bigint | undefined)[] | undefined> {
  return registersNamed(thread, frame, x86Names);
}

/** Where x86-64 keeps the variables of the thread. undefined: the machine is another one. Rejects with GdbError. */
export async function threadPointer(thread: GdbThread): Promise<bigint | undefined> {
  return (await registersNamed(thread, 0, ['fs_base']))?.[0];
}

async function registersNamed(
  thread: GdbThread,
  frame: number,
  wanted: readonly string[],
): Promise<(bigint | undefined)[] | undefined> {
  let known = names.get(thread.gdb);
  if (known === undefined) names.set(thread.gdb, (known = dataListRegisterNames(thread)));
  const all = await known;
  const numbers = wanted.map((name) => all.indexOf(name));
  if (numbers.includes(-1)) return undefined;
  const values = await dataListRegisterValues(thread, frame, 'x', numbers);
  return numbers.map((number) => {
    const value = values.get(number) ?? '';
    return /^0x[0-9a-f]+$/.test(value) ? BigInt(value) : undefined;
  });
}
