/**
 * What gdb opens by itself when it attaches to a process: the program, the libraries that the process says it has, and what
 * lies beside them. The process may name anything; gdb does not look first what that is, and waits for ever for a FIFO.
 */
import { resolve } from 'node:path';
import { ElfError } from '../elf/byte-source';
import type { Host } from '../hosts/host';
import type { HostProcess } from '../hosts/host-process';
import { ProcessAccessError } from '../hosts/process-access-error';
import { liveModulesOf } from '../images/live/live-modules';
import { isOfEachProcess } from '../images/live/symbol-files';
import { readLinkMap } from '../images/modules/link-map';
import { neighbours } from '../elf/special-neighbours';

/** Checks the files of all processes of one attach. Ranks share most of their files, so each file is checked once. */
export class SpecialFiles {
  /** By host and view, whether what has this name is special. */
  private readonly known = new Map<Host, Map<string, Promise<boolean>>>();

  /** The first file of the process that gdb would wait for. Of a process that may not be read, or is gone, gdb will tell. */
  async of(process: HostProcess): Promise<string | undefined> {
    const [names, view] = await Promise.all([filesForGdb(process), process.fileView()]);
    const key = view ?? String(process.pid);
    const areSpecial = await Promise.all(names.map((name) => this.isSpecial(process, key, name)));
    return names.find((_, index) => areSpecial[index]);
  }

  private isSpecial(process: HostProcess, view: string, name: string): Promise<boolean> {
    let ofHost = this.known.get(process.host);
    if (ofHost === undefined) this.known.set(process.host, (ofHost = new Map<string, Promise<boolean>>()));
    const key = `${view} ${name}`;
    let answer = ofHost.get(key);
    if (answer === undefined) ofHost.set(key, (answer = isSpecial(process, name)));
    return answer;
  }
}

async function filesForGdb(process: HostProcess): Promise<readonly string[]> {
  const memory = process.openMemory();
  try {
    const { all } = await liveModulesOf(process, memory);
    const [program] = all;
    const linked = program === undefined ? [] : await readLinkMap(program, memory);
    // gdb is kept from looking for names that mean something else to each process.
    const named = linked.flatMap(({ name }) => (name === '' || isOfEachProcess(name) ? [] : [resolve(name)]));
    return [
      ...new Set([
        ...all.flatMap(({ module, elf }) => [module.path, ...neighbours([module.path], elf, [])]),
        ...named.flatMap((name) => [name, `${name}-gdb.py`]),
      ]),
    ];
  } catch (error) {
    if (error instanceof ProcessAccessError) return [];
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
