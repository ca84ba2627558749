/** A frame of a thread's stack, whoever has found it: gdb, a look that holds the rank without gdb, or we ourselves. */
import type { Registers } from '../../plugin-api/processor/registers';
import type { GdbFrame } from '../gdb/mi/stack-manipulation';

/** How many frames of a stack are read at once: an endless recursion has more; nobody reads further. */
export const maxFrames = 200;

/** gdb's name for the frame that a handler of a signal returns to. */
export const signalFrame = '<signal handler called>';

/**
 * native: of the machine's stack. openmp: stands for frames of the OpenMP runtime, and has no place in a source. cut: stands for the
 * callers that were not read. Addresses are those in the process.
 */
export interface Frame extends GdbFrame {
  kind: 'native' | 'openmp' | 'cut';
}

/** In the place of the runtime's frame, without its place in a source. */
export function openmpFrame(runtime: Frame, name: string): Frame {
  return { ...runtime, kind: 'openmp', function: name, ...withoutPlace };
}

/** In the place of the callers beyond the `count` innermost frames, which were not read. */
export function cutFrame(count: number): Frame {
  const name = `… callers beyond the ${count} innermost frames`;
  return { kind: 'cut', level: count, address: undefined, function: name, ...withoutPlace, from: undefined };
}

const withoutPlace = { file: undefined, fullName: undefined, line: undefined };

/** The stack of a thread at this stop, whoever has read it. */
export interface ReadStack {
  /** The innermost first, at most maxFrames. */
  frames: readonly Frame[];
  /** The registers of a frame when it goes on. undefined: the processor is not decoded, or the stack has no such frame. */
  registers: (level: number) => Promise<Registers | undefined>;
  /** Where the variables of the thread are. undefined: it is not known. */
  threadPointer?: () => Promise<bigint | undefined>;
}
