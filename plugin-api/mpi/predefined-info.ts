/** Records of predefined handles when the library's memory cannot be read: all that follows from the handle's value. */
import type { InfoOf } from './plugin';
import type { Hex, Known, Unavailable } from './records';

/** Kinds that have predefined objects. */
type PredefinedKind = 'comm' | 'datatype' | 'errhandler' | 'group' | 'info' | 'message' | 'op';

/** The fields that every record of the kind has and that do not follow from the handle. */
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

/** The flags that a predefined object of the kind may have and that do not follow from the handle. */
const flags: Readonly<Partial<Record<PredefinedKind, readonly string[]>>> = {
  comm: ['cartesian', 'graph', 'distGraph', 'topoReordered', 'intercomm', 'dynamic'],
  datatype: ['committed', 'contiguous'],
  op: ['commutative'],
};

export function hasPredefined(kind: string): kind is PredefinedKind {
  return kind in items;
}

/**
 * A record whose unknown fields are all `nothing`. `name`: the constant's; Unavailable if a program can rename the
 * object.
 */
export function predefinedInfo<K extends PredefinedKind>(
  kind: K,
  object: { handle: Hex; fortranHandle: Known<number>; name: Known<string> },
  nothing: Unavailable,
): InfoOf[K] {
  const unknown = Object.fromEntries(items[kind].map((item) => [item, nothing]));
  const isNoProc = kind === 'message' ? ['messageNoProc'] : [];
  const { [kind]: unknownFlags } = flags;
  // Never 'freedHandle': a program cannot free a predefined object.
  const known = { ...object, flags: ['predefined', ...isNoProc], ...(unknownFlags && { unknownFlags }) };
  return { ...known, ...unknown } as unknown as InfoOf[K];
}
