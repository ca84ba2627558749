/** The record of one handle held against what MPI and the program told of it: which fields, which flags, in which order. */
import type { DatatypeInfo, HandleKind } from '../../plugin-api/mpi/records';
import { compareTypeMap, type ByteRun, type NamedTypes } from './compare-type-map';
import { compareValue, type Comparison, type Fields, isObject, show } from './comparison';
import { isExcused, type Library } from './excused';
import type { Told } from './truth';

/** What a comparison needs beside the two records. */
export interface Circumstances {
  library: Library | undefined; // undefined: nothing is excused
  types: NamedTypes;
}

/** Fields that MPI has no call for: they must be there, known or with a reason why not, and are not compared. */
const untold: Partial<Record<HandleKind, string[]>> = {
  comm: ['contextId', 'pendingRequests', 'derivedWindows', 'derivedFiles'],
  datatype: ['typeMap', 'pendingRequests'],
  errhandler: ['referenceCount', 'attachedTo'],
  file: ['info', 'pendingRequests'],
  group: ['usedBy'],
  info: ['usedBy'],
  message: ['fortranHandle'],
  op: ['pendingRequests'],
  request: ['fortranHandle'],
  win: ['info'],
};

/** Fields that may be there though they are not told. Which variable a buffer is, MPI does not know: test/cli/buffers.test.ts. */
const optional: Partial<Record<HandleKind, string[]>> = {
  request: ['started', 'bytesDone', 'status', 'bufferPlace'],
  win: ['basePlace'],
  status: ['address', 'errorName'],
  datatype: ['trueLb', 'trueExtent'],
};

/** A message from MPI_PROC_NULL has none of them that MPI tells; a library may hold something there. */
const messageFields = ['comm', 'peer', 'tag', 'bytes'];

/** What is told for other comparisons than that of the field of this name. */
const toldForOthers = ['bytes', 'text'];

/** Flags that MPI has no call for; a library may not know them either, and then says so in unknownFlags. */
const untoldFlags = ['topoReordered', 'dynamic', 'freedHandle', 'freedObject', 'internal', 'contiguous'];

/** Arrays whose order has no meaning, and what to order them by. */
const unordered: Record<string, (element: unknown) => number | string> = {
  attributes: (attribute) => (attribute as { keyval: number }).keyval,
  attachedTo: (ref) => (ref as { handle: string }).handle,
  amode: (flag) => flag as string,
};

export function compareInfo(
  where: string,
  told: Told,
  actual: Fields,
  circumstances: Circumstances,
  result: Comparison,
): void {
  const { kind, info, untold: untoldHere = [] } = told;
  const { flags, ...fields } = info;
  if (flags !== undefined) compareFlags(where, kind, info, actual, result);
  for (const [name, value] of Object.entries(fields)) {
    if (kind === 'datatype' && toldForOthers.includes(name)) continue;
    compareField(where, kind, name, value, info, actual[name], circumstances, result);
  }
  if (kind === 'datatype' && Array.isArray(info['bytes'])) {
    const { typeMap } = actual as object as DatatypeInfo;
    compareTypeMap(where, info, typeMap, circumstances.types, result);
  }
  if (kind === 'request' && info['complete'] === false && actual['status'] !== undefined)
    result.differences.push(`${where} it has a status, but is not complete`);

  const optionalHere = [...(optional[kind] ?? []), ...(isNoProc(flags as string[] | undefined) ? messageFields : [])];
  const others = isNull(flags as string[] | undefined) ? [] : (untold[kind] ?? []);
  for (const name of others) {
    if (actual[name] === undefined) result.differences.push(`${where} ${name} is left out`);
  }
  const known = [...Object.keys(info), ...others, ...optionalHere, ...untoldHere, 'unknownFlags'];
  for (const name of Object.keys(actual)) {
    if (known.includes(name) || isExcused(circumstances.library, kind, name, info, actual[name])) continue;
    result.differences.push(`${where} ${name} is ${show(actual[name])}, MPI has none`);
  }
}

