/** Names of handles as users see them, and the program's strings made safe for a terminal. */
import { visible } from '../visible-text';
import type { HandleKind, HandleRef } from './records';

/** The C type of each kind. */
export const typeNames: Readonly<Record<HandleKind, string>> = {
  comm: 'MPI_Comm',
  datatype: 'MPI_Datatype',
  errhandler: 'MPI_Errhandler',
  file: 'MPI_File',
  group: 'MPI_Group',
  info: 'MPI_Info',
  message: 'MPI_Message',
  op: 'MPI_Op',
  request: 'MPI_Request',
  session: 'MPI_Session',
  status: 'MPI_Status',
  win: 'MPI_Win',
};

/** `structure` describes an unnamed object: "contiguous(48 × MPI_DOUBLE)", "of ranks 2-3". */
export interface DescribedRef extends HandleRef {
  structure?: string;
  /** The structure says enough: ranks that have made the same are alike. */
  isStructureEnough?: true;
}

/** `MPI_Errhandler MPI_ERRORS_RETURN`, `MPI_Group 0x55d0c0`, `MPI_Comm 0x84000000 (internal, for MPI_COMM_WORLD)`. */
export function describeRef({ kind, handle, name, serves, structure, isStructureEnough }: DescribedRef): string {
  if (name === undefined && structure !== undefined && isStructureEnough === true) return structure;
  const words = structure === undefined ? '' : `${structure}, `;
  const own = name === undefined ? `${typeNames[kind]} ${words}${handle}` : nameOf(kind, name);
  return serves === undefined ? own : `${own} (internal, for ${describeRef(serves)})`;
}

export function nameOf(kind: HandleKind, name: string, isConstant = isConstantName(name)): string {
  return isConstant ? name : `${typeNames[kind]} ${quoted(name)}`;
}

export function refName({ name, handle }: HandleRef): string {
  if (name === undefined) return handle;
  return isConstantName(name) ? name : quoted(name);
}

/** A string from the program in quotes, with control characters escaped. */
export function quoted(text: string): string {
  return visible(JSON.stringify(text));
}

/** Whether it is a name defined by MPI, which needs no quotes. */
export function isConstantName(name: string): boolean {
  return /^MPIX?_[A-Z0-9_]+$/.test(name);
}
