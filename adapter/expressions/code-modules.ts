/** Which file an address of code belongs to: all that a stack needs to know of a process' modules. */
import type { Module } from '../../plugin-api/image';
import type { HostProcess } from '../hosts/host-process';

export type CodeModule = Pick<Module, 'path' | 'isExecutable' | 'segments'>;

/**
 * Of a live process, without opening any of the files: for the stacks of 64 ranks that would take a second.
 * Rejects with ProcessAccessError.
 */
export async function codeModulesOf(process: HostProcess): Promise<CodeModule[]> {
  const [mappings, program] = await Promise.all([process.maps(), process.program()]);
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
