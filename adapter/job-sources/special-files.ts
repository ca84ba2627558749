/**
 * What gdb opens by itself when it attaches to a process: the program, the libraries that the process says it has, and what
 * lies beside them. The process may name anything; gdb does not look first what that is, and waits for ever for a FIFO.
 */
import { resolve } from 'node:path';
import { ElfError } from '../elf/byte-source';
import type { HostProcess } from '../hosts/host-process';
import { ProcessAccessError } from '../hosts/process-access-error';
import { readLiveModules } from '../images/live/live-modules';
import { readLinkMap } from '../images/modules/link-map';
import { neighbours } from '../elf/special-neighbours';

/** The first of them that gdb would wait for. Of a process that may not be read, or is gone, gdb will tell. */
export async function specialFileOf(process: HostProcess): Promise<string | undefined> {
  for (const name of await filesForGdb(process)) if (await isSpecial(process, name)) return name;
  return undefined;
}

async function filesForGdb(process: HostProcess): Promise<ReadonlySet<string>> {
  const memory = process.openMemory();
  try {
    const [maps, path] = await Promise.all([process.maps(), process.program()]);
    const { all } = await readLiveModules(process, maps, memory, path);
    const [program] = all;
    const linked = program === undefined ? [] : await readLinkMap(program, memory);
    const named = linked.flatMap(({ name }) => (name === '' ? [] : [resolve(name)]));
    return new Set([
      ...all.flatMap(({ module, elf }) => [module.path, ...neighbours([module.path], elf, [])]),
      ...named.flatMap((name) => [name, `${name}-gdb.py`]),
    ]);
  } catch (error) {
    if (error instanceof ProcessAccessError) return new Set();
    throw error;
  } finally {
    memory.close();
  }
}

/** gdb does not wait for a folder, which alone has something behind the slash. */
async function isSpecial(process: HostProcess, name: string): Promise<boolean> {
  return (await isNoRegular(process, name)) && !(await isNoRegular(process, `${name}/.`));
}

async function isNoRegular(process: HostProcess, name: string): Promise<boolean> {
  try {
    (await process.openNamed(name)).close();
    return false;
  } catch (error) {
    if (error instanceof ElfError) return true;
    // It is not there, or not for us and gdb.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
