/** The OpenMP runtime that programs get instead of GCC's: whether this machine can load it, and whether it has OMPT. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { StartError } from '../job/start-error';
import { loads } from './own-build';

/** As it is preloaded: a path, or a name that the loader finds. Throws StartError for what cannot serve. */
export function openmpRuntime(library: string): string {
  if (/[\s:]/.test(library) || !loads(library))
    throw new StartError(`${library} cannot be loaded: name LLVM's OpenMP runtime, such as libomp.so.5, or its path`);
  if (!filesLoadedWith(library).some(isOmptRuntime))
    throw new StartError(
      `${library} has no OMPT, so that nothing can be collected of OpenMP: name LLVM's OpenMP runtime, such as libomp.so.5, or its path`,
    );
  return library;
}

/** The library, and what is loaded besides: the loader says where it has found them. */
function filesLoadedWith(library: string): string[] {
  const env = { LD_PRELOAD: library, LD_TRACE_LOADED_OBJECTS: '1' };
  const { stdout } = spawnSync('/bin/true', { env, encoding: 'utf8' });
  return [...stdout.matchAll(/(?:^\s*|=> )(\/.+) \(0x[0-9a-f]+\)$/gm)].map(([, file]) => file!);
}

/** Whatever such a runtime is, it looks for its tool under this name. */
function isOmptRuntime(file: string): boolean {
  return readFileSync(file).includes('ompt_start_tool');
}
