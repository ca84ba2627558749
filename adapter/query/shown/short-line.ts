/**
 * A value as one writes it in a margin: what is in it, in few words. Types, addresses and the words of gdb's pretty printers are
 * left to the lines below it.
 */
import type { Answer } from '../../../plugin-api/mpi/records';
import { describeAll, handlesDescribed } from '../../../plugin-api/mpi/describe-list';
import { withoutPadding } from '../../../plugin-api/answers/values/value-text';
import { withUnnamedBits } from '../../gdb/fortran-words';
import { containedAs } from '../../gdb/python/container-functions';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { ValueNode } from '../../values/value-node';
import { equalElements } from './equal-elements';
import { bitsSet, isBitset, isOfArray, isOfLibrary, libraryObject, referredBy } from './library-object';
import { anyNoun, cut, elements, inAll, inLine, memberName, nounOf, unqualified, withoutAngles } from './line-words';
import type { ShownVariable } from './shown-variable';
import {
  isOneText,
  isWithoutMembers,
  keptInside,
  leavesOf,
  maxParts,
  membersOfUser,
  weightOf,
  weights,
  withoutBases,
} from './told-members';

/** Characters of a line, where its parts allow that. */
const maxLine = 40;
/** Where a line may be as wide as a window. */
export const maxWideLine = 110;
const maxLevels = 3;
/** Characters of "n 3, …". */
const shortestMember = 6;
/** Characters of a member that leaves room for another one. */
const shortMember = 20;
/** Stands for an element of which a line says nothing: an address, or what cannot be read. */
const untold = '…';
/** Elements that are looked at for a list of plain values: each takes three characters. */
function elementsSeen(room: number): number {
  return Math.max(12, Math.ceil(room / 3));
}

type Show = (node: ValueNode) => Promise<ShownVariable>;

export class ShortLines {
  constructor(private readonly show: Show) {}

  /** About `room` characters; undefined: the value has no parts, or they cannot be read. */
  async of(node: ValueNode, room = maxLine): Promise<string | undefined> {
    try {
      return (await this.whole(node, room, 0)) ?? ((await isWithoutMembers(node)) ? '{}' : undefined);
    } catch (error) {
      if (error instanceof GdbError) return undefined;
      throw error;
    }
  }

  /** `level`: how deep it is within the line. */
  private async whole(node: ValueNode, room: number, level: number): Promise<string | undefined> {
    const isInside = level > 0 && node.shape.kind === 'pointer';
    const object = isInside ? undefined : await node.realObject();
    return this.withClass(object ?? node, room, (left) => this.byShape(object ?? node, left, level));
  }

  /** `Grid {id 1, dt 0.1}`: with the class of the object where that is not the declared one. */
  private async withClass(
    { realClass }: ValueNode,
    room: number,
    line: (room: number) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    if (realClass === undefined) return line(room);
    const name = unqualified(realClass);
    const inside = await line(room - name.length - 1);
    return inside === undefined ? name : `${name} ${inside}`;
  }

  private async byShape(node: ValueNode, room: number, level: number): Promise<string | undefined> {
    const { shape } = node;
    switch (shape.kind) {
      case 'scalar':
      case 'text':
        return undefined;
      case 'pointer':
        return shape.isNull || shape.hasText || !shape.hasParts ? undefined : this.target(node, room, level);
      case 'struct':
        return this.struct(node, room, level);
      case 'array':
        return this.list(node, shape.count, room, level);
      case 'container':
        if (shape.isEmpty) return shape.of === 'parts' ? this.emptyOne(node) : 'empty';
        if (shape.of === 'parts') return this.contained(node, room, level);
        return this.list(node, await node.length(), room, level);
    }
  }

  /** The object that a pointer leads to: only from the outermost value, as objects may lead to each other. */
  private async target(node: ValueNode, room: number, level: number): Promise<string | undefined> {
    const parts = await node.parts(0, maxParts);
    // A pointer to what has no members says little more than its address.
    if (level > 0 || parts[0]?.step.kind === 'target') return undefined;
    return this.members(node, parts, room, level);
  }

  private async struct(node: ValueNode, room: number, level: number): Promise<string | undefined> {
    const parts = await node.parts(0, maxParts);
    const inside = (await referredBy(node, parts)) ?? keptInside(parts);
    if (inside !== undefined) return this.part(inside, room, level);
    const line = await this.members(node, parts, room, level);
    return line === undefined && isOfLibrary(node.type) ? cut(await libraryObject(node), room) : line;
  }

  private async members(
    node: ValueNode,
    parts: readonly ValueNode[],
    room: number,
    level: number,
  ): Promise<string | undefined> {
    const all = await withoutBases(membersOfUser(node, parts));
    const told = await this.told(all, room - 2, level);
    if (told.length === 0) return undefined;
    const text = `${told.join(', ')}${told.length < all.length ? ', …' : ''}`;
    return node.evalFrame.language === 'fortran' ? `(${text})` : `{${text}}`;
  }

