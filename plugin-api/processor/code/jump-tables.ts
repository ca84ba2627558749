/** Where the indirect jumps of a function lead, as far as compilers put that into tables (switch). */
import type { Instruction, MemoryOperand } from '../instruction';
import type { CodeSource, Piece } from './code';

/** Entries of a table that are looked at. */
const maxEntries = 1024;

/** The table ends where so many entries in a row lead out of the function. A few may: rarely used cases are moved elsewhere. */
const maxForeign = 64;

type Placed = { next: number; instruction: Instruction };

/**
 * `instructions`: of the whole function, with the address behind each. What lies in memory behind a table is taken for a part of it: the
 * answer may hold places that nothing jumps to. undefined: a jump has no table that was found.
 */
export async function jumpTargets(
  code: CodeSource,
  piece: Piece,
  instructions: readonly Placed[],
): Promise<ReadonlySet<number> | undefined> {
  const addresses = new Set<number>();
  const likely = new Set<number>();
  const possible = new Set<number>();
  let jumps = 0;
  for (const [at, { next, instruction }] of instructions.entries()) {
    const { effect, flow } = instruction;
    if (effect.kind === 'address' && effect.of.isRelative) {
      const offset = next + effect.of.displacement;
      possible.add(offset);
      if (isIndexed(effect.to, instructions, at + 1)) likely.add(offset);
    }
    if (effect.kind === 'copy' && effect.from.kind === 'memory') addIndexed(addresses, effect.from);
    if (flow.kind !== 'indirectJump') continue;
    jumps++;
    if (flow.through.kind === 'memory') addIndexed(addresses, flow.through);
  }
  if (jumps === 0) return new Set();
  return (await targetsOf(likely)) ?? targetsOf(possible);

  async function targetsOf(offsets: ReadonlySet<number>): Promise<ReadonlySet<number> | undefined> {
    const targets = new Set<number>();
    let tables = 0;
    const add = (found: readonly number[]): void => {
      if (found.length > 0) tables++;
      for (const each of found) targets.add(each);
    };
    for (const table of offsets) add(await targetsIn(code, piece, (index) => offsetEntry(code, table, index)));
    for (const table of addresses) add(await targetsIn(code, piece, (index) => code.int32At(table + 8 * index)));
    return tables < jumps ? undefined : targets;
  }
}

/** Whether an entry is read from a table whose address is in this register, in the code behind it up to a call. */
function isIndexed(register: number, instructions: readonly Placed[], from: number): boolean {
  for (let at = from; at < instructions.length; at++) {
    const { effect, flow } = instructions[at]!.instruction;
    if (effect.kind === 'copy' && effect.from.kind === 'memory' && isEntryOf(register, effect.from)) return true;
    if (flow.kind === 'call' || flow.kind === 'indirectCall') return false;
  }
  return false;
}

/** "(%rdx,%rax,4)", or "(%rdx,%rax,1)" where the code has multiplied itself. */
function isEntryOf(register: number, { base, index, scale }: MemoryOperand): boolean {
  if (base === undefined || index === undefined) return false;
  return (base === register && (scale === 4 || scale === 1)) || (index === register && scale === 1);
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
  code: CodeSource,
  { start, end }: Piece,
  entry: (index: number) => Promise<number | undefined>,
): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0, foreign = 0; index < maxEntries && foreign < maxForeign; index++) {
    const target = await entry(index);
    if (target === undefined) break;
    const isOwn = start < target && target < end;
    // What lies behind a table may be text and numbers, which lead to no code.
    if (!isOwn && (await code.pieceAt(target)) === undefined) break;
    if (isOwn) found.push(target);
    foreign = isOwn ? 0 : foreign + 1;
  }
  return found;
}
