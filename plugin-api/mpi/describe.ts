/** Records as users see them: one line in a list or beside a variable, and a tree of fields below it. */
import { isUnavailable } from '../result';
import { visible } from '../visible-text';
import { handleCallText, historyText, type HandleCall, type History } from './history';
import type { InfoOf } from './plugin';
import { describeBufferPlace } from './buffer-place';
import { describeColumns, describeDetails, describeInList } from './describe-details';
import { describeRef, isConstantName, nameOf, quoted, typeNames } from './describe-ref';
import type { Answer, BufferPlace, DatatypeInfo, HandleKind, HandleRef, Info, Unavailable } from './records';

export { describeRef, typeNames };

export const handleKinds = Object.keys(typeNames) as HandleKind[];

/** One line: `MPI_Comm "ocean" · rank 3 of 12 · cart 3×4`, `MPI_COMM_WORLD · rank 0 of 4`, or why it is unavailable. */
export function describeAnswer(answer: Answer): string {
  if (answer.code !== 'MPIDBG_SUCCESS')
    return answer.kind === undefined ? answer.reason : `${typeNames[answer.kind]} · ${answer.reason}`;
  const { kind, info } = answer;
  const title = kind === 'status' ? typeNames.status : describeName(kind, info as Info<string>);
  return [title, ...describeDetails(kind, info)].join(' · ');
}

/**
 * The parts of describeAnswer's line in a fixed order for each kind; the first is the name, '' for an unnamed object.
 */
export function describeColumnsOf(answer: Answer): string[] {
  if (answer.code !== 'MPIDBG_SUCCESS') return [describeAnswer(answer)];
  const { kind, info } = answer;
  const title = kind === 'status' ? typeNames.status : describeName(kind, info as Info<string>);
  return [title === typeNames[kind] ? '' : title, ...describeColumns(kind, info)];
}

/**
 * Enough to recognise it in a list of its kind: `MPI_Comm "ocean"`, `receive from 3 tag 21`, `MPI_REQUEST_NULL`,
 * `invalid MPI_Request`.
 */
export function describeBriefly(answer: Answer): string {
  if (answer.code !== 'MPIDBG_SUCCESS') {
    if (answer.kind === undefined) return answer.reason;
    return `${answer.code === 'MPIDBG_ERR_NOT_FOUND' ? 'invalid' : 'unavailable'} ${typeNames[answer.kind]}`;
  }
  const { kind, info } = answer;
  const title = kind === 'status' ? typeNames.status : describeName(kind, info as Info<string>);
  return title === typeNames[kind] ? describeInList(kind, info) || title : title;
}

function describeName(kind: HandleKind, info: Info<string>): string {
  if (info.name === '' || isUnavailable(info.name)) return info.constant ?? typeNames[kind];
  return nameOf(kind, info.name, info.flags.includes('predefined') && isConstantName(info.name));
}

export function describeUnavailable(item: Unavailable): string {
  return `unavailable: ${item.reason}`;
}

/** A node below a decoded handle. `ref`: the handle that it refers to, which can be queried in its place. */
export interface DescribedField {
  name: string;
  text: string;
  ref?: HandleRef;
  children: DescribedField[];
}

/** Fields that users look at last. */
const technical = ['history', 'handle', 'fortranHandle', 'flags', 'unknownFlags'];

/** Fields that users look at first. */
const foremost = ['bufferPlace', 'basePlace'];

/** All fields of a record, ready to be shown, those that matter most first, the technical ones last. */
export function describeFields(info: InfoOf[HandleKind]): DescribedField[] {
  const fields = Object.entries(info)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => describeValue(name, value));
  const isTechnical = ({ name }: DescribedField): boolean => technical.includes(name);
  const isForemost = ({ name }: DescribedField): boolean => foremost.includes(name);
  const others = fields.filter((field) => !isForemost(field) && !isTechnical(field));
  return [...fields.filter(isForemost), ...others, ...fields.filter(isTechnical)];
}

function describeValue(name: string, value: unknown): DescribedField {
  if (isUnavailable(value)) return { name, text: describeUnavailable(value), children: [] };
  if (Array.isArray(value)) return describeList(name, value);
  if (isHandleRef(value)) return { name, text: describeRef(value), ref: value, children: [] };
  if (typeof value === 'object' && value !== null && 'faults' in value)
    return { name, text: visible(describeBufferPlace(value as BufferPlace)), children: [] };
  if (typeof value === 'object' && value !== null) {
    const children = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => describeValue(key, item));
    return { name, text: shortText(value) ?? structureText(children.map((c) => [c.name, c.text])), children };
  }
  if (typeof value === 'string') return { name, text: name === 'name' ? quoted(value) : visible(value), children: [] };
  return { name, text: String(value), children: [] };
}

/**
 * A field in full, made of its children: its one-line `text` shortens long lists and datatypes.
 */
export function fullText({ text, children }: DescribedField): string {
  if (children.length === 0) return text;
  if (text.startsWith('[')) return `[${children.map(fullText).join(', ')}]`;
  return structureText(children.map((child) => [child.name, fullText(child)]));
}

function structureText(fields: readonly (readonly [name: string, text: string])[]): string {
  return `{${fields.map(([name, text]) => `${name}: ${text}`).join(', ')}}`;
}

const entriesShown = 8;

/** The short form of a nested datatype, a type map, a call or a history; undefined for other structures, which are written out. */
function shortText(value: object): string | undefined {
  if ('call' in value) return handleCallText(value as HandleCall);
  if ('created' in value || 'freed' in value || 'earlier' in value) return historyText(value as History);
  if ('combiner' in value) {
    const info = value as DatatypeInfo;
    return describeAnswer({ kind: 'datatype', code: 'MPIDBG_SUCCESS', info });
  }
  if (!('runs' in value)) return undefined;
  const { text, runs } = value as Exclude<DatatypeInfo['typeMap'], Unavailable>;
  const entries = text.match(/\([^()]*\)/g) ?? [];
  if (entries.length <= entriesShown) return text;
  const count = runs.reduce((sum, run) => sum + run.count, 0);
  return `{${entries.slice(0, entriesShown).join(', ')}, … ${count} in all}`;
}

function describeList(name: string, items: readonly unknown[]): DescribedField {
  const children = items.map((item, i) => describeValue(`[${i}]`, item));
  const shown = children.slice(0, 16).map((child) => child.text);
  const rest = children.length > shown.length ? `, … ${children.length} in all` : '';
  return { name, text: `[${shown.join(', ')}${rest}]`, children };
}

function isHandleRef(value: unknown): value is HandleRef {
  return typeof value === 'object' && value !== null && 'kind' in value && 'handle' in value;
}
