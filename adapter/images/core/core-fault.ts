/**
 * The fault behind a signal that the process sent to itself. MPI libraries and UCX handle SIGSEGV and the like to print a
 * stack, and raise the signal again at the same instruction: the notes then tell of the second one, without an address.
 * What the kernel told the handler is still on the stack, below the stack pointer, or on the handlers' own stack.
 */
import { FaultError } from '../../../plugin-api/result';
import type { CoreFile } from './core-file';
import { rangeAt, type CoreMemory } from './core-memory';
import type { CoreSignal } from './core-notes';

const EM_X86_64 = 62;
/** How far below the stack pointer the kernel's frame may lie: the red zone and the floating-point state are above it. */
const maxBelowStack = 1 << 16;
/** A stack of its own for handlers, which UCX has, is small; so are most pieces of memory that are not the heap. */
const maxPiece = 1 << 23;
/** The most that is searched, so that huge cores open quickly. */
const maxSearched = 1 << 26;
/** Places of r8-r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip in elf_gregset_t, in the order of struct sigcontext. */
const order = [9, 8, 7, 6, 3, 2, 1, 0, 14, 13, 4, 5, 12, 10, 11, 19, 16];
const rspIndex = 19;
/** From the registers in struct rt_sigframe to its siginfo, and to the address that the processor reported. */
const toSignal = 264;
const toAddress = 176;
/** To what the processor reported with it: the error code, and which exception it was. */
const toError = 152;
const toTrap = 160;
/** To the address of what FXSAVE stored: control and status word of x87, and MXCSR. */
const toFloatingPoint = 184;
const statusOffset = 2;
const controlOffset = 0;
const mxcsrOffset = 24;
/** rip, after the 16 other registers. */
const toInstruction = 128;
const [SIGILL, SIGBUS, SIGFPE, SIGSEGV] = [4, 7, 8, 11];
/** Codes of siginfo.h. */
const SI_KERNEL = 128;
const SEGV_MAPERR = 1;
const SEGV_ACCERR = 2;
const ILL_ILLOPN = 2;
const BUS_ADRALN = 1;
const FPE_INTDIV = 1;
/** By the bits of floating-point exceptions, in the order in which the kernel asks: FPE_FLTINV and so on. */
const floatingPointCodes = [
  [0x01, 7],
  [0x04, 3],
  [0x08, 4],
  [0x12, 5],
  [0x20, 6],
] as const;

/** The signal as it came first; the notes' own one where no handler was in between, or nothing proves it. */
export function originalSignal(core: CoreFile, memory: CoreMemory): CoreSignal | undefined {
  const { signal, machine } = core;
  const [first] = core.threads;
  if (signal === undefined || signal.code > 0 || machine !== EM_X86_64 || first === undefined) return signal;
  if (first.registers.length < 27 * 8 || signal.sender !== core.process?.pid) return signal;
  const stackPointer = first.registers.readBigUInt64LE(rspIndex * 8);
  // All registers are again what the frame says only when the handler has returned to the instruction.
  const registers = Buffer.concat(order.map((register) => first.registers.subarray(register * 8, register * 8 + 8)));
  for (const stack of stacks(core, memory, Number(stackPointer))) {
    const at = stack.lastIndexOf(registers);
    if (at < 0 || at + toSignal + 32 > stack.length) continue;
    const found = {
      number: stack.readInt32LE(at + toSignal),
      code: stack.readInt32LE(at + toSignal + 8),
      address: stack.readBigUInt64LE(at + toSignal + 16),
      sender: stack.readInt32LE(at + toSignal + 16),
    };
    if (found.number === signal.number) return { ...found, ...faultAddress(found, stack, at) };
    const fault = processorFaultAt(stack, at, memory);
    if (fault !== undefined && fault.number === signal.number) return fault;
  }
  return signal;
}

