/** Which parts of a value its short line tells of. */
import { handlesDescribed } from '../../../plugin-api/mpi/describe-list';
import { isCharacter, isText } from '../../gdb/value-type';
import type { ValueNode } from '../../values/value-node';
import { isOfLibrary, isOfLibraryItself } from './library-object';

/** Members and elements that are looked at for a line. */
export const maxParts = 40;

/** Base classes and nameless members by their own members. */
export async function withoutBases(parts: readonly ValueNode[]): Promise<readonly ValueNode[]> {
  const each = parts.map(async (part) =>
    part.step.kind === 'base' || part.step.kind === 'nameless'
      ? withoutBases(membersOfUser(part, await part.parts(0, maxParts)))
      : [part],
  );
  return (await Promise.all(each)).flat();
}

/** An object of an interface's kind: gdb writes its table of functions. */
export async function isWithoutMembers(node: ValueNode): Promise<boolean> {
  if (node.shape.kind !== 'struct' || isOfLibrary(node.type) || node.evalFrame.language === 'fortran') return false;
  const parts = membersOfUser(node, await node.parts(0, maxParts));
  return (await withoutBases(parts)).length === 0;
}

/** Which members stand first where not all have room. */
export const weights = { handle: 0, plain: 1, long: 2, other: 3 };

export async function weightOf(part: ValueNode): Promise<number> {
  const meaning = await part.meaning();
  if ('kind' in meaning && meaning.kind === 'status') return weights.long;
  if (meaning.form !== 'other' && meaning.form !== 'array') return weights.handle;
  if (part.shape.kind === 'scalar' || part.shape.kind === 'text' || (await isOneText(part))) return weights.plain;
  return weights.other;
}

/** The first handles of an array of arrays of them, and how many there are. */
export async function leavesOf(node: ValueNode, count: number): Promise<{ parts: ValueNode[]; total: number }> {
  const parts: ValueNode[] = [];
  let total = 0;
  for (const row of await node.parts(0, Math.min(count, handlesDescribed))) {
    const { shape } = row;
    if (shape.kind !== 'array') return { parts: await node.parts(0, Math.min(count, handlesDescribed)), total: count };
    const inner = await leavesOf(row, shape.count);
    total = inner.total * count;
    if (parts.length < handlesDescribed) parts.push(...inner.parts);
  }
  return { parts: parts.slice(0, handlesDescribed), total };
}

/** An array of characters, also one whose type has a name of its own, a CHARACTER, and a part of either. */
export async function isOneText(node: ValueNode): Promise<boolean> {
  if (node.shape.kind !== 'array' || node.shape.count === 0) return false;
  if (isText(node.type ?? '', false)) return true;
  const [first] = await node.parts(0, 1);
  // Elements of an array of texts are texts themselves, not the codes of characters.
  return first?.shape.kind === 'scalar' && isCharacter(first.type ?? '') && first.value.kind === 'number';
}

/** What a class of the library keeps its one value in, as std::array, std::complex and std::chrono::duration do. */
export function keptInside([first, another]: readonly ValueNode[]): ValueNode | undefined {
  const isKept = first?.step.kind === 'member' && /^(?:_M_\w+|__[rd])$/.test(first.name);
  return another === undefined && isKept ? first : undefined;
}

/** Without what is the library's own business. */
export function membersOfUser({ type }: ValueNode, parts: readonly ValueNode[]): readonly ValueNode[] {
  return isOfLibrary(type) ? parts.filter(({ name, step }) => step.kind === 'base' || !isOfLibraryItself(name)) : parts;
}

/** The elements of a std::array. */
export async function elementsInside(node: ValueNode): Promise<ValueNode | undefined> {
  if (node.shape.kind !== 'struct') return undefined;
  const inside = keptInside(await node.parts(0, 2));
  return inside?.shape.kind === 'array' ? inside : undefined;
}
