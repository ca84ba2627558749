/** Events of libraries whose documentation says that an element is the handle of an object. */
import type { HandleKind, HandleRef } from '../mpi/records';
import type { MpiTEvent } from './records';

/** Open MPI 6 (communicator_created, since 2026-07): the element that names an object, and of which kind it is. */
const handles: Readonly<Record<string, { element: number; kind: HandleKind }>> = {
  'ompi.mpi.communicator_created': { element: 1, kind: 'comm' },
  'ompi.mpi.communicator_freed': { element: 0, kind: 'comm' },
  'ompi.mpi.communicator_name_set': { element: 0, kind: 'comm' },
  'ompi.mpi.errhandler_invoked': { element: 2, kind: 'errhandler' },
  'ompi.mpi.win_created': { element: 3, kind: 'win' },
  'ompi.mpi.win_freed': { element: 1, kind: 'win' },
};

/** Undefined: none is known. Programs built for the standard ABI get 0 for every object. */
export function referredObject(type: string, elements: MpiTEvent['elements']): HandleRef | undefined {
  const known = Object.hasOwn(handles, type) ? handles[type] : undefined;
  const value = known === undefined ? undefined : elements[known.element]?.value;
  if (known === undefined || value === undefined || !/^[1-9]\d*$/.test(String(value))) return undefined;
  return { kind: known.kind, handle: `0x${BigInt(value).toString(16)}` };
}
