/** What machine code refers to, for what has no symbol. */
import type { Module } from '../image';

/** A piece of a module's code, and where it begins in the process. */
export interface Code {
  address: bigint;
  bytes: DataView;
}

/**
 * The bytes are not disassembled: a match may be part of another instruction, so the caller must be able to verify it. Addresses
 * are those in the process.
 */
export interface CodeReferences {
  /** The targets of the code's calls, inside the module. */
  callsIn(code: Code, module: Module): bigint[];
  /** The addresses of constants of the module that the code takes. */
  constantsIn(code: Code, module: Module): bigint[];
  /** The addresses of the module's 32-bit variables that the code loads and then compares with a constant. */
  variablesComparedWith(code: Code, module: Module, constant: number): bigint[];
  /** The addresses of the module's 32-bit variables whose address the code takes, to compare them with a constant. */
  pointedComparedWith(code: Code, module: Module, constant: number): bigint[];
  /** The offsets of a struct's members of this size, in bytes, that the code copies from or to. */
  offsetsCopied(code: Code, length: number): Set<number>;
  /**
   * The numbers that a function stores where its first `count` arguments point to, in their order. undefined: it does more, or
   * less.
   */
  numbersStored(code: Uint8Array, count: number): readonly number[] | undefined;
}
