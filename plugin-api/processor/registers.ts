/** The general-purpose registers of a frame when it goes on, whoever has read them. */
import type { Processor, Register } from './processor';

/** undefined, here and in its methods: not known, as a call that the frame has made does not keep it. */
export class Registers {
  /** `values`: by Register. */
  constructor(
    readonly processor: Processor,
    readonly values: readonly (bigint | undefined)[],
  ) {}

  at(register: Register): bigint | undefined {
    return this.values[register];
  }

  /** The result of a function or a system call that has returned. */
  get result(): bigint | undefined {
    return this.values[this.processor.result];
  }

  get stackPointer(): bigint | undefined {
    return this.values[this.processor.stackPointer];
  }

  /** Those that calls keep, always in the same order. */
  get kept(): readonly (bigint | undefined)[] {
    return this.processor.keptByCalls.map((register) => this.values[register]);
  }

  /** An argument of the system call that the frame is in, counted from 0. */
  systemCallArgument(index: number): bigint | undefined {
    const register = this.processor.systemCallArguments[index];
    return register === undefined ? undefined : this.values[register];
  }
}
