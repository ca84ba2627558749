// Compiles the collector, which mpidbg loads into ranks, to dist/mpidbg-collector.so. Only libc is needed.
import { execFile } from 'node:child_process';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isMain, root } from './process.mjs';

const folder = join(root, 'adapter/collector/native');
const flags = ['-std=gnu11', '-O2', '-fPIC', '-shared', '-fvisibility=hidden', '-pthread', '-Wall', '-Wextra'];

/** Rejects with an error that carries the compiler's messages. */
export async function buildCollector() {
  const target = join(root, 'dist/mpidbg-collector.so');
  const unfinished = `${target}.${process.pid}`;
  const sources = readdirSync(folder).filter((file) => file.endsWith('.c'));
  try {
    await promisify(execFile)(process.env.CC ?? 'cc', [...flags, '-o', unfinished, ...sources, '-ldl'], {
      cwd: folder,
    });
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw new Error(`the collector cannot be compiled: ${error.stderr || error.message}`, { cause: error });
  }
}

if (isMain(import.meta.url)) await buildCollector();
