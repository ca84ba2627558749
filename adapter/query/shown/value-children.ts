/** The parts of a value in the Variables view, page by page: a reader of its tree. */
import { inHexadecimal } from '../../gdb/mi/hexadecimal';
import type { ValueNode } from '../../values/value-node';
import { maxListLength, pageOf, restOfList, type Children, type Page, type ShownVariable } from './shown-variable';

/** How many more of a list that is too long the example asks for. */
const shownOfRest = 10;

/** undefined: it has none. `show`: the line of a part. */
export function childrenOf(node: ValueNode, show: (part: ValueNode) => Promise<ShownVariable>): Children | undefined {
  const { shape } = node;
  switch (shape.kind) {
    case 'scalar':
    case 'text':
      return undefined;
    case 'array':
      if (shape.count === 0) return undefined;
      return {
        indexed: shape.count,
        list: async (page) => listElements(await inBaseOf(page, node), shape.count, page, show),
      };
    case 'container':
      return shape.isEmpty ? undefined : { list: (page) => listContents(node, page, show) };
    case 'pointer':
      // A null pointer leads nowhere, and gdb shows the text that a char pointer leads to.
      if (shape.isNull || shape.hasText || !shape.hasParts) return undefined;
      break;
    case 'struct':
      break;
  }
  return { list: async (page) => listAll(await (await inBaseOf(page, node)).parts(0, maxListLength), show) };
}

/** gdb keeps the text of a value's parts: those in another base are read again. */
async function inBaseOf({ hex }: Page, node: ValueNode): Promise<ValueNode> {
  const { evalFrame } = node;
  return hex === true ? node.readAgain({ ...evalFrame, thread: inHexadecimal(evalFrame.thread) }) : node;
}

async function listElements(
  node: ValueNode,
  count: number,
  page: Page,
  show: (part: ValueNode) => Promise<ShownVariable>,
): Promise<ShownVariable[]> {
  const { from, to } = pageOf(page, count);
  if (to <= from) return [];
  const shown = await Promise.all((await node.parts(from, to)).map(show));
  const rest = page.start + maxListLength;
  return [...shown, ...restOfList(page, count, node.expressionOfElements(rest, Math.min(shownOfRest, count - rest)))];
}

async function listContents(
  node: ValueNode,
  { start, count }: Page,
  show: (part: ValueNode) => Promise<ShownVariable>,
): Promise<ShownVariable[]> {
  const most = count ?? maxListLength;
  // Some containers do not tell how many they have.
  const parts = await node.parts(start, start + most + 1);
  const shown = await listAll(parts.slice(0, most), show);
  const next = parts[most];
  if (count !== undefined || next === undefined) return shown;
  const example = next.expression === undefined ? '' : `: ask for one of them, such as ${next.expression}`;
  return [...shown, { name: '…', value: `more${example}` }];
}

/** A base class without data, at any level. */
async function isEmptyBase(node: ValueNode): Promise<boolean> {
  const { step, shape } = node;
  if (step.kind !== 'base') return false;
  if (shape.kind === 'scalar') return true;
  if (shape.kind !== 'struct') return false;
  return (await Promise.all((await node.parts(0, maxListLength)).map(isEmptyBase))).every((each) => each);
}

/** A member that hides one of a base class has its name: both are shown. */
async function listAll(
  parts: readonly ValueNode[],
  show: (part: ValueNode) => Promise<ShownVariable>,
): Promise<ShownVariable[]> {
  const seen = new Map<string, number>();
  const isEmpty = await Promise.all(parts.map(isEmptyBase));
  const told = parts.filter((_, i) => !isEmpty[i]);
  return (await Promise.all(told.map(show))).map((variable) => {
    const count = (seen.get(variable.name) ?? 0) + 1;
    seen.set(variable.name, count);
    return count === 1 ? variable : { ...variable, name: `${variable.name} (${count})` };
  });
}