/** Where the kernel's frame may lie: the thread's stack below the pointer, then what may be a stack for handlers. */
function* stacks(core: CoreFile, memory: CoreMemory, stackPointer: number): Generator<Buffer> {
  const own = rangeAt(core.segments, stackPointer - 1);
  if (own !== undefined) {
    const start = Math.max(own.start, stackPointer - maxBelowStack);
    yield readOrNothing(memory, start, Math.max(0, Math.min(stackPointer, own.start + own.dumped) - start));
  }
  let searched = 0;
  for (const segment of core.segments) {
    const { start, dumped } = segment;
    const isStackLike = dumped > 0 && dumped <= maxPiece && segment !== own && !segment.executable;
    if (!isStackLike || rangeAt(core.mappings, start) !== undefined) continue;
    searched += dumped;
    if (searched > maxSearched) return;
    yield readOrNothing(memory, start, dumped);
  }
}

/** For a handler that asked for no siginfo, as gfortran's does, the kernel writes none; which exception it was says it, too. */
function processorFaultAt(stack: Buffer, at: number, memory: CoreMemory): CoreSignal | undefined {
  const instruction = stack.readBigUInt64LE(at + toInstruction);
  switch (stack.readBigUInt64LE(at + toTrap)) {
    case 0n:
      // A thread that the processor never complained of has 0 there, too.
      if (!isDivision(memory, instruction)) return undefined;
      return { number: SIGFPE, code: FPE_INTDIV, address: instruction, sender: 0 };
    case 6n:
      return { number: SIGILL, code: ILL_ILLOPN, address: instruction, sender: 0 };
    case 13n:
      return { number: SIGSEGV, code: SI_KERNEL, address: 0n, sender: 0 };
    case 14n: {
      const wasMapped = (stack.readBigUInt64LE(at + toError) & 1n) !== 0n;
      const address = stack.readBigUInt64LE(at + toAddress);
      return { number: SIGSEGV, code: wasMapped ? SEGV_ACCERR : SEGV_MAPERR, address, sender: 0 };
    }
    case 16n:
      return floatingPointFault(stack, at, memory, (saved) => {
        return saved.readUInt16LE(statusOffset) & ~saved.readUInt16LE(controlOffset);
      });
    case 17n:
      return { number: SIGBUS, code: BUS_ADRALN, address: 0n, sender: 0 };
    case 19n:
      return floatingPointFault(stack, at, memory, (saved) => {
        const mxcsr = saved.readUInt32LE(mxcsrOffset);
        return mxcsr & ~(mxcsr >>> 7);
      });
    default:
      return undefined;
  }
}

/** div or idiv, behind the prefixes that they may have. */
function isDivision(memory: CoreMemory, instruction: bigint): boolean {
  try {
    const bytes = memory.read(instruction, 6);
    const opcode = bytes.findIndex((byte) => byte !== 0x66 && byte >> 4 !== 4);
    const extension = ((bytes[opcode + 1] ?? 0) >> 3) & 7;
    return (bytes[opcode] === 0xf6 || bytes[opcode] === 0xf7) && extension >= 6;
  } catch (error) {
    if (error instanceof FaultError) return false;
    throw error;
  }
}

/** `exceptions`: those that happened and were not masked. */
function floatingPointFault(
  stack: Buffer,
  at: number,
  memory: CoreMemory,
  exceptions: (saved: Buffer) => number,
): CoreSignal | undefined {
  const saved = readOrNothing(memory, Number(stack.readBigUInt64LE(at + toFloatingPoint)), mxcsrOffset + 4);
  if (saved.length === 0) return undefined;
  const bits = exceptions(saved);
  const code = floatingPointCodes.find(([mask]) => (bits & mask) !== 0)?.[1];
  const address = stack.readBigUInt64LE(at + toInstruction);
  return code === undefined ? undefined : { number: SIGFPE, code, address, sender: 0 };
}

/** For a non-canonical address the kernel sends SI_KERNEL (128), without the address. */
function faultAddress({ code }: CoreSignal, stack: Buffer, at: number): { address?: bigint } {
  return code > 0 && code < 128 ? { address: stack.readBigUInt64LE(at + toAddress) } : {};
}

function readOrNothing(memory: CoreMemory, address: number, length: number): Buffer {
  try {
    return Buffer.from(memory.readDumped(BigInt(address), length));
  } catch (error) {
    if (error instanceof FaultError) return Buffer.alloc(0);
    throw error;
  }
}
