/** What the plugin can tell of each kind with the layouts at hand, in mpidbg's words. */
import type { HandleKind, Implementation } from '../../mpi/records';
import { guard } from '../../result';
import type { StructSpec } from '../../struct';
import { tellsFreedComms } from './comm';
import type { Decoder } from './handles';
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

/** The struct that a kind cannot be decoded without, and what it gives. */
const decoded: readonly [HandleKind, StructSpec, readonly string[]][] = [
  // An object that was freed but still exists is marked so; one that is gone cannot be told apart from garbage.
  ['comm', commSpec, ['BASIC', 'STRING_NAMES', 'REQUEST_LIST', 'WINDOW_LIST', 'FILE_LIST']],
  ['datatype', datatypeSpec, ['BASIC', 'STRING_NAMES', 'REQUEST_LIST']],
  ['errhandler', errhandlerSpec, ['BASIC', 'STRING_NAMES', 'HANDLE_LIST']],
  ['file', fileSpec, ['BASIC', 'FREED_HANDLE']],
  ['group', groupSpec, ['BASIC', 'STRING_NAMES', 'HANDLE_LIST']],
  ['info', infoSpec, ['BASIC', 'STRING_NAMES', 'FREED_HANDLE', 'HANDLE_LIST']],
  ['message', messageSpec, ['BASIC']],
  ['op', opSpec, ['BASIC', 'STRING_NAMES']],
  ['request', requestSpec, ['BASIC', 'FREED_HANDLE']],
  ['session', sessionSpec, ['BASIC']],
  ['status', statusSpec, ['BASIC']],
  ['win', winSpec, ['BASIC', 'STRING_NAMES', 'FREED_HANDLE']],
];

export async function capabilities(decoder: Decoder): Promise<Implementation['capabilities']> {
  const known: Implementation['capabilities'] = {};
  for (const [kind, spec, names] of decoded)
    if ((await guard(() => decoder.reader.sizeOf(spec))).ok) known[kind] = [...names];
  if (await tellsFreedComms(decoder)) known['comm']?.push('FREED_HANDLE');
  return known;
}
