/** mpidbg layout: a layout table made from a library with debug information. */
import { basename } from 'node:path';
import { formatTable, makeTable } from '../../plugin-api/layout-table';
import { listed } from '../../plugin-api/listed';
import { tableOwners, type TableOwner } from '../../plugin-api/plugins/table-owners';
import { openFiles } from '../gdb/gdb-of-files';
import { GdbError } from '../gdb/mi/mi-connection';
import { structLayout, structLayoutWithKinds } from '../gdb/struct-layout';
import type { GdbThreadGroup } from '../gdb/mi/context';
import { FileImage } from '../images/modules/file-image';
import { StartError, untilAborted } from '../job/start-error';
import type { Command } from './arguments/command';
import { layoutFiles } from './layout-files';

export type LayoutCommand = Extract<Command, { name: 'layout' }>;

export interface LayoutOutcome {
  /** The table as JSON. */
  output: string;
  /** What was recognised, and what is missing from the table: one line each. */
  notes: string[];
}

/** Rejects with StartError, UnusableGdbError where no table can be made. */
export async function runLayout(command: LayoutCommand, signal: AbortSignal): Promise<LayoutOutcome> {
  const files = await layoutFiles(command.libraries);
  const image = new FileImage(files);
  const opened = await untilAborted(signal, openFiles(command.gdb ?? 'gdb', files)).catch((error: unknown) => {
    if (error instanceof GdbError) throw new StartError(error.message);
    throw error;
  });
  try {
    return await untilAborted(signal, tableOf(command, image, opened.at));
  } finally {
    opened.end();
  }
}

async function tableOf(command: LayoutCommand, image: FileImage, at: GdbThreadGroup): Promise<LayoutOutcome> {
  const owner = await ownerOf(command, image, at);
  const version = (await owner.recognise(image))?.version;
  const { table, lacking } = await makeTable(owner.specs, (struct, fields) =>
    structLayoutWithKinds(at, struct, fields),
  );
  const title = `${owner.title}${version === undefined ? ', version unknown' : ` ${version}`}`;
  const structs = new Set(owner.specs.map((spec) => spec.struct)).size;
  const path = `plugin-api/plugins/${owner.name}/layouts/${version ?? 'VERSION'}.json`;
  return {
    output: formatTable(table),
    notes: [
      `${title}: ${Object.keys(table).length} of ${structs} structs; the table belongs in ${path}`,
      ...lacking.map((what) => `lacking: ${what}`),
    ],
  };
}

/**
 * The implementation whose structs the debug information describes; with --implementation, checks that it is that one.
 */
async function ownerOf(
  { implementation, libraries }: LayoutCommand,
  image: FileImage,
  at: GdbThreadGroup,
): Promise<TableOwner> {
  const asked = tableOwners.filter(({ name }) => implementation === undefined || name === implementation);
  for (const owner of asked) {
    const known = await structLayout(at, owner.mark.struct, []);
    if (known !== undefined) return owner;
  }
  const files = libraries.map((library) => basename(library)).join(', ');
  for (const owner of asked) {
    const recognised = await owner.recognise(image);
    if (recognised !== undefined)
      throw new StartError(
        `${files} (${[owner.title, recognised.version].join(' ').trim()}) has no debug information: ` +
          'install that of its package, or build the library with -g',
      );
  }
  const what = listed(
    asked.map(({ title }) => title),
    'or',
  );
  throw new StartError(
    `${files} has no debug information for ${what}: name a library that does, or see docs/adding-a-version.md`,
  );
}
