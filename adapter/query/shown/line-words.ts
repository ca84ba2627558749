/** The words of a value's short line. */
import { counted } from '../../../plugin-api/counted';
import { typeNames } from '../../../plugin-api/mpi/describe';
import type { ValueNode } from '../../values/value-node';
import type { ShownVariable } from './shown-variable';

/** An element that is neither a number nor a text nor a pointer. */
export const anyNoun = 'element';

/** `"ocean"` for `MPI_Comm "ocean"`: the member's name stands before it. */
export function inLine({ brief, value }: ShownVariable): string {
  const text = brief ?? value;
  const kind = Object.values(typeNames).find((name) => text.startsWith(`${name} "`));
  return kind === undefined ? text : text.slice(kind.length + 1);
}

/** A class by its own name, without its namespaces and the arguments of its template. */
export function unqualified(name: string): string {
  const plain = name.replace(/\((?!anonymous namespace\))[^()]*\)/g, '');
  const withoutArguments = plain.replace(/<.*>$/s, '');
  return /[^:]+$/.exec(withoutArguments)?.[0] ?? plain;
}

/** What a lambda has captured is a member with two underscores. */
export function memberName(name: string): string {
  return name.replace(/^__(?=[A-Za-z])/, '');
}

/** "600 numbers", "3 texts", "6 pointers", "2 entries". */
export function elements(count: number, first: ValueNode): string {
  if (first.key !== undefined) return `${count} ${count === 1 ? 'entry' : 'entries'}`;
  return counted(count, nounOf(first));
}

export function nounOf({ value, shape }: ValueNode): string {
  if (value.kind === 'number' || value.kind === 'notANumber') return 'number';
  if (shape.kind === 'pointer' && !shape.hasText) return 'pointer';
  return shape.kind === 'text' ? 'text' : anyNoun;
}

/** Behind the first of so many; undefined: it is not known how many there are. */
export function inAll(count: number): string | undefined {
  return count === Infinity ? undefined : `, … ${count} in all`;
}

/** `<twice(int)>` */
export function withoutAngles(text: string): string {
  return /^<(.*)>$/.exec(text)?.[1] ?? text;
}

/** A text keeps its closing quote. */
export function cut(text: string, room: number): string {
  const most = Math.max(room, 12);
  if (text.length <= most) return text;
  const quote = /["']$/.exec(text)?.[0];
  return quote === undefined ? `${text.slice(0, most - 1)}…` : `${text.slice(0, most - 2)}…${quote}`;
}
