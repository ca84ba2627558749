/** Editor, language server and debugger recognise the same files as Fortran. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { languageOf } from '../../adapter/expressions/frames';
import { fortranLanguages } from '../../extension/manifest/languages';
import { fortranSourcesBelow } from '../../extension/fortran/server/workspace-files';
import { fortranExtensions } from '../../plugin-api/fortran/file-names';

describe('Fortran file names', () => {
  const ofEditor = fortranLanguages.flatMap(({ extensions }) => extensions);

  it('are the same for the editor and the debugger, in upper case too', () => {
    assert.deepEqual([...ofEditor].sort(), fortranExtensions.map((each) => `.${each}`).sort());
    for (const extension of ofEditor)
      for (const file of [`halo${extension}`, `src/halo${extension.toUpperCase()}`])
        assert.equal(languageOf({ file }), 'fortran', file);
    for (const file of ['halo.c', 'halo.cpp', 'f90', 'halo.f90.c', undefined])
      assert.equal(languageOf({ file }), 'c', file);
  });

  it('are the same for the language server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
    try {
      const names = ofEditor.flatMap((extension) => [`low${extension}`, `UP${extension.toUpperCase()}`]);
      for (const name of [...names, 'halo.c', 'Makefile']) writeFileSync(join(folder, name), 'end\n');
      const found: string[] = [];
      for await (const { file } of fortranSourcesBelow(folder)) found.push(file.slice(folder.length + 1));
      assert.deepEqual(found.sort(), names.sort());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
