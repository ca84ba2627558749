/** The modules of a live process: its files as they lie on the disk of its host, or what is left of them in its memory. */
import { isDeepStrictEqual } from 'node:util';
import type { ProcessMemory } from '../../hosts/host';
import type { HostProcess } from '../../hosts/host-process';
import type { LiveMapping } from '../../hosts/process-maps';
import type { LinkedModules } from '../modules/linked-modules';
import { linkMappedModules } from '../modules/mapped-modules';
import { findMappedFile, type MappedFile } from './mapped-file';

/** The mappings of a process. */
export interface Mapped {
  mappings: readonly LiveMapping[];
  /** Path of the program; undefined where it may not be seen. */
  program: string | undefined;
}

interface Read {
  mapped: Mapped;
  linked: LinkedModules;
  /** Every file with code, also those that are no module because nothing of them can be read. */
  files: readonly MappedFile[];
  /** The same text as long as the same files with code are at the same places, with the same content. */
  codeState: string;
  /** The names of the files with code, and what was there before these were read: HostProcess.namedStates. */
  names: readonly string[];
  states: readonly (string | undefined)[];
}

interface LastRead extends Read {
  /** Those of the maps that it was read for. */
  lines: string;
}

const lastRead = new WeakMap<HostProcess, LastRead>();

/**
 * Most stops find the same files mapped as before: then the modules are the same, too. `whenMapped` gets the mappings while the
 * files are being opened, the same object as long as the files are the same. Rejects with ProcessAccessError.
 */
export async function liveModulesOf(
  process: HostProcess,
  memory: ProcessMemory,
  whenMapped?: (mapped: Mapped) => void,
): Promise<LinkedModules> {
  return (await readModules(process, memory, whenMapped)).linked;
}

/** As liveModulesOf, with where the bytes of each file can be read. */
export async function readModules(
  process: HostProcess,
  memory: ProcessMemory,
  whenMapped: (mapped: Mapped) => void = () => undefined,
): Promise<Read> {
  const last = lastRead.get(process);
  const [maps, program, isSame] = await Promise.all([
    process.mapsText(),
    process.program(),
    last !== undefined && process.namedStates(last.names).then((states) => isDeepStrictEqual(states, last.states)),
  ]);
  const lines = mappedFiles(maps);
  if (last?.lines === lines && isSame) {
    whenMapped(last.mapped);
    return last;
  }
  const mapped = { mappings: process.mappingsIn(maps), program };
  const code = mapped.mappings.filter(({ file, executable }) => file !== undefined && executable);
  const names = [...new Set(code.map(({ path }) => path))].sort();
  // Asked for first: of what changes from now on, the next look sees that it has.
  const states = process.namedStates(names);
  const files: MappedFile[] = [];
  const reading = linkMappedModules(mapped.mappings, memory, {
    isExecutable: ({ path }) => path === program,
    open: async (ofFile, isExecutable) => {
      const file = await findMappedFile(process, memory, ofFile, isExecutable);
      files.push(file);
      return file.elf;
    },
  });
  whenMapped(mapped);
  const [linked, before] = await Promise.all([reading, states]);
  const codeState = JSON.stringify([code.map(({ start, file, path }) => [String(start), file, path]), before]);
  const read = { mapped, linked, files, codeState, lines, names, states: before };
  lastRead.set(process, read);
  return read;
}

/** The heap and other anonymous memory come and go. */
function mappedFiles(maps: string): string {
  return maps
    .split('\n')
    .filter((line) => line.includes('/'))
    .join('\n');
}
