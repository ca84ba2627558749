/** What the kernel writes onto a stack before it runs the handler of a signal. */

/** A signal as siginfo has it; the fields that do not belong to the signal mean nothing. */
export interface FrameSignal {
  number: number;
  /** si_code: above 0 the kernel's own reason. */
  code: number;
  address: bigint;
  sender: number;
}

export interface SignalFrame {
  /** The bytes from the frame's registers up to the end of what signalAt() reads. */
  readonly length: number;
  /** The registers of elf_gregset_t as a frame has them. undefined: these are too few. */
  registersFrom(userRegisters: Uint8Array): { bytes: Uint8Array; stackPointer: bigint } | undefined;
  /** The siginfo of the frame whose registers begin at `at`; it has only zeros where the handler asked for none. */
  signalAt(stack: Uint8Array, at: number): FrameSignal;
  /** The address that the processor reported with its exception. */
  faultAddressAt(stack: Uint8Array, at: number): bigint;
  /**
   * The signal that the processor's exception stands for. `read`: the memory of the process; undefined where it cannot be
   * read. undefined: the exception makes no signal, or another one than can be told.
   */
  faultAt(stack: Uint8Array, at: number, read: MemoryOf): FrameSignal | undefined;
}

export type MemoryOf = (address: bigint, length: number) => Uint8Array | undefined;
