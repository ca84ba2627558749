/** Records for people: one line for a list or a variable, and a tree of fields below it. */
import { isUnavailable } from '../result';
import { visible } from '../visible-text';
import type { InfoOf } from './plugin';
import { describeColumns, describeDetails } from './describe-details';
import { describeRef, isConstantName, nameOf, quoted, typeNames } from './describe-ref';
import type { Answer, DatatypeInfo, HandleKind, HandleRef, Info, Unavailable } from './records';

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

/** The parts of that line, each at its place among those of its kind, without the word that is the kind's. */
export function describeColumnsOf(answer: Answer): string[] {
  if (answer.code !== 'MPIDBG_SUCCESS') return [describeAnswer(answer)];
  const { kind, info } = answer;
  const title = kind === 'status' ? typeNames.status : describeName(kind, info as Info<string>);
  return [title === typeNames[kind] ? '' : title, ...describeColumns(kind, info)];
}

function describeName(kind: HandleKind, info: Info<string>): string {
  if (info.name === '' || isUnavailable(info.name)) return typeNames[kind];
  return nameOf(kind, info.name, info.flags.includes('predefined') && isConstantName(info.name));
}

export function describeUnavailable(item: Unavailable): string {
  return `unavailable: ${item.reason}`;
}

/** A node below a decoded handle. `ref` is there where another handle can be asked for in its place. */
export interface DescribedField {
  name: string;
  text: string;
  ref?: HandleRef;
  children: DescribedField[];
}

/** Fields that people look at last. */
const technical = ['handle', 'fortranHandle', 'flags', 'unknownFlags'];

/** The fields of a record, ready to be shown, the technical ones last; nothing is left out. */
export function describeFields(info: InfoOf[HandleKind]): DescribedField[] {
  const fields = Object.entries(info)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => describeValue(name, value));
  const isTechnical = ({ name }: DescribedField): boolean => technical.includes(name);
  return [...fields.filter((field) => !isTechnical(field)), ...fields.filter(isTechnical)];
}

function describeValue(name: string, value: unknown): DescribedField {
  if (isUnavailable(value)) return { name, text: describeUnavailable(value), children: [] };
  if (Array.isArray(value)) return describeList(name, value);
  if (isHandleRef(value)) return { name, text: describeRef(value), ref: value, children: [] };
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
 * The whole of a field whose one-line form is `text`: its children have what that leaves out of long lists and
 * datatypes.
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

/** Structures that say more than a line holds: a datatype inside another, and a type map. */
function shortText(value: object): string | undefined {
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
