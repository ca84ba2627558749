/** What a processor is: its registers, conventions and instructions. Each has a folder here, and is known by known/processors.ts. */
import type { CodeReferences } from './code-references';
import type { Instruction } from './instruction';
import type { SignalFrame } from './signal-frame';

/** aarch64 has its name and no more yet: its code is not decoded. */
export type ProcessorName = 'x86-64' | 'aarch64';

/** The number of a general-purpose register, from 0, in the processor's own order, which only this folder knows. */
export type Register = number;

/** One processor, without state. */
export interface Processor {
  readonly name: ProcessorName;
  /** e_machine of its ELF files. */
  readonly elfMachine: number;
  readonly registerCount: number;
  readonly stackPointer: Register;
  /** The one that a function's and a system call's result comes back in. */
  readonly result: Register;
  /** Those that pass the first arguments of a C function, in their order; the others are on the stack, 8 bytes each. */
  readonly argumentRegisters: readonly Register[];
  /** Those that a called function gives back as it got them. */
  readonly keptByCalls: readonly Register[];
  /** Those that a called function may change. */
  readonly lostByCalls: readonly Register[];
  /** Those that pass the arguments of a system call, in their order. */
  readonly systemCallArguments: readonly Register[];
  /** The bytes of the instruction that makes a system call. */
  readonly systemCallInstruction: Uint8Array;
  /** The names of system calls by their numbers: only those in which a thread may wait. */
  readonly systemCalls: ReadonlyMap<number, string>;
  /** By Register, DWARF's number of it. */
  readonly dwarfNumbers: readonly number[];
  /** DWARF's number of the program counter. */
  readonly dwarfProgramCounter: number;
  /** What gdb calls the registers, by Register, and the one that leads to the thread's own variables. */
  readonly namesInGdb: { readonly registers: readonly string[]; readonly threadPointer: string };
  /** What gdb's Python calls the architecture. */
  readonly architectureInGdb: string;
  /** In bytes. */
  readonly maxInstructionLength: number;
  /** Where calls with arguments of signals have what the kernel writes before a handler runs. */
  readonly signalFrame: SignalFrame;
  readonly references: CodeReferences;
  /** The instruction at the beginning of the bytes. Throws UnknownInstructionError. */
  decode(bytes: Uint8Array): Instruction;
  /**
   * The registers in the kernel's user_regs_struct, which is also a core file's elf_gregset_t; threadPointer: where the variables of the
   * thread are. undefined: it is too short, or the process runs in another mode of the processor, as one of 32 bits does.
   */
  registersOf(
    userRegisters: Uint8Array,
  ): { programCounter: bigint; general: readonly bigint[]; threadPointer: bigint } | undefined;
}
