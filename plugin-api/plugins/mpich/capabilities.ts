/** What the plugin can tell about each kind with the current layout, in mpidbg's terms. */
import type { HandleKind, Implementation } from '../../mpi/records';
import { guard } from '../../result';
import type { StructReader, StructSpec } from '../../struct';
import {
  commSpec,
  datatypeSpec,
  deviceRequestSpec,
  errhandlerSpec,
  fileSpec,
  groupSpec,
  infoSpec,
  opSpec,
  requestSpec,
  sessionSpec,
  winSpec,
} from './specs';

/** The struct that a kind cannot be decoded without, and what it gives. */
const decoded: readonly [HandleKind, StructSpec, readonly string[]][] = [
  ['comm', commSpec, ['BASIC', 'STRING_NAMES', 'REQUEST_LIST']],
  // The datatypes of most pending transfers are not kept: a list of the known ones would be incomplete.
  ['datatype', datatypeSpec, ['BASIC', 'STRING_NAMES']],
  ['errhandler', errhandlerSpec, ['BASIC', 'STRING_NAMES', 'HANDLE_LIST']],
  ['file', fileSpec, ['BASIC']],
  ['group', groupSpec, ['BASIC', 'STRING_NAMES', 'HANDLE_LIST']],
  ['info', infoSpec, ['BASIC', 'STRING_NAMES']],
  ['message', deviceRequestSpec, ['BASIC']],
  ['op', opSpec, ['BASIC', 'STRING_NAMES']],
  ['request', requestSpec, ['BASIC', 'FREED_HANDLE']],
  ['session', sessionSpec, ['BASIC']],
  ['win', winSpec, ['BASIC', 'STRING_NAMES']],
];

/** `reader`: undefined without a layout. */
export async function capabilities(reader: StructReader | undefined): Promise<Implementation['capabilities']> {
  // A status is the program's own memory, in the layout of mpi.h.
  const known: Implementation['capabilities'] = { status: ['BASIC'] };
  if (reader === undefined) return known;
  for (const [kind, spec, names] of decoded) if ((await guard(() => reader.sizeOf(spec))).ok) known[kind] = [...names];
  return known;
}
