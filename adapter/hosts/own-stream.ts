/**
 * What goes to a standard stream, without a change of what others have of it: Node sets a pipe or a socket that it writes to to O_NONBLOCK, and so it
 * is for the job that shares it, whose programs then lose what does not fit at once.
 */
import { constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { accessMode, flagsOf, nonBlocking } from './descriptor-flags';

const made = new Map<1 | 2, NodeJS.WritableStream>();

/** `ofNode`: makes Node's own stream. */
export function ownStream(descriptor: 1 | 2, ofNode: () => NodeJS.WritableStream): NodeJS.WritableStream {
  const stream = made.get(descriptor) ?? openedAgain(descriptor) ?? keptAsItWas(descriptor, ofNode);
  made.set(descriptor, stream);
  return stream;
}

/** A pipe, as an open file of our own. */
function openedAgain(descriptor: 1 | 2): NodeJS.WritableStream | undefined {
  try {
    if (!fstatSync(descriptor).isFIFO() || (flagsOf(descriptor) & accessMode) === constants.O_RDONLY) return undefined;
    const fd = openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
    return new Socket({ fd, readable: false, writable: true }).unref();
  } catch {
    return undefined; // Opening it is not permitted, or its reader is gone.
  }
}

/** A socket cannot be opened again: it stays as it was, and writing waits for its reader. */
function keptAsItWas(descriptor: 1 | 2, ofNode: () => NodeJS.WritableStream): NodeJS.WritableStream {
  const waits = fstatSync(descriptor).isSocket() && isBlocking(descriptor);
  const stream = ofNode();
  const { _handle: handle } = stream as { _handle?: { setBlocking?(waits: boolean): void } };
  if (waits) handle?.setBlocking?.(true);
  return stream;
}

/** As nearly all are, also where no file may be opened that tells it. */
function isBlocking(descriptor: number): boolean {
  try {
    return (flagsOf(descriptor) & nonBlocking) === 0;
  } catch {
    return true;
  }
}
