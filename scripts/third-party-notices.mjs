// The licences of the packages whose code a bundle carries, as one text: their authors ask for it wherever the code goes.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The packages, as folders below the root, of which esbuild's metafiles name files that it put into a bundle. */
export function packagesIn(metafiles) {
  const bundled = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(bundled.filter((folder) => folder !== undefined))].sort();
}

const isLicence = (file) => /^(licen[cs]e|copying)([.-].*)?$/i.test(file);

/** Some packages name the MIT licence without a copy of it. */
const mitOf = (author) => `MIT License

Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

async function licenceOf(folder, { name, version, license, author }) {
  const files = (await readdir(folder)).filter(isLicence).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  if (texts.length > 0) return texts.map((text) => text.trim()).join('\n\n');
  const holder = author?.name ?? author;
  if (license === 'MIT' && holder !== undefined) return mitOf(holder);
  throw new Error(`${name} ${version} (${license}) comes without its licence, which has to be shipped with its code`);
}

async function noticeOf(folder) {
  const about = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return `${about.name} ${about.version} (${about.license})\n\n${await licenceOf(folder, about)}\n`;
}

/** @throws {Error} for a package without a licence text. */
export async function thirdPartyNotices(root, metafiles) {
  const notices = await Promise.all(packagesIn(metafiles).map((folder) => noticeOf(join(root, folder))));
  const heading = 'mpidbg contains code of these packages, each under its own licence.\n';
  return [heading, ...notices].join(`\n${'-'.repeat(80)}\n\n`);
}
