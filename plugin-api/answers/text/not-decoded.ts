/** What cannot be decoded in a process, in words, derived from its plugin's capabilities. */
import { handleKinds } from '../../mpi/describe';
import type { HandleKind, Implementation } from '../../mpi/records';

/** Facts beyond the handles themselves, each with the capability that provides it; * stands for the kinds. */
const parts: readonly (readonly [capability: string, what: string, kinds: readonly HandleKind[]])[] = [
  ['REQUEST_LIST', 'pending requests of *', ['comm', 'datatype']],
  ['WINDOW_LIST', 'windows of *', ['comm']],
  ['FILE_LIST', 'files of *', ['comm']],
  ['HANDLE_LIST', 'users of *', ['errhandler', 'group', 'info']],
  ['FREED_HANDLE', 'whether a * was freed', ['comm', 'file', 'info', 'request', 'win']],
];

/** "session; windows of comm; whether a comm/file was freed"; '': everything is decoded. */
export function notDecoded({
  capabilities,
  absentKinds = [],
}: Pick<Implementation, 'capabilities' | 'absentKinds'>): string {
  const isUnknown = (kind: HandleKind): boolean => capabilities[kind] === undefined;
  if (handleKinds.every(isUnknown)) return 'no handle can be decoded';
  const absent = handleKinds.filter((kind) => isUnknown(kind) && !absentKinds.includes(kind));
  const lacking = parts.flatMap(([capability, what, kinds]) => {
    const lack = kinds.filter((kind) => capabilities[kind]?.includes(capability) === false);
    return lack.length === 0 ? [] : [what.replace('*', lack.join('/'))];
  });
  return [...(absent.length === 0 ? [] : [absent.join('/')]), ...lacking].join('; ');
}
