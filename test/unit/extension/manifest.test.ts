import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { attachAttributes, launchAttributes } from '../../../extension/manifest/attributes';
import { localized } from '../../../extension/manifest/localized';
import { manifest } from '../../../extension/manifest/manifest';
import { reference } from '../../../scripts/reference';
import { textsOf, textsOfExtension } from '../../../scripts/localizable-texts';

const root = path.join(__dirname, '../../..');
const jsonOf = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(root, name), 'utf8')) as Record<string, unknown>;

describe('extension manifest', () => {
  it('is what package.json holds (if not: npm run manifest)', () => {
    const packageJson = jsonOf('package.json');
    const { manifest: part, texts } = localized(manifest);
    for (const [key, value] of Object.entries(part)) {
      assert.deepEqual(packageJson[key], JSON.parse(JSON.stringify(value)), key);
    }
    assert.deepEqual(jsonOf('package.nls.json'), texts);
    assert.deepEqual(jsonOf('l10n/bundle.l10n.json'), textsOfExtension(path.join(root, 'extension')));
  });

  it('is what docs/reference.md tells of, with the command line (if not: npm run manifest)', async () => {
    assert.equal(readFileSync(path.join(root, 'docs/reference.md'), 'utf8'), await reference());
  });

  it('has no text of its own beside those that are translated', () => {
    const { contributes } = localized(manifest).manifest as { contributes: { commands: { title: string }[] } };
    for (const { title } of contributes.commands) assert.match(title, /^%[\w.]+%$/);
  });

  it('has each text that is translated in the bundle, and refuses those that a translation would not reach', () => {
    assert.deepEqual(textsOf('a.ts', "const a = () => l10n.t('{0} of {1}', b, l10n.t('c'));"), ['{0} of {1}', 'c']);
    assert.deepEqual(textsOf('a.ts', 'class A { b = l10n.t("c"); }'), ['c']);
    assert.deepEqual(textsOf('a.ts', "import './kit/translation';\nl10n.t('c');"), ['c']);
    for (const [code, why] of [
      ['const a = () => vscode.l10n.t("b");', /write l10n\.t/],
      ['const a = (b: string) => l10n.t(b);', /needs a text/],
      ['const a = () => l10n.t("{0} of {1}", b);', /a value for each placeholder/],
      ['const a = () => l10n.t("{0}", ...b);', /a value for each placeholder/],
      ["import './elements';\nconst a = l10n.t('b');", /too early/],
      ["class A { static b = l10n.t('c'); }", /too early/],
    ] as const)
      assert.throws(() => textsOf('a.ts', code), why);
  });

  it('offers no snippet or initial configuration with an unknown attribute', () => {
    const known = {
      launch: new Set([...Object.keys(launchAttributes), 'type', 'request', 'name']),
      attach: new Set([...Object.keys(attachAttributes), 'type', 'request', 'name']),
    };
    const [debuggerPart] = manifest.contributes.debuggers;
    assert.ok(debuggerPart);
    const bodies = [
      ...debuggerPart.configurationSnippets.map(({ body }) => body),
      ...debuggerPart.initialConfigurations,
    ];
    for (const body of bodies) {
      const names = known[body.request as 'launch' | 'attach'];
      assert.deepEqual(
        Object.keys(body).filter((name) => !names.has(name)),
        [],
        body.name,
      );
    }
  });

  it('takes breakpoints in C, C++ and in every Fortran file that it declares', () => {
    const languages = manifest.contributes.breakpoints.map(({ language }) => language);
    for (const language of ['c', 'cpp', ...manifest.contributes.languages.map(({ id }) => id)]) {
      assert.ok(languages.includes(language), language);
    }
  });
});
