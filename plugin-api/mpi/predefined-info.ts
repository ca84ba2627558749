/** What the value of a predefined handle alone tells, when the library's memory cannot be read. */
import type { InfoOf } from './plugin';
import type { Hex, Known, Unavailable } from './records';

/** Kinds that have predefined objects. */
type PredefinedKind = 'comm' | 'datatype' | 'errhandler' | 'group' | 'info' | 'message' | 'op';

/** The items that every record of the kind has, beside those that a handle tells. */
const items: Readonly<Record<PredefinedKind, readonly string[]>> = {
  comm: [
    ...['rank', 'size', 'localProcs', 'contextId', 'group', 'errhandler', 'attributes'],
    ...['pendingRequests', 'derivedWindows', 'derivedFiles'],
  ],
  datatype: ['size', 'lb', 'extent', 'trueLb', 'trueExtent', 'combiner', 'typeMap', 'pendingRequests'],
  errhandler: ['referenceCount', 'attachedTo'],
  group: ['size', 'rank', 'procs', 'usedBy'],
  info: ['entries', 'usedBy'],
  message: ['comm', 'peer', 'tag', 'bytes'],
  op: ['pendingRequests'],
};

export function hasPredefined(kind: string): kind is PredefinedKind {
  return kind in items;
}

/** A record with every item `nothing`; `name` is the constant's, of a kind whose objects a program can rename Unavailable. */
export function predefinedInfo<K extends PredefinedKind>(
  kind: K,
  object: { handle: Hex; fortranHandle: Known<number>; name: Known<string> },
  nothing: Unavailable,
): InfoOf[K] {
  const unknown = Object.fromEntries(items[kind].map((item) => [item, nothing]));
  const isNoProc = kind === 'message' ? ['messageNoProc'] : [];
  // Nobody can free it.
  return { ...object, flags: ['predefined', ...isNoProc], ...unknown } as unknown as InfoOf[K];
}