function compareField(
  where: string,
  kind: HandleKind,
  name: string,
  expected: unknown,
  told: Fields,
  actual: unknown,
  circumstances: Circumstances,
  result: Comparison,
): void {
  const key = unordered[name];
  if (isExcused(circumstances.library, kind, name, told, actual)) {
    result.facts++;
  } else if (kind === 'datatype' && name === 'contents' && isObject(actual) && actual['code'] === undefined) {
    compareContents(`${where} contents`, expected as Contents, actual as object as Contents, circumstances, result);
  } else if (kind === 'request' && name === 'status' && isObject(actual) && actual['code'] === undefined) {
    compareInfo(`${where} status`, { kind: 'status', info: expected as Fields }, actual, circumstances, result);
  } else if (kind === 'file' && name === 'view' && isObject(actual) && actual['code'] === undefined) {
    compareValue(`${where} view`, expected, untoldLeftOut(expected as Fields, actual), result);
  } else if (key !== undefined && Array.isArray(actual)) {
    const sorted = (array: unknown[]): unknown[] => [...array].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    compareValue(`${where} ${name}`, sorted(expected as unknown[]), sorted(actual), result);
  } else {
    compareValue(`${where} ${name}`, expected, actual, result);
  }
}

interface Contents {
  integers: number[];
  addresses: unknown[];
  datatypes: Fields[];
}

/** MPI tells neither the handle nor the type map of a derived type among them: it may hand out a duplicate. */
function compareContents(
  where: string,
  expected: Contents,
  actual: Contents,
  circumstances: Circumstances,
  result: Comparison,
): void {
  const { datatypes, ...numbers } = expected;
  const { datatypes: found, ...foundNumbers } = actual;
  compareValue(where, numbers, foundNumbers, result);
  compareValue(`${where}.datatypes, how many,`, datatypes.length, found.length, result);
  datatypes.forEach((info, i) => {
    const { typeMap, pendingRequests, handle, fortranHandle, ...rest } = found[i] ?? {};
    const named = info['handle'] === undefined ? {} : { handle, fortranHandle };
    const complete = { ...named, ...rest, typeMap, pendingRequests };
    compareInfo(`${where}.datatypes[${i}]`, { kind: 'datatype', info }, complete, circumstances, result);
  });
}

/**
 * MPI tells of a derived type of a view neither handle nor name: it may hand out a duplicate. Of a file that is
 * MPI_MODE_SEQUENTIAL it tells no position.
 */
function untoldLeftOut(expected: Fields, { position, ...view }: Fields): Fields {
  const isTold = (type: unknown): boolean => isObject(type) && type['handle'] !== undefined;
  const { etype, filetype, ...others } = view;
  const numbers = expected['position'] === undefined ? others : { ...others, position };
  return {
    ...numbers,
    etype: isTold(expected['etype']) || !isTold(etype) ? etype : { kind: (etype as Fields)['kind'] },
    filetype: isTold(expected['filetype']) || !isTold(filetype) ? filetype : { kind: (filetype as Fields)['kind'] },
  };
}

function compareFlags(where: string, kind: HandleKind, told: Fields, actual: Fields, result: Comparison): void {
  let flags = (actual['flags'] as string[] | undefined) ?? [];
  let expected = told['flags'] as string[];
  const unknown = (actual['unknownFlags'] as string[] | undefined) ?? [];
  for (const flag of unknown) {
    if (!untoldFlags.includes(flag)) result.differences.push(`${where} flag ${flag} is unknown, though MPI tells it`);
    if (flags.includes(flag)) result.differences.push(`${where} flag ${flag} is both set and unknown`);
  }
  expected = expected.filter((flag) => !unknown.includes(flag));
  if (kind === 'datatype')
    flags = withoutContiguous(where, told['bytes'] as ByteRun[] | null | undefined, flags, result);
  if (kind === 'request' && told['operation'] === 'empty') flags = flags.filter((flag) => flag !== 'predefined');
  compareValue(`${where} flags`, [...expected].sort().join(' '), [...flags].sort().join(' '), result);
}

/**
 * MPI does not tell which types are contiguous; but one that is has its bytes in one piece. `bytes`: null where they are
 * too many; undefined for a type inside another one, of which nobody knows whether it was committed.
 */
function withoutContiguous(
  where: string,
  bytes: ByteRun[] | null | undefined,
  flags: string[],
  result: Comparison,
): string[] {
  if (Array.isArray(bytes) && flags.includes('contiguous')) {
    result.facts++;
    if (bytes.length > 1) result.differences.push(`${where} flag contiguous is set, MPI packs ${bytes.length} pieces`);
  }
  return flags.filter((flag) => flag !== 'contiguous' && (bytes !== undefined || flag !== 'committed'));
}

function isNull(flags: string[] | undefined): boolean {
  return flags?.some((flag) => flag.endsWith('Null') || flag === 'messageNoProc') ?? false;
}

function isNoProc(flags: string[] | undefined): boolean {
  return flags?.includes('messageNoProc') ?? false;
}
