/**
 * The fault behind a signal that the process sent to itself. MPI libraries and UCX handle SIGSEGV and the like to print a
 * stack, and raise the signal again at the same instruction: the notes then tell of the second one, without an address.
 * What the kernel told the handler is still on the stack, below the stack pointer, or on the handlers' own stack.
 */
import { processorOf } from '../../../plugin-api/processor/known/processors';
import { FaultError, isUnavailable } from '../../../plugin-api/result';
import type { CoreFile } from './core-file';
import { rangeAt, type CoreMemory } from './core-memory';
import type { CoreSignal } from './core-notes';

/** How far below the stack pointer the kernel's frame may lie: the red zone and the floating-point state are above it. */
const maxBelowStack = 1 << 16;
/** A stack of its own for handlers, which UCX has, is small; so are most pieces of memory that are not the heap. */
const maxPiece = 1 << 23;
/** The most that is searched, so that huge cores open quickly. */
const maxSearched = 1 << 26;

/** The signal as it came first; the notes' own one where no handler was in between, or nothing proves it. */
export function originalSignal(core: CoreFile, memory: CoreMemory): CoreSignal | undefined {
  const { signal, machine } = core;
  const [first] = core.threads;
  if (signal === undefined || signal.code > 0 || signal.sender !== core.process?.pid) return signal;
  const processor = processorOf(machine);
  if (isUnavailable(processor) || first === undefined) return signal;
  const { signalFrame } = processor;
  // All registers are again what the frame says only when the handler has returned to the instruction.
  const registers = signalFrame.registersFrom(first.registers);
  if (registers === undefined) return signal;
  for (const stack of stacks(core, memory, Number(registers.stackPointer))) {
    const at = stack.lastIndexOf(registers.bytes);
    if (at < 0 || at + signalFrame.length > stack.length) continue;
    const found = signalFrame.signalAt(stack, at);
    // For a non-canonical address the kernel sends SI_KERNEL (128), without the address.
    const hasAddress = found.code > 0 && found.code < 128;
    if (found.number === signal.number)
      return hasAddress ? { ...found, address: signalFrame.faultAddressAt(stack, at) } : found;
    // A handler that asked for no siginfo, as gfortran's does, gets none; which exception it was says it, too.
    const fault = signalFrame.faultAt(stack, at, (address, length) => readOrUndefined(memory, address, length));
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

function readOrUndefined(memory: CoreMemory, address: bigint, length: number): Uint8Array | undefined {
  try {
    return memory.read(address, length);
  } catch (error) {
    if (error instanceof FaultError) return undefined;
    throw error;
  }
}

function readOrNothing(memory: CoreMemory, address: number, length: number): Buffer {
  try {
    return Buffer.from(memory.readDumped(BigInt(address), length));
  } catch (error) {
    if (error instanceof FaultError) return Buffer.alloc(0);
    throw error;
  }
}
