/** Where the indirect jumps of a function lead, as far as compilers put that into tables (switch). */
import type { Instruction, MemoryOperand } from '../instruction';
import type { CodeSource, Piece } from './code';

/** Entries of a table that are looked at. */
const maxEntries = 1024;

/** The table ends where so many entries in a row lead out of the function. A few may: rarely used cases are moved elsewhere. */
const maxForeign = 64;

/**
 * `instructions`: of the whole function, with the address behind each. What lies in memory behind a table is taken for a part of it: the
 * answer may hold places that nothing jumps to. undefined: a jump has no table that was found.
 */
export async function jumpTargets(
  code: CodeSource,
  piece: Piece,
  instructions: Iterable<{ next: number; instruction: Instruction }>,
): Promise<ReadonlySet<number> | undefined> {
  const offsets = new Set<number>();
  const addresses = new Set<number>();
  let jumps = 0;
  for (const { next, instruction } of instructions) {
    const { effect, flow } = instruction;
    if (effect.kind === 'address' && effect.of.isRelative) offsets.add(next + effect.of.displacement);
    if (effect.kind === 'copy' && effect.from.kind === 'memory') addIndexed(addresses, effect.from);
    if (flow.kind !== 'indirectJump') continue;
    jumps++;
    if (flow.through.kind === 'memory') addIndexed(addresses, flow.through);
  }
  const targets = new Set<number>();
  let tables = 0;
  const add = (found: readonly number[]): void => {
    if (found.length > 0) tables++;
    for (const each of found) targets.add(each);
  };
  for (const table of offsets) add(await targetsIn(piece, (index) => offsetEntry(code, table, index)));
  for (const table of addresses) add(await targetsIn(piece, (index) => code.int32At(table + 8 * index)));
  return tables < jumps ? undefined : targets;
}

/** "*0x402010(,%rax,8)": entries are addresses, in programs that always lie at the same place. */
function addIndexed(tables: Set<number>, { base, index, scale, displacement }: MemoryOperand): void {
  if (base === undefined && index !== undefined && scale === 8 && displacement > 0) tables.add(displacement);
}

/** Entries count from where the table begins. */
async function offsetEntry(code: CodeSource, table: number, index: number): Promise<number | undefined> {
  const offset = await code.int32At(table + 4 * index);
  return offset === undefined ? undefined : table + offset;
}

async function targetsIn(
  { start, end }: Piece,
  entry: (index: number) => Promise<number | undefined>,
): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0, foreign = 0; index < maxEntries && foreign < maxForeign; index++) {
    const target = await entry(index);
    if (target === undefined) break;
    const isOwn = start < target && target < end;
    if (isOwn) found.push(target);
    foreign = isOwn ? 0 : foreign + 1;
  }
  return found;
}
