// Checks that the C code that is loaded into ranks compiles without warnings, by gcc and, if it is installed, by clang. Writes no files.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './process.mjs';

const wanted = ['-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-Werror'];
const flags = [
  '-std=gnu11',
  '-fPIC',
  '-fvisibility=hidden',
  '-pthread',
  '-include',
  '../old-glibc.h',
  '-fsyntax-only',
  ...wanted,
];

async function warnings(compiler, folder) {
  const cwd = join(root, 'adapter/collector', folder);
  const sources = readdirSync(cwd).filter((file) => file.endsWith('.c'));
  try {
    await promisify(execFile)(compiler, [...flags, ...sources], { cwd, maxBuffer: 1 << 26 });
    return '';
  } catch (error) {
    return error.code === 'ENOENT' ? undefined : `${compiler}, ${folder}:\n${error.stderr || error.message}`;
  }
}

const folders = ['native', 'calls', 'ompt', ...(process.arch === 'x64' ? ['deaths'] : [])];
const found = await Promise.all(
  ['gcc', 'clang'].flatMap((compiler) => folders.map((folder) => warnings(compiler, folder))),
);
const told = found.filter((text) => text);
console.log(
  told.length === 0 ? `${found.filter((text) => text === '').length} compilations without a warning` : told.join('\n'),
);
process.exitCode = told.length === 0 && found.some((text) => text === '') ? 0 : 1;