  /** All members, or what matters most of them: handles, then what is short; the first also where there is no room for it. */
  private async told(parts: readonly ValueNode[], room: number, level: number): Promise<string[]> {
    const members = await Promise.all(
      parts.map(async (part, place) => ({ part, place, weight: await weightOf(part) })),
    );
    const texts: { text: string; place: number; weight: number }[] = [];
    let left = room;
    for (const { part, place, weight } of members.sort((a, b) => a.weight - b.weight)) {
      const value = await this.part(part, left, level + 1);
      if (value === undefined) continue;
      const name = memberName(part.name);
      // `receive from 3 tag 21` of a member "receive"
      const text = value.startsWith(`${name} `) ? value : `${name} ${value}`;
      // A shorter one that follows may still fit.
      if (text.length > left && texts.length > 0) {
        if (left < shortestMember) break;
        continue;
      }
      left -= text.length + 2;
      texts.push({ text, place, weight: text.length > shortMember ? Math.max(weight, weights.long) : weight });
    }
    const isAll = texts.length === parts.length;
    return texts.sort((a, b) => (isAll ? 0 : a.weight - b.weight) || a.place - b.place).map(({ text }) => text);
  }

  /** What an optional, a smart pointer, a pair and their like hold. */
  private async contained(node: ValueNode, room: number, level: number): Promise<string | undefined> {
    const parts = await node.parts(0, maxParts + 1);
    const [only] = parts;
    const as = only === undefined ? undefined : containedAs(only.name);
    if (parts.length === 1 && as?.kind === 'pointer') {
      const { shape } = only!;
      if (shape.kind !== 'pointer') return this.part(only!, room, level);
      if (shape.isNull) return 'null';
      const object = (await only!.realObject()) ?? only!;
      const inside = await object.parts(0, maxParts);
      if (inside[0]?.step.kind === 'target') {
        const first = await this.part(inside[0], room, level);
        return first !== undefined && isOfArray(node.type) ? `[${first}, …]` : first;
      }
      return this.withClass(object, room, (left) => this.members(object, inside, left, level));
    }
    if (isBitset(node.type)) return bitsSet(parts.map(({ name }) => name));
    if (parts.length === 1) return this.part(only!, room, level);
    // gdb does not know that a part is empty before its own parts are listed.
    if (parts.length === 0) return (await this.emptyOne(node)) ?? 'empty';
    // A tuple, or a list whose length its pretty printer does not tell.
    if (parts.every(({ name }) => /^\[\d+\]$/.test(name)))
      return this.list(node, parts.length > maxParts ? undefined : parts.length, room, level);
    return this.members(node, parts.slice(0, maxParts), room, level);
  }

