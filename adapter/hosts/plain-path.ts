/** Files whose paths have control characters, for programs that read their commands line by line. */
import { open } from 'node:fs/promises';

/** Calls `use` with a name of the file that has none: its own, or one that is valid as long as `use` runs. Rejects as fs.open does. */
export async function withPlainPath<Result>(path: string, use: (name: string) => Promise<Result>): Promise<Result> {
  if (!/[\u0000-\u001f\u007f]/.test(path)) return use(path);
  const file = await open(path);
  try {
    return await use(`/proc/${process.pid}/fd/${file.fd}`);
  } finally {
    await file.close();
  }
}
