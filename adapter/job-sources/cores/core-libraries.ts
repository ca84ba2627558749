/**
 * The files of core files for gdb. It opens whatever a core names: the mapped files, and the libraries that the dynamic
 * linker knew. What is there now may be another version, a FIFO or a device, so gdb gets a root of the file system of its own
 * that holds links to the files that were found to be the right ones, and nothing else.
 */
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { CoreImage } from '../../images/core/core-image';
import { librariesOf, sharedNames } from '../../images/core/loaded-libraries';
import { libraryRootName } from '../../gdb/mi/library-root';

export interface LibraryRoot {
  folder: string;
  /** Relative names, which programs give to libraries that they open, are looked for from here. */
  workingFolder: string;
}

/** Deep, because such names may lead upwards: "../lib/libsolver.so". */
const workingFolder = join('cwd', ...Array.from({ length: 16 }, () => 'in'));

export class CoreLibraries {
  private readonly made = new Map<string, LibraryRoot>();

  /** `folder`: makes one that is removed with the session. `isForGdb`: whether gdb may have the file. */
  constructor(
    private readonly folder: () => string,
    private readonly isForGdb: (file: string) => boolean,
  ) {}

  /** Each file has the name that the process knew it by. Cores with the same files have the same root. */
  async rootFor(image: CoreImage): Promise<LibraryRoot> {
    const libraries = (await librariesOf(image)).map(({ name, file }) => ({ name, here: file?.here }));
    const mapped = image.mappedFiles().map(({ path, here }) => ({ name: path, here }));
    const isShared = await sharedNames(image);
    const links = new Map(
      [...mapped, ...libraries].flatMap(({ name, here }) =>
        here === undefined || isShared(name) || !this.isForGdb(here) ? [] : [[name, here]],
      ),
    );
    // Where they are mapped differs from rank to rank.
    const key = JSON.stringify([...links].sort());
    const known = this.made.get(key) ?? this.make(links, this.made.size);
    this.made.set(key, known);
    return known;
  }

  /** A name in the core that leads out of any root. No kernel or dynamic linker writes one, but gdb would follow it. */
  async nameOutside(image: CoreImage): Promise<string | undefined> {
    const libraries = await librariesOf(image);
    const names = [...image.core.mappings.map(({ path }) => path), ...libraries.map(({ name }) => name)];
    return names.find((name) => pathBelow('/root', name) === undefined);
  }

  private make(links: ReadonlyMap<string, string>, index: number): LibraryRoot {
    const root = join(this.folder(), `${libraryRootName}-${index}`);
    mkdirSync(join(root, workingFolder), { recursive: true });
    const folders = new Set<string>();
    const makeFolder = (folder: string): void => {
      if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
      folders.add(folder);
    };
    for (const [name, here] of links) {
      const path = pathBelow(root, name);
      if (path === undefined) continue;
      for (const upwards of name.matchAll(/\/\.\.(?=\/)/g))
        makeFolder(pathBelow(root, name.slice(0, upwards.index)) ?? root);
      makeFolder(dirname(path));
      symlinkSync(here, path);
    }
    return { folder: root, workingFolder: join(root, workingFolder) };
  }
}

/** Undefined for a name that leads out of it, on its way at least. */
function pathBelow(root: string, name: string): string | undefined {
  const from = isAbsolute(name) ? root : join(root, workingFolder);
  const ways = [...name.matchAll(/\/|$/g)].map(({ index }) => join(from, name.slice(0, index)));
  return ways.every((way) => way === root || way.startsWith(`${root}/`)) ? join(from, name) : undefined;
}
