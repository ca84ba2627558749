/** Recordings tell nothing of the machine that they were made on. */
import { homedir, hostname, userInfo } from 'node:os';
import type { Recording } from '../../adapter/images/recording';

/** Paths that are the same inside every other release (scripts/debian-release.mjs). */
const common = ['/mpidbg', '/root'];

/** Libraries keep copies of paths and variables in their memory, and a block may hold one by chance. */
export function assertNothingPersonal(recordings: readonly Recording[]): void {
  const own = [homedir(), process.cwd(), hostname(), userInfo().username];
  const names = own.filter((name) => name.length > 4 && !common.includes(name));
  for (const { memory } of recordings) {
    for (const { address, bytes } of memory) {
      const found = names.find((name) => Buffer.from(bytes, 'hex').includes(name));
      if (found !== undefined) throw new Error(`not recorded: the memory at 0x${address} holds "${found}"`);
    }
  }
}
