/** Whether a source was changed after the code that a breakpoint in it is in was built: its lines may not be where they seem. */
import { stat } from 'node:fs/promises';
import { localHost } from '../hosts/local-host';
import { GdbError } from '../gdb/mi/mi-connection';
import { codeFileAt } from '../gdb/python/code-file';
import type { Rank } from './rank';

/** `address`: of the code in the rank. False where it is not known. */
export async function isNewerThanCode(file: string, rank: Rank | undefined, address: bigint): Promise<boolean> {
  const [thread] = rank?.threads ?? [];
  const { process } = rank ?? {};
  if (thread === undefined || process === undefined || process.host.name !== localHost.name) return false;
  try {
    const path = await codeFileAt(thread, address);
    if (path === undefined) return false;
    const [source, code] = await Promise.all([stat(file), stat(path)]);
    return source.mtimeMs > code.mtimeMs;
  } catch (error) {
    if (error instanceof GdbError || (error instanceof Error && 'code' in error)) return false;
    throw error;
  }
}
