/** Events of MPI_T in words. */
import { nameOf, typeNames } from '../../plugin-api/mpi/describe-ref';
import type { HandleRef } from '../../plugin-api/mpi/records';
import type { MpiTEvent } from '../../plugin-api/overlays/records';

/** What an event says beside its type: `4 MPI_Comm "ocean"`, `3 events were dropped`. */
export function eventData({ elements, payload, dropped, registeredOn, refersTo }: MpiTEvent): string {
  if (dropped !== undefined) return `${dropped} ${dropped === 1 ? 'event was' : 'events were'} dropped`;
  const values = elements.map(({ name, value }) => (name === undefined ? String(value) : `${name} ${value}`));
  const object = refersTo ?? registeredOn;
  const on = object === undefined ? [] : [`${refersTo === undefined ? 'on ' : ''}${objectWords(object)}`];
  return [values.join(' '), ...on, payload === 'denied' ? 'its data is not read' : '']
    .filter((part) => part !== '')
    .join(', ');
}

function objectWords({ kind, name, handle }: HandleRef): string {
  return name === undefined ? `${typeNames[kind]} ${handle}` : nameOf(kind, name);
}
