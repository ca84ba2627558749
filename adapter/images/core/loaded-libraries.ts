/** The libraries that the process of a core file had loaded: by which names, and which of them a debugger finds by these. */
import { normalize } from 'node:path';
import { dynamicSectionOf } from '../modules/link-map';
import type { FoundFile } from './core-files';
import type { CoreImage } from './core-image';

/** The names that the dynamic linker knew them by, and what there is of them here. */
export async function librariesOf(image: CoreImage): Promise<{ name: string; file: FoundFile | undefined }[]> {
  const named = (await image.linkMap()).filter(({ name }) => name !== '');
  return named.map(({ name, dynamicSection }) => ({ name, file: image.fileAt(dynamicSection) }));
}

/** Whether a name is one of several files that the process had loaded: one had taken the place of another. */
export async function sharedNames(image: CoreImage): Promise<(name: string) => boolean> {
  const files = new Map<string, Set<string>>();
  const mapped = image.mappedFiles().map((file) => ({ name: file.path, file }));
  for (const { name, file } of [...mapped, ...(await librariesOf(image))]) {
    const known = files.get(normalize(name)) ?? new Set();
    if (file !== undefined) files.set(normalize(name), known.add(file.file));
  }
  return (name) => (files.get(normalize(name))?.size ?? 0) > 1;
}

/**
 * Those that a debugger finds by no name, and how far they lie from their own addresses: of other namespaces of the dynamic linker
 * (dlmopen), and of names that are shared.
 */
export async function namelessLibraries(image: CoreImage): Promise<{ here: string; bias: bigint }[]> {
  const [isShared, names] = [await sharedNames(image), await image.linkMap()];
  if (names.length === 0) return [];
  const named = new Set(names.flatMap(({ name, dynamicSection }) => (isShared(name) ? [] : [dynamicSection])));
  return (await image.linkedModules()).flatMap((each) => {
    const at = dynamicSectionOf(each)?.address;
    const here = at === undefined || each.module.isExecutable ? undefined : image.fileAt(at)?.here;
    return here === undefined || named.has(at!) ? [] : [{ here, bias: each.module.bias }];
  });
}

/** Those of which nothing can be read: the file is not here, or another one has its name. */
export async function lostLibraries(image: CoreImage): Promise<FoundFile[]> {
  const modules = await image.linkedModules();
  const found = modules.map(
    ({
      module: {
        segments: [first],
      },
    }) => first && image.fileAt(first.address)?.file,
  );
  const listed = (await librariesOf(image)).map(({ file }) => file?.file);
  const libraries = new Set([...found, ...listed]);
  const program = image.program()?.file;
  return image.mappedFiles().filter(({ file, here, unlike }) => {
    return here === undefined && file !== program && (unlike !== undefined || libraries.has(file));
  });
}
