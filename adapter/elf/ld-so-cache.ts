/** /etc/ld.so.cache: where ldconfig has found the libraries of the system's folders. */
import { withFile, type OpenFile } from './distant-bytes';
import { readCString } from './elf-symbols';
import { unlessShort } from './shortage-error';

const MAGIC = 'glibc-ld.so.cache1.1';
const HEADER_SIZE = 48;
const ENTRY_SIZE = 24;

/** Paths by library name, best first. Empty without a cache (musl, an unconfigured container) or with a broken one. */
export async function readLdSoCache(open: OpenFile): Promise<Map<string, string[]>> {
  const libraries = new Map<string, string[]>();
  const bytes = await withFile('/etc/ld.so.cache', open, (file) => file.read(0, file.size)).catch(
    unlessShort(Buffer.alloc(0)),
  );
  // An old-format cache may precede it.
  const start = bytes.indexOf(MAGIC);
  if (start < 0 || start + HEADER_SIZE > bytes.length) return libraries;
  const cache = bytes.subarray(start);
  const count = Math.min(cache.readUInt32LE(20), Math.floor((cache.length - HEADER_SIZE) / ENTRY_SIZE));
  for (let index = 0; index < count; index++) {
    const at = HEADER_SIZE + index * ENTRY_SIZE;
    const name = readCString(cache, cache.readUInt32LE(at + 4));
    const paths = libraries.get(name);
    const file = readCString(cache, cache.readUInt32LE(at + 8));
    if (paths === undefined) libraries.set(name, [file]);
    else paths.push(file);
  }
  return libraries;
}
