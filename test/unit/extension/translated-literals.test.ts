/** The source of the extension has no English that users read outside of l10n.t: also where only VS Code or a page runs it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { englishLiterals } from '../../support/english-literals';

const extension = path.join(__dirname, '../../../extension');

/** Names, and examples of the user's own code. package.nls.json has the texts of the manifest. */
const excused = new Set(['OpenMP', 'MPI: ', 'residual > 0.1', 'grid']);

const textsIn = (code: string): string[] => englishLiterals('a.ts', code).map(({ text }) => text);

describe('English in the source of the extension', () => {
  it('goes through the translation', () => {
    const files = readdirSync(extension, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.startsWith('manifest'),
    );
    const found = files.flatMap((name) => englishLiterals(name, readFileSync(path.join(extension, name), 'utf8')));
    assert.ok(files.length > 80);
    assert.deepEqual(
      found.filter(({ text }) => !excused.has(text)),
      [],
    );
  });

  it('is found as a label, as a part of a text, in an error and in an element of a page', () => {
    assert.deepEqual(textsIn("const a = { id: 'rank 1', label: 'running' };"), ['running']);
    assert.deepEqual(textsIn('const a = { label: b ? `${c} ranks` : l10n.t("none of them") };'), [' ranks']);
    assert.deepEqual(textsIn("const a = () => { throw new Error('gone'); };"), ['gone']);
    assert.deepEqual(textsIn("element('p', { class: 'quiet', title: 'more' }, 'text');"), ['more', 'text']);
    assert.deepEqual(textsIn("const words = { a: () => 'of each rank' };"), ['of each rank']);
  });

  it('is none where texts are compared, name something, or are of the translation', () => {
    assert.deepEqual(textsIn("const a = { label: b === 'deadlock' ? c : d[`rank one`] };"), []);
    assert.deepEqual(textsIn("const a = { label: l10n.t('{0} ranks', 3), tooltip: `$(target) ${a}` };"), []);
    assert.deepEqual(textsIn("import a from 'an odd name'; type B = 'series one' | 'more of it';"), []);
  });
});
