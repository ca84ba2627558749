/** The layouts of structs as gdb knows them from debug information. */
import type { FieldKind, FieldLayout, TypeLayout } from '../../plugin-api/layout';
import { select, type GdbThread, type GdbThreadGroup } from './mi/context';
import { GdbError } from './mi/mi-connection';
import { quote, text } from './mi/mi-values';

type GdbContext = GdbThread | GdbThreadGroup;

/** The named fields that the struct has ("a.b" for a nested one); undefined: nothing but its name is known. */
export async function structLayout(
  at: GdbContext,
  name: string,
  fields: readonly string[],
): Promise<TypeLayout | undefined> {
  if (!/^\w+$/.test(name)) return undefined;
  const spelling = await spellingOf(at, name);
  if (spelling === undefined) return undefined;
  const found: Record<string, FieldLayout> = {};
  const known = await fieldLayouts(at, spelling.type, fields);
  fields.forEach((field, index) => {
    const layout = known[index];
    if (layout !== undefined) found[field] = layout;
  });
  return { size: spelling.size, fields: found };
}

/** gdb does not write longer arrays out. */
const maxAtOnce = 100;

/**
 * One query for all fields, since the round trip takes gdb longer than the lookup; if one is missing, one query each.
 */
async function fieldLayouts(
  at: GdbContext,
  type: string,
  fields: readonly string[],
): Promise<readonly (FieldLayout | undefined)[]> {
  if (fields.length === 0) return [];
  const members = fields.map((field) => `((${type} *)0)->${field}`);
  // Offset and size in one number: elements that are equal would be printed as <repeats N times>.
  const numbers = members.map((m, i) => `(${i}ULL << 48) + ((unsigned long long)&(${m}) << 24) + sizeof(${m})`);
  if (fields.length <= maxAtOnce) {
    const answer = await evaluate(at, `{${numbers.join(', ')}}`);
    const values = answer?.match(/\d+/g)?.map(BigInt) ?? [];
    if (values.length === fields.length) return values.map(fieldOf);
  }
  return Promise.all(
    numbers.map(async (number) => {
      const answer = await evaluate(at, number);
      return answer !== undefined && /^\d+$/.test(answer) ? fieldOf(BigInt(answer)) : undefined;
    }),
  );
}

function fieldOf(number: bigint): FieldLayout {
  return { offset: Number((number >> 24n) & 0xffffffn), size: Number(number & 0xffffffn) };
}

/**
 * The struct's tag or, for a struct that has none, its typedef. A type that is only declared has no size. Both are asked for at
 * once: gdb may be on another host.
 */
async function spellingOf(at: GdbContext, name: string): Promise<{ type: string; size: number } | undefined> {
  const spellings = [`struct ${name}`, name];
  const sizes = await Promise.all(spellings.map((type) => number(at, `sizeof(${type})`)));
  const found = sizes.findIndex((size) => size !== undefined && size > 1);
  return found < 0 ? undefined : { type: spellings[found]!, size: sizes[found]! };
}

async function number(at: GdbContext, expression: string): Promise<number | undefined> {
  const value = Number(await evaluate(at, expression));
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

async function evaluate(at: GdbContext, expression: string): Promise<string | undefined> {
  try {
    const command = `-data-evaluate-expression ${select(at)} --language c ${quote(expression)}`;
    return text(await at.gdb.command(command), 'value');
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/** The layout with the kind of each field, for which gdb is asked once more per field. */
export async function structLayoutWithKinds(
  at: GdbContext,
  name: string,
  fields: readonly string[],
): Promise<TypeLayout | undefined> {
  const layout = await structLayout(at, name, fields);
  const spelling = layout && (await spellingOf(at, name));
  if (layout === undefined || spelling === undefined) return layout;
  const found = Object.entries(layout.fields).map(async ([field, known]) => {
    const type = await at.gdb.console(`ptype ((${spelling.type} *)0)->${field}`);
    return [field, { ...known, kind: kindOf(type) }] as const;
  });
  return { ...layout, fields: Object.fromEntries(await Promise.all(found)) };
}

/** The kind in what gdb prints: "type = struct ompi_group_t {...} * volatile". */
function kindOf(printed: string): FieldKind {
  const type = printed.trim().replace(/( (volatile|const))+$/, '');
  if (type.endsWith('*') || /\(\* ?(volatile|const)?\)\(.*\)$/s.test(type)) return 'pointer';
  if (type.endsWith(']')) return 'array';
  const [, compound] = /^type = (?:(?:volatile|const) )*(struct|union) /.exec(type) ?? [];
  return (compound as 'struct' | 'union' | undefined) ?? 'integer';
}
