/** GDB/MI Support Commands and Miscellaneous Commands. */
import type { MiCommands } from './context';

/** "13.1"; "" when gdb does not tell. */
export async function gdbVersion(gdb: MiCommands): Promise<string> {
  const printed = await gdb.console('show version');
  return /(\d+\.\d+(?:\.\d+)*)/.exec(printed.split('\n')[0] ?? '')?.[1] ?? '';
}

export async function gdbSet(gdb: MiCommands, name: string, value: string): Promise<void> {
  await gdb.command(`-gdb-set ${name} ${value}`);
}
