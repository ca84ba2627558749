/** The layouts of structs as gdb knows them from debug information. */
import type { FieldLayout, TypeLayout } from '../../plugin-api/layout';
import { select, type GdbThread, type GdbThreadGroup } from './context';
import { GdbError } from './mi-connection';
import { quote, text } from './mi-values';

type Place = GdbThread | GdbThreadGroup;

/** The named fields that the struct has ("a.b" for a nested one); undefined: nothing but its name is known. */
export async function structLayout(
  at: Place,
  name: string,
  fields: readonly string[],
): Promise<TypeLayout | undefined> {
  if (!/^\w+$/.test(name)) return undefined;
  const spelling = await spellingOf(at, name);
  if (spelling === undefined) return undefined;
  const found: Record<string, FieldLayout> = {};
  for (const field of fields) {
    const member = `((${spelling.type} *)0)->${field}`;
    const size = await number(at, `sizeof(${member})`);
    const offset = await number(at, `(unsigned long)&(${member})`);
    if (size !== undefined && offset !== undefined) found[field] = { offset, size };
  }
  return { size: spelling.size, fields: found };
}

/** The struct's tag or, for a struct that has none, its typedef. A type that is only declared has no size. */
async function spellingOf(at: Place, name: string): Promise<{ type: string; size: number } | undefined> {
  for (const type of [`struct ${name}`, name]) {
    const size = await number(at, `sizeof(${type})`);
    if (size !== undefined && size > 1) return { type, size };
  }
  return undefined;
}

async function number(at: Place, expression: string): Promise<number | undefined> {
  try {
    const command = `-data-evaluate-expression ${select(at)} --language c ${quote(expression)}`;
    const value = Number(text(await at.gdb.command(command), 'value'));
    return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
