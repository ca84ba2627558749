/**
 * A folder that stands for the root of the file system gdb takes libraries from: those that a process had, wherever
 * they are now. gdb's answers use the names that the process knew.
 */
import { gdbSet } from './support-commands';
import type { MiCommands } from './context';

/** The name of all such folders, so that they are known wherever they come up. */
export const libraryRootName = 'mpidbg-root';

const root = new RegExp(`^.*/${libraryRootName}-\\d+(?=/)`);

/** The path of a library as the process knew it. */
export function withoutLibraryRoot(path: string): string {
  return path.replace(root, '');
}

/** Where gdb looks for separate debug information, before its own folder. */
export async function addDebugFileDirectory(gdb: MiCommands, folder: string): Promise<void> {
  const shown = await gdb.console('show debug-file-directory');
  const own = /"(.*)"/.exec(shown)?.[1] ?? '';
  await gdbSet(gdb, 'debug-file-directory', own === '' ? folder : `${folder}:${own}`);
}
