/** Objects of C++'s library that gdb has no printer for: their members have names of the library's, which say nothing to a user. */
import { withoutParameters } from '../../../plugin-api/function-name';
import { formatRankSet, rankSetOf } from '../../../plugin-api/answers/rank-set';
import type { ValueNode } from '../../values/value-node';

/** Members that are looked at. */
const maxMembers = 20;

/** A class of C++'s library, by the type as gdb writes it; not a program's class by a name that the library gives it. */
export function isOfLibrary(type: string | undefined): boolean {
  return /^(?:const |volatile |class |struct )*(?:std|__gnu_cxx)::/.test(type ?? '') && !isNameOfArgument(type!);
}

/** `std::vector<Cell>::value_type`, `std::remove_reference<Cell &>::type`: mostly what is in the brackets, a class of anybody's. */
function isNameOfArgument(type: string): boolean {
  return />::(?:\w+_)?(?:type|reference)(?: &&?)?$/.test(type);
}

/** Names that the standard keeps for the library. */
export function isOfLibraryItself(name: string): boolean {
  return /^_(?:[A-Z]|_)/.test(name);
}

export function isBitset(type: string | undefined): boolean {
  return /^(?:const )?std::(?:__\w+::)?bitset</.test(type ?? '');
}

/** `bits 1,3-4 set`, of the names that gdb has for those that are set: "[1]", "[3]", "[4]". */
export function bitsSet(names: readonly string[]): string {
  const numbers = names.map((name) => Number(/\d+/.exec(name)?.[0]));
  if (numbers.length === 0) return 'no bit set';
  return `${numbers.length === 1 ? 'bit' : 'bits'} ${formatRankSet(rankSetOf(numbers))} set`;
}

/** A smart pointer to an array, whose length nobody keeps: std::unique_ptr<double []>. */
export function isOfArray(type: string | undefined): boolean {
  return /^(?:const )?std::\w+_ptr<[^<>]+ \[\]/.test(type ?? '');
}

/** What a std::reference_wrapper has the address of, or the pointer to an object with members; undefined: it is none. */
export async function referredBy({ type }: ValueNode, parts: readonly ValueNode[]): Promise<ValueNode | undefined> {
  if (!/^(?:const )?std::reference_wrapper</.test(type ?? '')) return undefined;
  const address = parts.find(({ shape }) => shape.kind === 'pointer');
  const [target] = (await address?.parts(0, 1)) ?? [];
  return target?.step.kind === 'target' ? target : address;
}

/** `lambda in Walker::measure`, `calls twice`, `std::mutex`: for an object of the library. */
export async function libraryObject(node: ValueNode): Promise<string> {
  const type = (node.type ?? '').replace(/^(?:const |volatile |class |struct )*/, '').replace(/\b__\w+::/g, '');
  return (/^std::function</.test(type) ? await calledBy(node) : undefined) ?? type;
}

/** What a std::function calls. undefined: gdb has no name for it. */
async function calledBy(node: ValueNode): Promise<string | undefined> {
  const invoker = (await node.parts(0, maxMembers)).find(({ name }) => name === '_M_invoker');
  if (invoker?.value.kind !== 'pointer') return undefined;
  if (invoker.value.address === 0n) return 'empty';
  const target = secondArgument(/_Function_handler<(.*)/s.exec(invoker.value.told)?.[1] ?? '');
  if (target === undefined) return undefined;
  const lambda = /^(.*)::(?:<lambda\(.*\)>|\{lambda\(.*\)(?:#\d+)?\})$/s.exec(target)?.[1];
  return lambda === undefined ? `calls ${target}` : `lambda in ${withoutParameters(lambda)}`;
}

/** "b" of "a, b>…": the arguments of a template, which may have brackets of their own. */
function secondArgument(text: string): string | undefined {
  let depth = 0;
  let start: number | undefined;
  for (const [at, letter] of [...text].entries()) {
    if (start === undefined && depth === 0 && letter === ',') start = at + 1;
    else if (depth === 0 && letter === '>') return start === undefined ? undefined : text.slice(start, at).trim();
    depth += '<({'.includes(letter) ? 1 : '>)}'.includes(letter) ? -1 : 0;
  }
  return undefined;
}
