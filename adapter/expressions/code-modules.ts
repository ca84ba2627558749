/** Which file an address of code belongs to: all that a stack needs to know about a process's modules. */
import type { Module } from '../../plugin-api/image';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { LibraryCode } from '../../plugin-api/mpi/library-code';
import type { HostProcess } from '../hosts/host-process';

export type CodeModule = Pick<Module, 'path' | 'isExecutable' | 'segments'>;

/** The code of a process, and the MPIs whose code is not the program's. */
export interface ProcessCode {
  readonly modules: readonly CodeModule[];
  readonly mpis: KnownMpis;
  /** What of the rest is a library's, which the program uses to call MPI; by default the shipped list. */
  readonly libraries?: LibraryCode;
}

/**
 * The code of a live process, without opening any of the files: for the stacks of 64 ranks that would take a second. Rejects
 * with ProcessAccessError.
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

/** Undefined for code that is in no file. */
export function moduleOf(
  { address }: { address: bigint | undefined },
  { modules }: ProcessCode,
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
