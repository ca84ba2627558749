/** Where the objects of handles come from, as a collector that collects calls has seen it. */
import { counted } from '../counted';
import type { CodeRef } from './code-ref';

/** A call of the program. time: of its begin, in seconds since the collector began; thread: the kernel's number. */
export interface HandleCall {
  call: string;
  time: number;
  thread: number;
  code?: CodeRef;
}

/** What a handle stood for before. name: when it was freed. */
export interface EarlierObject {
  created?: HandleCall;
  freed: HandleCall;
  name?: string;
}

/** freed: of an object that is still there, because something else holds it. earlier: newest first, at most 8. */
export interface History {
  created?: HandleCall;
  freed?: HandleCall;
  earlier?: EarlierObject[];
}

/** "MPI_Comm_dup at solver.c:88" */
export function handleCallText({ call, code }: HandleCall): string {
  if (code?.file !== undefined && code.line !== undefined)
    return `${call} at ${code.file.slice(code.file.lastIndexOf('/') + 1)}:${code.line}`;
  if (code?.function !== undefined) return `${call} in ${code.function}`;
  return code === undefined ? call : `${call} at ${code.address}`;
}

/** "created by MPI_Comm_dup at solver.c:88, freed by MPI_Comm_free at solver.c:99, 2 objects before": what is known of it. */
export function historyText({ created, freed, earlier = [], name }: History & { name?: string }): string {
  return [
    ...(name === undefined ? [] : [`"${name}"`]),
    ...(created === undefined ? [] : [`created by ${handleCallText(created)}`]),
    ...(freed === undefined ? [] : [`freed by ${handleCallText(freed)}`]),
    ...(earlier.length === 0 ? [] : [`${counted(earlier.length, 'object')} before`]),
  ].join(', ');
}
