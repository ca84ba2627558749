/** Which file an address of code belongs to: all that a stack needs to know of a process' modules. */
import { readlinkSync } from 'node:fs';
import type { Module } from '../../plugin-api/image';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { parseMaps, readMapsText } from '../hosts/process-maps';

export type CodeModule = Pick<Module, 'path' | 'isExecutable' | 'segments'>;

/** The code of a process, and the MPIs whose code is not the program's. */
export interface ProcessCode {
  readonly modules: readonly CodeModule[];
  readonly mpis: KnownMpis;
}

export function moduleAt({ modules }: ProcessCode, address: bigint): CodeModule | undefined {
  return modules.find(({ segments }) =>
    segments.some((s) => s.address <= address && address < s.address + BigInt(s.size)),
  );
}

/**
 * Of a live process of this host, without opening any of the files: for the stacks of 64 ranks that would take a second.
 * Throws ProcessAccessError.
 */
export function codeModulesOf(pid: number): CodeModule[] {
  const mappings = parseMaps(readMapsText(pid));
  const program = programOf(pid);
  return mappings.flatMap(({ start, end, executable, file, path }) =>
    executable && file !== undefined
      ? [
          {
            path,
            isExecutable: path === program,
            segments: [{ address: start, ...sizes(start, end), writable: false, executable }],
          },
        ]
      : [],
  );
}

function sizes(start: bigint, end: bigint): { size: number; fileSize: number } {
  const size = Number(end - start);
  return { size, fileSize: size };
}

function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '');
  } catch {
    return undefined;
  }
}
