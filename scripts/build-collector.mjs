// Compiles what mpidbg loads into ranks: dist/mpidbg-collector.so, dist/mpidbg-calls.so, which wraps MPI's functions
// and is loaded where calls are collected, dist/mpidbg-ompt.so, the tool of OpenMP runtimes, and dist/mpidbg-deaths.so,
// which sees how ranks die. Only libc is needed.
import { execFile } from 'node:child_process';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { filesBelow } from './files.mjs';
import { isMain, root } from './process.mjs';

/** For the one that is shipped: of an old C library only, whatever this machine has. */
const forOldGlibc = ['-include', '../old-glibc.h', '-Wl,--no-as-needed', '-l:libdl.so.2', '-l:libpthread.so.0'];
// Bound at once: afterwards names of libc may be ours.
const bound = '-Wl,-z,now';
const flags = ['-std=gnu11', '-fPIC', '-shared', '-fvisibility=hidden', '-pthread', '-Wall', '-Wextra', bound];
const names = '-Wl,--version-script=../names.map';
const libraries = [
  { name: 'mpidbg-collector.so', folder: 'adapter/collector/native', optimized: '-O2' },
  { name: 'mpidbg-ompt.so', folder: 'adapter/collector/ompt', optimized: '-O2' },
  {
    name: 'mpidbg-deaths.so',
    folder: 'adapter/collector/deaths',
    optimized: '-O2',
    shared: ['../native/presence.c', '../native/loaded-object.c'],
    processors: ['x64'],
  },
  // Thousands of functions of a few instructions.
  { name: 'mpidbg-calls.so', folder: 'adapter/collector/calls', optimized: '-O1' },
];

/** shared: files of another library's. processors: where it can be built; undefined: everywhere. */
async function build({ name, folder, optimized, shared = [], processors }) {
  const target = join(root, 'dist', name);
  if (isUpToDate(target) || processors?.includes(process.arch) === false) return;
  const unfinished = `${target}.${process.pid}`;
  const cwd = join(root, folder);
  const sources = readdirSync(cwd).filter((file) => file.endsWith('.c'));
  const oldGlibc = process.arch === 'x64' ? forOldGlibc : ['-ldl'];
  try {
    await promisify(execFile)(
      process.env.CC ?? 'cc',
      [...flags, optimized, '-o', unfinished, ...sources, ...shared, names, ...oldGlibc],
      {
        cwd,
      },
    );
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw new Error(`the collector cannot be compiled: ${error.stderr || error.message}`, { cause: error });
  }
}

/** Newer than everything that it is made of: the wrappers take a compiler many seconds. */
function isUpToDate(target) {
  const sources = ['.c', '.h', '.map'].flatMap((end) => filesBelow(root, 'adapter/collector', end));
  const ages = [...sources, 'scripts/build-collector.mjs'].map((file) => statSync(join(root, file)).mtimeMs);
  const made = statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return made > Math.max(...ages);
}

/** Rejects with an error that carries the compiler's messages. */
export async function buildCollector() {
  await Promise.all(libraries.map(build));
}

if (isMain(import.meta.url)) await buildCollector();
