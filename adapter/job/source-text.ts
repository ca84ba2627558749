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
