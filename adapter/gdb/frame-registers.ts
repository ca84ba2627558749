/** Registers of a frame, and of its thread. */
import { processors } from '../../plugin-api/processor/known/processors';
import { Registers } from '../../plugin-api/processor/registers';
import type { GdbThread, MiCommands } from './mi/context';
import { dataListRegisterNames, dataListRegisterValues } from './mi/data-manipulation';

const names = new WeakMap<MiCommands, Promise<readonly string[]>>();

/**
 * The registers of a frame when it goes on; only those that calls keep are known of a frame that has called another.
 * undefined: the processor is not decoded. Rejects with GdbError.
 */
export async function frameRegisters(thread: GdbThread, frame: number): Promise<Registers | undefined> {
  for (const processor of processors) {
    const values = await registersNamed(thread, frame, processor.namesInGdb.registers);
    if (values !== undefined) return new Registers(processor, values);
  }
  return undefined;
}

/** Where the variables of the thread are. undefined: the processor is not decoded. Rejects with GdbError. */
export async function threadPointer(thread: GdbThread): Promise<bigint | undefined> {
  for (const { namesInGdb } of processors) {
    const values = await registersNamed(thread, 0, [namesInGdb.threadPointer]);
    if (values !== undefined) return values[0];
  }
  return undefined;
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
