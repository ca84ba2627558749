/** Which file an address of code belongs to: all that a stack needs to know of a process' modules. */
import { readlinkSync } from 'node:fs';
import type { Module } from '../../plugin-api/image';
import { parseMaps, readMapsText } from '../hosts/process-maps';

export type CodeModule = Pick<Module, 'path' | 'isExecutable' | 'segments'>;

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

/** Undefined for code that is in no file. */
export function moduleOf(
  { address }: { address: bigint | undefined },
  modules: readonly CodeModule[],
): CodeModule | undefined {
  if (address === undefined) return undefined;
  return modules.find(({ segments }) =>
    segments.some((segment) => segment.address <= address && address < segment.address + BigInt(segment.size)),
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
