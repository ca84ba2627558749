/** The text of a source, whose path comes from the debug information of a program. */
import { readFile, stat } from 'node:fs/promises';

/** Bytes. */
const maxSource = 16 << 20;

/** undefined: it is not there, is no file, or is too long. */
export async function sourceText(path: string): Promise<string | undefined> {
  try {
    const about = await stat(path);
    return about.isFile() && about.size <= maxSource ? await readFile(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** Whether its lines may not be those of the program any more; true where one of both files is not there. */
export async function isNewerThan(source: string, module: string): Promise<boolean> {
  const [written, built] = await Promise.all([source, module].map((path) => stat(path).catch(() => undefined)));
  return written === undefined || built === undefined || written.mtimeMs > built.mtimeMs;
}
