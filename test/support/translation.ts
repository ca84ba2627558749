/** A language for tests: our own words of every text stand in brackets, so that words outside of them were never translated. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as l10n from '@vscode/l10n';

const bundle = path.join(__dirname, '../../l10n/bundle.l10n.json');

/** "{0} of {1} ranks" becomes "{0}‹ of ›{1}‹ ranks›": what a placeholder stands for is judged by itself. */
function inBrackets(text: string): string {
  return text
    .split(/(\{\d+\})/)
    .map((part) => (part === '' || part.startsWith('{') ? part : `‹${part}›`))
    .join('');
}

/** For the tests of a suite. */
export function speakInBrackets(): void {
  before(() => {
    const texts = Object.keys(JSON.parse(readFileSync(bundle, 'utf8')) as object);
    l10n.config({ contents: Object.fromEntries(texts.map((text) => [text, inBrackets(text)])) });
  });
  after(() => l10n.config({ contents: {} }));
}

/**
 * Throws where Latin letters are left: what tests have the adapter say is Greek. `said`: what it says in English all the same.
 * Throws, too, if no text has words of ours.
 */
export function assertTranslated(texts: readonly string[], said: readonly string[] = []): void {
  const longestFirst = [...said].sort((a, b) => b.length - a.length);
  for (const text of texts) {
    const rest = longestFirst.reduce((left, each) => left.replaceAll(each, ''), text.replace(/‹[^›]*›/g, ' '));
    assert.doesNotMatch(rest.replace(/\bMPI_\w+/g, ''), /[a-z]/i, text);
  }
  assert.ok(
    texts.some((text) => text.includes('‹')),
    texts.join('\n'),
  );
}
