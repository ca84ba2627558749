/**
 * Makes the shipped layout tables from full ones: npx tsx scripts/trim-layouts.ts PLUGIN FILE...
 * A full table is JSON, { struct: { size, fields: { name: { offset, size } } } } (or that under "structs"), named
 * layout-VERSION.json, or layout-PART-VERSION.json where several files make up the table of one version. Only the structs
 * and fields that the plugin's specs name are kept, sorted, one field a line, so that a new release shows as a small
 * difference. What a table lacks is told; the specs' test says what may be lacking.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FieldLayout, LayoutTable } from '../plugin-api/layout';
import { checkSpec, type StructSpec } from '../plugin-api/struct';

const [plugin, ...files] = process.argv.slice(2);
if (plugin === undefined || files.length === 0) throw new Error('usage: trim-layouts PLUGIN FILE...');
const root = join(__dirname, '..', 'plugin-api', 'plugins', plugin);

function trim(version: string, full: LayoutTable, specs: readonly StructSpec[]): void {
  const trimmed: Record<string, { size: number; fields: Record<string, FieldLayout> }> = {};
  for (const spec of [...specs].sort((a, b) => a.struct.localeCompare(b.struct))) {
    // A full table may tell in a struct's place why it is missing.
    const found = full[spec.struct] as Partial<LayoutTable[string]> | undefined;
    const layout = found?.fields === undefined ? undefined : full[spec.struct];
    for (const problem of checkSpec(spec, layout)) process.stderr.write(`${version}: ${problem}\n`);
    if (layout === undefined) continue;
    const entry = (trimmed[spec.struct] ??= { size: layout.size, fields: {} });
    for (const { path } of Object.values(spec.fields)) {
      const found = layout.fields[path];
      if (found !== undefined) entry.fields[path] = { offset: found.offset, size: found.size };
    }
  }
  writeFileSync(join(root, 'layouts', `${version}.json`), `${format(trimmed)}\n`);
}

function format(table: LayoutTable): string {
  const structs = Object.entries(table).map(([name, { size, fields }]) => {
    const lines = Object.entries(fields)
      .sort(([, a], [, b]) => a.offset - b.offset)
      .map(([field, f]) => `      ${JSON.stringify(field)}: { "offset": ${f.offset}, "size": ${f.size} }`);
    return `  ${JSON.stringify(name)}: {\n    "size": ${size},\n    "fields": {\n${lines.join(',\n')}\n    }\n  }`;
  });
  return `{\n${structs.join(',\n')}\n}`;
}

/** The files of each version as one table. */
function readTables(): Map<string, LayoutTable> {
  const tables = new Map<string, LayoutTable>();
  for (const file of files) {
    const parsed = JSON.parse(readFileSync(file, 'utf8')) as { structs?: LayoutTable } & LayoutTable;
    const version = /layout-(?:.*-)?(\d.*)\.json$/.exec(basename(file))?.[1];
    if (version === undefined) throw new Error(`${file}: the name is not layout-VERSION.json`);
    tables.set(version, { ...(parsed.structs ?? parsed), ...tables.get(version) });
  }
  return tables;
}

void import(join(root, 'specs')).then((plugin: { specs: readonly StructSpec[] }) => {
  for (const [version, full] of readTables()) trim(version, full, plugin.specs);
});
