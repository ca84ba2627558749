/** The function of the C binding that a call of MPI went through, and the frame where its arguments are looked for. */
import { callOfBinding, isCBinding, isMpiCall, nameOfCall } from '../across-ranks/mpi-calls';
import { calledFunction } from './called-function';
import type { Activity } from './call-on-stack';
import type { StoppedStack } from './passed-arguments';

/** `start`: of the function; `level`: of its frame, or of that of the function that has taken its place. -1: all of these have returned. */
export interface EnteredCall {
  call: string;
  function: { start: bigint; level: number } | undefined;
}

type Activities<Kind> = Extract<Activity, { kind: Kind }>;

/** `failed`: as callBefore knows. */
export async function withFunction(
  { call, frames }: Activities<'call'>,
  { image, frames: stack }: StoppedStack,
  failed?: string,
): Promise<EnteredCall> {
  // In Fortran the wrapper is further out.
  const frame = frames.findLast(({ function: name }) => isCBinding(name));
  if (frame?.address !== undefined) {
    const symbol = await image.symbolAt(frame.address);
    const isKnown = symbol !== undefined && isCBinding(symbol.name);
    return { call, function: isKnown ? { start: symbol.address, level: frame.level } : undefined };
  }
  // The wrapper has called it, and it jumped to another one.
  const wrapper = frames.at(0);
  const inner = wrapper && stack[wrapper.level - 1];
  const called = wrapper?.address === undefined ? undefined : await calledFunction(image, wrapper.address);
  if (called === undefined || !isCBinding(called.name) || nameOfCall(called.name) !== call)
    return { call, function: undefined };
  if (inner === undefined && failed === call) return { call, function: { start: called.address, level: -1 } };
  return { call, function: inner && { start: called.address, level: inner.level } };
}

/** The call that has just `failed` and left its caller's frame the innermost, by what that has called; undefined: it has called another. */
export async function callBefore(
  { frames: [innermost], image }: StoppedStack,
  failed: string,
): Promise<EnteredCall | undefined> {
  const called = innermost?.address === undefined ? undefined : await calledFunction(image, innermost.address);
  if (called === undefined || !isMpiCall(called.name) || nameOfCall(called.name) !== failed) return undefined;
  return { call: failed, function: isCBinding(called.name) ? { start: called.address, level: -1 } : undefined };
}

/** A call whose function jumped to another one, by what the program has called. */
export async function hiddenCall(
  { level, caller }: Activities<'library'>,
  { image }: StoppedStack,
): Promise<EnteredCall | undefined> {
  const called = caller.address === undefined ? undefined : await calledFunction(image, caller.address);
  const call = called && callOfBinding(called.name);
  if (called === undefined || call === undefined) return undefined;
  const isC = isCBinding(called.name) && nameOfCall(called.name) === call;
  return { call, function: isC ? { start: called.address, level } : undefined };
}
