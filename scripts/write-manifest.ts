// Writes the part of package.json that VS Code reads, which extension/manifest/manifest.ts makes from typed sources, the
// English of all texts of the extension, for translators, and docs/reference.md.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { localized } from '../extension/manifest/localized';
import { manifest } from '../extension/manifest/manifest';
import { textsOfExtension } from './localizable-texts';
import { reference } from './reference';

const root = path.join(__dirname, '..');
const write = (file: string, value: unknown): void =>
  writeFileSync(path.join(root, file), `${JSON.stringify(value, undefined, 2)}\n`);

const packageJson = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
const { manifest: part, texts } = localized(manifest);
write('package.json', { ...packageJson, ...part });
write('package.nls.json', texts);
write('l10n/bundle.l10n.json', textsOfExtension(path.join(root, 'extension')));
void reference().then((text) => writeFileSync(path.join(root, 'docs/reference.md'), text));
