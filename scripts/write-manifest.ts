// Writes the part of package.json that VS Code reads, which extension/manifest/manifest.ts makes from typed sources.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { manifest } from '../extension/manifest/manifest';

const file = path.join(__dirname, '..', 'package.json');
const packageJson = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
writeFileSync(file, `${JSON.stringify({ ...packageJson, ...manifest }, undefined, 2)}\n`);
