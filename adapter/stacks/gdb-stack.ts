/** The frames of a thread that gdb holds, live or in a core file. */
import type { GdbThread } from '../gdb/mi/context';
import { stackListFrames } from '../gdb/mi/stack-manipulation';
import { frameRegisters, threadPointer } from '../gdb/frame-registers';
import { maxFrames, type Frame, type ReadStack } from './frame';

/** The existing frames from `first` to `last`, inclusive, the innermost first. Rejects with GdbError. */
export async function framesOf(thread: GdbThread, first: number, last: number): Promise<Frame[]> {
  const frames = await stackListFrames(thread, first, last);
  return frames.map((frame): Frame => ({ kind: 'native', ...frame }));
}

/** The innermost ones, from `first` on. Rejects with GdbError. */
export function innermostFrames(thread: GdbThread, first = 0): Promise<Frame[]> {
  return framesOf(thread, first, first + maxFrames - 1);
}

/** Rejects with GdbError, and so do its registers. */
export async function readStack(thread: GdbThread): Promise<ReadStack> {
  return {
    frames: await innermostFrames(thread),
    registers: (level) => frameRegisters(thread, level),
    threadPointer: () => threadPointer(thread),
  };
}
