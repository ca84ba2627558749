/** The handle that a value is, by what its type means. */
import type { HandleKind } from '../../plugin-api/mpi/records';
import { integerIn, type GdbValue } from '../gdb/mi/value';
import type { TypeMeaning } from '../expressions/handle-types';
import type { HandleForm, HandleValue } from './found-handle';
import { whyOptimizedOut } from './no-handle';
import type { ValueNode } from './value-node';

/** A value whose type says of which kind a handle it is; pointers and arrays of such are none themselves. */
export type HandleMeaning = Extract<
  TypeMeaning,
  { form: 'handle' | 'integer' | 'fortranHandle' | 'object' | 'objectPointer' }
>;

export async function handleOf(node: ValueNode, { form, kind }: HandleMeaning): Promise<HandleValue> {
  switch (form) {
    case 'handle':
      return handleIn(node, kind, 'c');
    case 'integer':
      return handleIn(node, kind, 'fortran');
    case 'fortranHandle': {
      // TYPE(MPI_Comm): its one component is the INTEGER.
      const [component] = await node.parts(0, 1);
      return component === undefined ? numberIn(node, 'fortran') : handleIn(component, kind, 'fortran');
    }
    case 'object':
      return locationOf(node, 'cxx');
    case 'objectPointer':
      return numberIn(node, 'cxx');
  }
}

/** A handle is the number that stands there; a status is where it lies. */
export async function handleIn(node: ValueNode, kind: HandleKind, form: HandleForm): Promise<HandleValue> {
  return kind === 'status' ? locationOf(node, form) : numberIn(node, form);
}

/** The number that stands there; of a pointer where it leads. */
export function numberIn({ value }: ValueNode, form: HandleForm): HandleValue {
  return handleInValue(value, form);
}

/** `text`: the value in words of the frame's language. */
export function handleInValue(value: GdbValue, form: HandleForm, text = value.text): HandleValue {
  const number = integerIn(value);
  if (number !== undefined) return { kind: 'value', value: number, form };
  switch (value.kind) {
    case 'number':
      return { kind: 'unreadable', why: `${text} is not a whole number` };
    case 'optimizedOut':
      return { kind: 'unreadable', why: whyOptimizedOut };
    case 'none':
      return { kind: 'unreadable', why: 'it has no value here' };
    default:
      return { kind: 'unreadable', why: text };
  }
}

async function locationOf(node: ValueNode, form: HandleForm): Promise<HandleValue> {
  const location = await node.location();
  if (location.kind === 'nowhere') return { kind: 'unreadable', why: location.why };
  return { kind: 'value', value: location.address, form };
}
