/**
 * Makes layout tables: the structs and fields that the specs name, from all that is known about a library, in a fixed
 * form.
 */
import type { FieldLayout, LayoutSource, LayoutTable, TypeLayout } from './layout';
import { checkSpec, type StructSpec } from './struct';

export interface MadeTable {
  table: LayoutTable;
  /**
   * What no source has or has differently, one sentence each, in the order of the specs: what depends on it is not
   * decoded.
   */
  lacking: string[];
}

/** The structs and fields that the specs name. Fields of a spec that does not fit are left out: none of them is read. */
export async function makeTable(specs: readonly StructSpec[], find: LayoutSource['find']): Promise<MadeTable> {
  const table: Record<string, { size: number; fields: Record<string, FieldLayout> }> = {};
  const lacking: string[] = [];
  for (const spec of [...specs].sort((a, b) => a.struct.localeCompare(b.struct, 'en'))) {
    const paths = Object.values(spec.fields).map((field) => field.path);
    const layout = await find(spec.struct, paths);
    const problems = checkSpec(spec, layout);
    lacking.push(...problems);
    if (layout === undefined || problems.length > 0) continue;
    const entry = (table[spec.struct] ??= { size: layout.size, fields: {} });
    for (const path of paths) {
      const found = layout.fields[path];
      if (found !== undefined) entry.fields[path] = { offset: found.offset, size: found.size };
    }
  }
  return { table, lacking: [...new Set(lacking)] };
}

/** JSON as the shipped tables have it: one field a line, by offset, so that a new release shows as a small difference. */
export function formatTable(table: LayoutTable): string {
  return `{\n${Object.entries(table).map(formatStruct).join(',\n')}\n}\n`;
}

function formatStruct([name, { size, fields }]: [string, TypeLayout]): string {
  const lines = Object.entries(fields)
    .sort(([, a], [, b]) => a.offset - b.offset)
    .map(([field, f]) => `      ${JSON.stringify(field)}: { "offset": ${f.offset}, "size": ${f.size} }`);
  return `  ${JSON.stringify(name)}: {\n    "size": ${size},\n    "fields": {\n${lines.join(',\n')}\n    }\n  }`;
}
