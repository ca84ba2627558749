/**
 * The one line of a structure, array or container that holds handles, or what gdb does not know: with what they are instead of their
 * numbers.
 */
import { counted } from '../../../plugin-api/counted';
import { handlesDescribed, listText } from '../../../plugin-api/mpi/describe-list';
import { cutBetweenParts, withoutPadding } from '../../../plugin-api/answers/values/value-text';
import { isArrayOfNumbers } from '../../gdb/value-type';
import { typeUnknown } from '../../gdb/fortran-words';
import type { Rank } from '../../job/rank';
import type { ValueNode } from '../../values/value-node';
import type { ShownVariable } from './shown-variable';

/** More members than this do not fit on a line. */
const maxMembers = 40;
const maxLevels = 6;

export class StructureSummaries {
  /** By type: whether there is such a thing in it. Types of C mean the same wherever they are. */
  private readonly known = new Map<Rank, Map<string, boolean>>();

  /** Types whose numbers may be handles in one value, and none in another. */
  private readonly unsure = new Set<string>();

  constructor(private readonly show: (node: ValueNode) => Promise<ShownVariable>) {}

  /** At most about `length` characters; undefined: gdb's own line is right. */
  async of(node: ValueNode, length: number): Promise<string | undefined> {
    if (!(await this.isOurs(node, 0))) return undefined;
    const { form } = await node.meaning();
    if (form === 'array' && !node.isColumn) return this.handles(node);
    return `${await titleOf(node)}${await this.members(node, length)}`;
  }

  /** An array of them. */
  private async handles(node: ValueNode): Promise<string> {
    const count = (await node.length()) ?? handlesDescribed;
    const parts = await node.parts(0, Math.min(count, handlesDescribed));
    const texts = parts.map(async (part) => lineOf(part, await this.whole(part, Infinity)));
    return listText(await Promise.all(texts), count);
  }

  /** A part with all that is in it, where its line is a short one. */
  private async whole(part: ValueNode, length: number): Promise<ShownVariable> {
    const shown = await this.show(part);
    if (shown.isShort !== true) return shown;
    // A pointer is shown by its address.
    if (shown.plain !== undefined) return { ...shown, value: shown.plain.text };
    const written = (await this.of(part, length)) ?? withoutPadding((await part.writtenOut())?.text ?? shown.value);
    return { ...shown, value: written };
  }

  /** One line of any structure, with or without handles, of the members that have a line of their own. */
  async members(node: ValueNode, length: number): Promise<string> {
    const lines: string[] = [];
    for (const part of await node.parts(0, maxMembers)) {
      lines.push(lineOf(part, await this.whole(part, length)));
      if (lines.join(', ').length > length) break;
    }
    const [open, close] = node.evalFrame.language === 'fortran' ? ['( ', ' )'] : ['{', '}'];
    return `${open}${cutBetweenParts(lines.join(', '), length)}${close}`;
  }

  private async isOurs(node: ValueNode, level: number): Promise<boolean> {
    const { evalFrame, shape, type = '' } = node;
    const { rank } = evalFrame.thread;
    const ofRank = this.known.get(rank) ?? new Map<string, boolean>();
    this.known.set(rank, ofRank);
    const known = ofRank.get(type);
    if (known !== undefined) return known;
    if (level > 0 && node.isUnknownToGdb) return true;
    const meaning = await node.meaning();
    if (meaning.form !== 'other') return true;
    if (level >= maxLevels || shape.kind === 'pointer' || (shape.kind === 'array' && isArrayOfNumbers(type)))
      return false;
    // A lambda has no type of its own to gdb.
    const isUnsure = meaning.isOfNumbers === true || type.includes('struct {...}');
    // All elements of a list have one type.
    const isList = shape.kind === 'array' || (shape.kind === 'container' && shape.of !== 'parts');
    const parts = await node.parts(0, isList && !isUnsure ? 1 : maxMembers);
    let holds = false;
    for (const each of parts.flatMap((part) => (part.key === undefined ? [part] : [part.key, part])))
      holds ||= await this.isOurs(each, level + 1);
    if (isUnsure || parts.some((part) => this.unsure.has(part.type ?? ''))) this.unsure.add(type);
    // The meaning of a Fortran INTEGER depends on its name; an empty container tells nothing.
    const isOfType = evalFrame.language !== 'fortran' && parts.length > 0 && type !== '';
    if (isOfType && !this.unsure.has(type)) ofRank.set(type, holds);
    return holds;
  }
}

/** "std::vector of length 2, capacity 2 = ", as gdb begins what is in a container. */
async function titleOf(node: ValueNode): Promise<string> {
  const written = node.shape.kind === 'container' ? await node.writtenOut() : undefined;
  return written?.kind === 'titled' ? written.title : '';
}

/** An array without a line of its own. */
function inWords({ value, plain }: ShownVariable): string {
  return plain?.kind === 'array' ? counted(plain.count, 'element') : value;
}

function lineOf({ name, step, type }: ValueNode, shown: ShownVariable): string {
  const value = type === '' ? typeUnknown : inWords(shown);
  switch (step.kind) {
    case 'root':
      return value;
    case 'element':
      return shown.brief ?? value;
    case 'contained':
      return step.isElement ? (shown.brief ?? value) : `${name} = ${value}`;
    case 'base':
      return `<${name}> = ${value}`;
    case 'entry':
      return `${shown.name} = ${value}`;
    case 'member':
    case 'nameless':
    case 'target':
      return `${name} = ${value}`;
  }
}
