/** The libraries of core files for gdb, which looks for them where the process had them, whatever is there now. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CoreImage } from '../images/core-image';
import { libraryRootName } from '../gdb/library-root';

export class CoreLibraries {
  private readonly made = new Map<string, string>();

  /** `folder`: makes one that is removed with the session. */
  constructor(private readonly folder: () => string) {}

  /**
   * The folder that gdb is to take for the root of the file system, in which each library has the name that the process
   * opened; a library of which only another version is here is left out, because gdb would believe it. Undefined: every
   * library is where it was.
   */
  rootFor(image: CoreImage): string | undefined {
    const isElsewhere = image
      .mappedFiles()
      .some(
        ({ path, here, otherBuildId }) =>
          path !== image.programPath && (here === undefined ? otherBuildId !== undefined : here !== path),
      );
    if (!isElsewhere) return undefined;
    const links = image.libraries().flatMap(({ name, file: { here } }) => (here === undefined ? [] : [{ name, here }]));
    const key = JSON.stringify(links);
    const known = this.made.get(key) ?? this.make(links, this.made.size);
    this.made.set(key, known);
    return known;
  }

  private make(links: readonly { name: string; here: string }[], index: number): string {
    const root = join(this.folder(), `${libraryRootName}-${index}`);
    mkdirSync(root);
    for (const { name, here } of links) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(here, path);
    }
    return root;
  }
}
