/** The files whose debug information makes up the table of a library that is split over several. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tableOwners, type Components } from '../../plugin-api/plugins/table-owners';
import { ElfError } from '../elf/byte-source';
import { openElf } from '../elf/elf-cache';
import { findLinkedLibraries } from '../elf/linked-libraries';
import { openHere } from '../hosts/local-host';
import { StartError } from '../job/start-error';

/**
 * The given files, then the libraries of the same software that they need from their own folder, then its components below
 * that folder: no other library holds a struct of a table. Throws a StartError that names the file if one is not ELF.
 */
export async function layoutFiles(given: readonly string[]): Promise<string[]> {
  const parts = tableOwners.flatMap((owner) => owner.parts ?? []);
  const files = given.map(checked);
  const needed: string[] = [];
  for (const { path, elf } of files) {
    const folder = dirname(path);
    const { found } = await findLinkedLibraries(path, elf, { open: openHere, libraryPath: folder, cwd: process.cwd() });
    const ofParts = found.filter((library) => parts.some(({ libraries }) => libraries.test(library.path)));
    needed.push(...ofParts.map((each) => realpathSync(each.path)).filter((each) => dirname(each) === folder));
  }
  const components = parts
    .flatMap(({ components: own }) => own ?? [])
    .filter(({ symbol }) => files.some(({ elf }) => elf.dynamicSymbols?.find(symbol, 'exported')))
    .flatMap((own) => files.flatMap(({ path }) => componentsBeside(path, own)));
  return [...new Set([...files.map(({ path }) => path), ...needed, ...components])];
}

function checked(path: string) {
  try {
    return { path: realpathSync(path), elf: openElf(path) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw new StartError(`no such file: ${path}: name an MPI library`);
    if (code === 'EACCES') throw new StartError(`${path} cannot be read: check its permissions`);
    if (!(error instanceof ElfError) && code === undefined) throw error;
    const why = error instanceof Error ? error.message : '';
    throw new StartError(`${path} cannot be read as a library: ${why}; name an MPI library`);
  }
}

function componentsBeside(library: string, own: Components): string[] {
  const beside = dirname(library);
  const folders = readdirSync(beside).filter((name) => own.folder.test(name));
  return folders
    .map((name) => join(beside, name))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => own.file.test(file))
        .sort()
        .map((file) => realpathSync(join(folder, file))),
    );
}