  /** An optional, a variant and their like, or what gdb writes without listing its parts: `std::atomic<int> = { 7 }`. */
  private async emptyOne(node: ValueNode): Promise<string | undefined> {
    if (isBitset(node.type)) return bitsSet([]);
    const text = (await node.writtenOut())?.text ?? '';
    if (/\[no contained value\]$/.test(text)) return 'no value';
    const [, inside] = /^std::(?:atomic<.*>|chrono::\w+) = \{ (.*) \}$/s.exec(text) ?? [];
    // A printer that writes the whole value, as of a duration, and not the name of an empty container.
    return inside ?? (/^$|::|\{/.test(text) ? undefined : text);
  }

  private async list(
    node: ValueNode,
    length: number | undefined,
    room: number,
    level: number,
  ): Promise<string | undefined> {
    // What is not allocated says so itself.
    if (length === 0) return node.evalFrame.language === 'fortran' ? undefined : 'empty';
    if (await isOneText(node)) return undefined;
    const first = await node.parts(0, length === undefined ? maxParts + 1 : Math.min(length, elementsSeen(room)));
    const [one] = first;
    if (one === undefined) return 'empty';
    // Some containers do not tell how many they have.
    if (length === undefined && first.length > maxParts)
      return this.beginningOf(node, first.slice(0, maxParts), room, level);
    const count = length ?? first.length;
    const { form } = await one.meaning();
    if (one.key === undefined && form !== 'other' && form !== 'array') return this.handles(node, count);
    if (level >= maxLevels) return elements(count, one);
    if (one.shape.kind === 'array' && !(await isOneText(one))) return this.table(node, count, first, room, level);
    const all = await this.elementTexts(first, room, level);
    const [open, close] = node.evalFrame.language === 'fortran' ? ['(', ')'] : ['{', '}'];
    const text = `${open}${all.join(', ')}${close}`;
    if (all.length === count && text.length <= room && !all.includes(untold)) return text;
    return this.firstOf(node, elements(count, one), first, { room, level, count });
  }

  /** The beginning of a list that has more elements than are looked at. */
  private async beginningOf(
    node: ValueNode,
    first: readonly ValueNode[],
    room: number,
    level: number,
  ): Promise<string> {
    const [one] = first as [ValueNode];
    const { form } = await one.meaning();
    if (one.key === undefined && form !== 'other' && form !== 'array')
      return `more than ${maxParts}; the first: ${await this.handles(node, first.length)}`;
    const what = `more than ${elements(maxParts, one)}`;
    if (level >= maxLevels) return what;
    return this.firstOf(node, what, first.slice(0, elementsSeen(room)), { room, level, count: Infinity });
  }

  /** An array of arrays: written out where it is short, else by its first numbers in the order of memory. */
  private async table(
    node: ValueNode,
    count: number,
    first: readonly ValueNode[],
    room: number,
    level: number,
  ): Promise<string> {
    const [open, close] = node.evalFrame.language === 'fortran' ? ['(', ')'] : ['{', '}'];
    const rows = await this.elementTexts(first, room, level);
    const text = `${open}${rows.join(', ')}${close}`;
    if (rows.length === count && text.length <= room) return text;
    const { form } = await first[0]!.meaning();
    if (form === 'array') {
      const { parts, total } = await leavesOf(node, count);
      return this.handlesIn(parts, total);
    }
    let [leaf] = first as [ValueNode];
    const extents = [count];
    let leaves: ValueNode[] = [];
    while (leaf.shape.kind === 'array' && leaf.shape.count > 0 && !(await isOneText(leaf))) {
      extents.push(leaf.shape.count);
      leaves = await leaf.parts(0, Math.min(leaf.shape.count, elementsSeen(room)));
      [leaf] = leaves as [ValueNode];
    }
    // Fortran's first index runs first.
    if (node.evalFrame.language === 'fortran') extents.reverse();
    return this.firstOf(node, `${extents.join('×')} ${nounOf(leaf)}s`, leaves, { room, level, count: Infinity });
  }

  /** `600 numbers, all 0`, `600 numbers: 0, 1, 2, …`, `[0: "salt", 10: "heat", … 3 in all]` */
  private async firstOf(
    node: ValueNode,
    what: string,
    first: readonly ValueNode[],
    { room, level, count }: { room: number; level: number; count: number },
  ): Promise<string> {
    const all = await this.elementTexts(first, room, level);
    if (all.every((each) => each === untold)) return what;
    const isAlike = all.length > 1 && first[0]!.key === undefined && all.every((each) => each === all[0]);
    if (isAlike && (all.length === count || (await equalElements(node)))) return `${what}, all ${all[0]}`;
    const shown: string[] = [];
    // "entries" and "elements" say less than the first of them.
    const end = first[0]!.key !== undefined || nounOf(first[0]!) === anyNoun ? inAll(count) : undefined;
    let left = room - (end === undefined ? what.length + 5 : end.length);
    for (const each of all) {
      left -= each.length + 2;
      if (left < 0 && shown.length > 0) break;
      shown.push(each);
    }
    if (shown.length === 0 || shown.every((each) => each === untold)) return what;
    const isCut = shown.length < count;
    if (end !== undefined) return `[${shown.join(', ')}${isCut ? end : ''}]`;
    return `${what}: ${shown.join(', ')}${isCut ? ', …' : ''}`;
  }

  /** Those that fit, of the first. */
  private async elementTexts(first: readonly ValueNode[], room: number, level: number): Promise<string[]> {
    const texts: string[] = [];
    const isPlain = first.every(({ shape }) => shape.kind === 'scalar' || shape.kind === 'text');
    for (const part of first) {
      const value = (await this.part(part, room - 4, level + 1)) ?? untold;
      texts.push(
        part.key === undefined ? value : `${(await this.part(part.key, room, level + 1)) ?? part.key.name}: ${value}`,
      );
      if (!isPlain && texts.join(', ').length > room) break;
    }
    return texts;
  }

  private async handles(node: ValueNode, count: number): Promise<string> {
    return this.handlesIn(await node.parts(0, Math.min(count, handlesDescribed)), count);
  }

  private async handlesIn(parts: readonly ValueNode[], count: number): Promise<string> {
    const shown = await Promise.all(parts.map(this.show));
    return describeAll(
      shown.map(({ handle, value }): Answer => handle ?? { code: 'MPIDBG_ERR_UNAVAILABLE', reason: value }),
      count,
    );
  }

  /** undefined: nothing but an address, or nothing that could be read. */
  private async part(node: ValueNode, room: number, level: number): Promise<string | undefined> {
    const meaning = await node.meaning();
    if (meaning.form === 'array' && node.shape.kind !== 'pointer') return this.whole(node, room, level);
    if (meaning.form !== 'other' && meaning.form !== 'array') return inLine(await this.show(node));
    const whole = level > maxLevels ? undefined : await this.whole(node, room, level);
    if (whole !== undefined) return whole;
    const { value, shape } = node;
    if (shape.kind === 'pointer') {
      if (shape.isNull) return 'null';
      return value.kind === 'pointer' && value.told !== '' ? cut(withoutAngles(value.told), room) : undefined;
    }
    if (shape.kind === 'struct' || shape.kind === 'container') return undefined;
    if (shape.kind === 'array') return cut(withoutPadding((await node.writtenOut())?.text ?? ''), room);
    if (value.kind === 'unreadable' || value.kind === 'none' || node.type === '') return undefined;
    return cut((await node.namedNumber()) ?? withUnnamedBits(value.text), room);
  }
}
