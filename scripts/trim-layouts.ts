/**
 * Makes the shipped layout tables from full ones: npx tsx scripts/trim-layouts.ts PLUGIN FILE... A full table is
 * JSON, { struct: { size, fields: { name: { offset, size } } } } (or that under "structs"), named
 * layout-VERSION.json, or layout-PART-VERSION.json where several files make up the table of one version. Only the
 * structs and fields that the plugin's specs name are kept, sorted, one field a line, so that a new release shows as
 * a small difference. It reports what a table lacks; the test of the specs says what may be missing.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { LayoutTable, TypeLayout } from '../plugin-api/layout';
import { formatTable, makeTable } from '../plugin-api/layout-table';
import type { StructSpec } from '../plugin-api/struct';

const [plugin, ...files] = process.argv.slice(2);
if (plugin === undefined || files.length === 0) throw new Error('usage: trim-layouts PLUGIN FILE...');
const root = join(__dirname, '..', 'plugin-api', 'plugins', plugin);

async function trim(version: string, full: LayoutTable, specs: readonly StructSpec[]): Promise<void> {
  // A full table may tell in a struct's place why it is missing.
  const find = async (struct: string) => ((full[struct] as Partial<TypeLayout>)?.fields ? full[struct] : undefined);
  const { table, lacking } = await makeTable(specs, find);
  for (const what of lacking) process.stderr.write(`${version}: ${what}\n`);
  writeFileSync(join(root, 'layouts', `${version}.json`), formatTable(table));
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

void import(join(root, 'specs')).then(async (plugin: { specs: readonly StructSpec[] }) => {
  for (const [version, full] of readTables()) await trim(version, full, plugin.specs);
});
