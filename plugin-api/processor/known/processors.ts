/** The processors whose code is decoded. */
import type { Processor, ProcessorName } from '../processor';
import type { Known } from '../../unavailable';
import { x86 } from '../x86-64/processor';

/** A processor of which only the name is known has its place here, too: aarch64's will be the folder beside x86-64. */
const known: Readonly<Record<ProcessorName, { elfMachine: number; processor?: Processor }>> = {
  'x86-64': { elfMachine: x86.elfMachine, processor: x86 },
  aarch64: { elfMachine: 183 },
};

export const processors: readonly Processor[] = Object.values(known).flatMap(({ processor }) => processor ?? []);

/**
 * The one that is meant where the process does not say on which it runs: on another one, none of the bytes looked for is
 * found, or the code is no instruction.
 */
export const usualProcessor: Processor = x86;

/** By the e_machine of the program's file. */
export function processorOf(elfMachine: number): Known<Processor> {
  const name = (Object.keys(known) as ProcessorName[]).find((each) => known[each].elfMachine === elfMachine);
  const reason = `${name ?? `the processor with the number ${elfMachine}`} is not decoded yet`;
  return (name && known[name].processor) ?? { code: 'MPIDBG_ERR_NOT_SUPPORTED', reason };
}

/** What gdb calls the registers that pass the first arguments of a C function, by the name of the architecture in gdb's Python. */
export const argumentsInGdb: Readonly<Record<string, readonly string[]>> = {
  [x86.architectureInGdb]: x86.argumentRegisters.map((register) => x86.namesInGdb.registers[register]!),
  aarch64: ['x0', 'x1', 'x2', 'x3', 'x4', 'x5'],
};
