/** The files whose debug information makes up the table of a library that is split over several. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ElfError } from '../elf/byte-source';
import { openElf } from '../elf/elf-cache';
import { findLinkedLibraries } from '../elf/linked-libraries';
import { StartError } from '../job/start-error';

/** Open MPI's own parts beside its libmpi; other libraries hold nothing that is asked for. */
const part = /^lib(open-|open_mpi|mpi|mca_common_)/;

/**
 * The given files first, then what they need of their own folder, then Open MPI's components below it: those are
 * libraries of their own in most builds of 4.x. Rejects what is no ELF file with a StartError that names it.
 */
export function layoutFiles(given: readonly string[]): string[] {
  const files = given.map(checked);
  const needed = files.flatMap(({ path, elf }) =>
    findLinkedLibraries(path, elf, { libraryPath: dirname(path), cwd: process.cwd() })
      .found.filter((library) => part.test(basename(library.path)))
      .map((library) => realpathSync(library.path))
      .filter((library) => dirname(library) === dirname(path)),
  );
  const isOpenmpi = files.some(({ elf }) => elf.dynamicSymbols?.find('ompi_communicator_t_class', 'exported'));
  const components = isOpenmpi ? files.flatMap(({ path }) => componentsBeside(path)) : [];
  return [...new Set([...files.map(({ path }) => path), ...needed, ...components])];
}

function checked(path: string) {
  try {
    return { path: realpathSync(path), elf: openElf(path) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw new StartError(`there is no file ${path}: name libmpi or another library of an MPI`);
    if (code === 'EACCES') throw new StartError(`${path} may not be read: check its permissions`);
    if (!(error instanceof ElfError) && code === undefined) throw error;
    const why = error instanceof Error ? error.message : '';
    throw new StartError(`${path} cannot be read as a library: ${why}; name libmpi or another library of an MPI`);
  }
}

/** lib/openmpi/mca_pml_ob1.so; Debian numbers the folder. */
function componentsBeside(library: string): string[] {
  const folder = dirname(library);
  const folders = readdirSync(folder).filter((name) => /^openmpi\d*$/.test(name));
  return folders.flatMap((name) => {
    const components = join(folder, name);
    if (!existsSync(components)) return [];
    return readdirSync(components)
      .filter((file) => /^mca_(pml|coll|osc|io|common|topo)_\w+\.so$/.test(file))
      .sort()
      .map((file) => realpathSync(join(components, file)));
  });
}
