/** struct rt_sigframe of x86-64, from its registers on. */
import type { FrameSignal, MemoryOf, SignalFrame } from '../signal-frame';
import { userRegistersLength } from './user-registers';

/** Places of r8-r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip in elf_gregset_t, in the order of struct sigcontext. */
const order = [9, 8, 7, 6, 3, 2, 1, 0, 14, 13, 4, 5, 12, 10, 11, 19, 16];
const rspIndex = 19;
/** rip, after the 16 other registers. */
const toInstruction = 128;
/** To what the processor reported: the error code, which exception it was, and the address. */
const toError = 152;
const toTrap = 160;
const toAddress = 176;
/** To the address of what FXSAVE stored: control and status word of x87, and MXCSR. */
const toFloatingPoint = 184;
const statusOffset = 2;
const controlOffset = 0;
const mxcsrOffset = 24;
const toSignal = 264;
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

export const signalFrame: SignalFrame = {
  length: toSignal + 32,
  registersFrom(userRegisters) {
    if (userRegisters.length < userRegistersLength) return undefined;
    const bytes = new Uint8Array(order.length * 8);
    order.forEach((place, index) => bytes.set(userRegisters.subarray(place * 8, place * 8 + 8), index * 8));
    return { bytes, stackPointer: viewOf(userRegisters).getBigUint64(rspIndex * 8, true) };
  },
  signalAt(stack, at) {
    const view = viewOf(stack);
    return {
      number: view.getInt32(at + toSignal, true),
      code: view.getInt32(at + toSignal + 8, true),
      address: view.getBigUint64(at + toSignal + 16, true),
      sender: view.getInt32(at + toSignal + 16, true),
    };
  },
  faultAddressAt: (stack, at) => viewOf(stack).getBigUint64(at + toAddress, true),
  faultAt,
};

function faultAt(stack: Uint8Array, at: number, read: MemoryOf): FrameSignal | undefined {
  const view = viewOf(stack);
  const instruction = view.getBigUint64(at + toInstruction, true);
  switch (view.getBigUint64(at + toTrap, true)) {
    case 0n:
      // A thread that the processor never complained of has 0 there, too.
      if (!isDivision(read(instruction, 6))) return undefined;
      return { number: SIGFPE, code: FPE_INTDIV, address: instruction, sender: 0 };
    case 6n:
      return { number: SIGILL, code: ILL_ILLOPN, address: instruction, sender: 0 };
    case 13n:
      return { number: SIGSEGV, code: SI_KERNEL, address: 0n, sender: 0 };
    case 14n: {
      const wasMapped = (view.getBigUint64(at + toError, true) & 1n) !== 0n;
      const address = view.getBigUint64(at + toAddress, true);
      return { number: SIGSEGV, code: wasMapped ? SEGV_ACCERR : SEGV_MAPERR, address, sender: 0 };
    }
    case 16n:
      return floatingPointFault(view, at, read, (saved) => {
        return saved.getUint16(statusOffset, true) & ~saved.getUint16(controlOffset, true);
      });
    case 17n:
      return { number: SIGBUS, code: BUS_ADRALN, address: 0n, sender: 0 };
    case 19n:
      return floatingPointFault(view, at, read, (saved) => {
        const mxcsr = saved.getUint32(mxcsrOffset, true);
        return mxcsr & ~(mxcsr >>> 7);
      });
    default:
      return undefined;
  }
}

/** div or idiv, behind the prefixes that they may have. */
function isDivision(bytes: Uint8Array | undefined): boolean {
  if (bytes === undefined) return false;
  const opcode = bytes.findIndex((byte) => byte !== 0x66 && byte >> 4 !== 4);
  const extension = ((bytes[opcode + 1] ?? 0) >> 3) & 7;
  return (bytes[opcode] === 0xf6 || bytes[opcode] === 0xf7) && extension >= 6;
}

/** `exceptions`: those that happened and were not masked. */
function floatingPointFault(
  view: DataView,
  at: number,
  read: MemoryOf,
  exceptions: (saved: DataView) => number,
): FrameSignal | undefined {
  const saved = read(view.getBigUint64(at + toFloatingPoint, true), mxcsrOffset + 4);
  if (saved === undefined) return undefined;
  const bits = exceptions(viewOf(saved));
  const code = floatingPointCodes.find(([mask]) => (bits & mask) !== 0)?.[1];
  const address = view.getBigUint64(at + toInstruction, true);
  return code === undefined ? undefined : { number: SIGFPE, code, address, sender: 0 };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
