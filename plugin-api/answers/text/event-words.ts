/** Events of MPI_T in words. */
import { nameOf, typeNames } from '../../mpi/describe-ref';
import type { HandleRef } from '../../mpi/records';
import type { MpiTEvent } from '../../overlays/records';

/** What an event says beside its type: `4 MPI_Comm "ocean"`, `3 events were dropped`. */
export function eventData(event: MpiTEvent): string {
  const { elements, payload, dropped, refersTo } = event;
  if (dropped !== undefined) return `${dropped} ${dropped === 1 ? 'event was' : 'events were'} dropped`;
  // The number of a handle says less than the handle.
  const values = elements
    .filter(({ value }) => refersTo === undefined || String(value) !== String(BigInt(refersTo.handle)))
    .map(({ name, value }) => (name === undefined ? String(value) : `${name} ${value}`));
  const object = objectOfEvent(event);
  const on = object === undefined ? [] : [`${refersTo === undefined ? 'on ' : ''}${objectWords(object)}`];
  return [values.join(' '), ...on, payload === 'denied' ? 'its data is not read' : '']
    .filter((part) => part !== '')
    .join(', ');
}

/** What it names, else what it is registered on. */
export function objectOfEvent({ refersTo, registeredOn }: MpiTEvent): HandleRef | undefined {
  return refersTo ?? registeredOn;
}

function objectWords({ kind, name, handle }: HandleRef): string {
  return name === undefined ? `${typeNames[kind]} ${handle}` : nameOf(kind, name);
}
