/** What the plugin can tell of each kind with the layouts at hand, in mpidbg's words. */
import type { HandleKind, Implementation } from '../../mpi/records';
import { guard } from '../../result';
import type { StructReader, StructSpec } from '../../struct';
import {
  commSpec,
  datatypeSpec,
  errhandlerSpec,
  fileSpec,
  groupSpec,
  infoSpec,
  messageSpec,
  opSpec,
  requestSpec,
  sessionSpec,
  statusSpec,
  winSpec,
} from './specs';

/** The struct without which nothing of a kind can be told, and what can be told with it. */
const decoded: readonly [HandleKind, StructSpec, readonly string[]][] = [
  // What was freed and is still there is a handle marked so; an object that is gone cannot be told apart from garbage.
  ['comm', commSpec, ['BASIC', 'STRING_NAMES', 'REQUEST_LIST', 'WINDOW_LIST', 'FILE_LIST']],
  ['datatype', datatypeSpec, ['BASIC', 'STRING_NAMES', 'REQUEST_LIST']],
  ['errhandler', errhandlerSpec, ['BASIC', 'STRING_NAMES', 'HANDLE_LIST']],
  ['file', fileSpec, ['BASIC']],
  ['group', groupSpec, ['BASIC', 'HANDLE_LIST']],
  ['info', infoSpec, ['BASIC', 'FREED_HANDLE', 'HANDLE_LIST']],
  ['message', messageSpec, ['BASIC']],
  ['op', opSpec, ['BASIC']],
  ['request', requestSpec, ['BASIC']],
  ['session', sessionSpec, ['BASIC']],
  ['status', statusSpec, ['BASIC']],
  ['win', winSpec, ['BASIC', 'STRING_NAMES', 'FREED_HANDLE']],
];

export async function capabilities(reader: StructReader): Promise<Implementation['capabilities']> {
  const known: Implementation['capabilities'] = {};
  for (const [kind, spec, names] of decoded) if ((await guard(() => reader.sizeOf(spec))).ok) known[kind] = [...names];
  return known;
}
