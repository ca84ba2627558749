/** HTML templates with safe placeholders: values are escaped, unless they are Html. */

import { visible } from '../../plugin-api/visible-text';

/** Markup that is ready for the page. */
export class Html {
  constructor(readonly markup: string) {}
}

type Hole = Html | string | number | undefined | readonly Hole[];

/**
 * html`<p>${text}</p>`: text is escaped, also between quotes of an attribute; lists are concatenated, undefined is
 * empty. Placeholders may stand between tags or in quoted attributes, never in a script, a style or a tag name.
 */
export function html(strings: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  return new Html(strings.map((string, i) => unindented(string) + markupOf(holes[i])).join(''));
}

/** Text of several lines, as it is. */
export function preformatted(text: string): Html {
  return new Html(`<pre>${text.split('\n').map(escapeHtml).join('\n')}</pre>`);
}

/** Drops the indentation of our source. */
function unindented(markup: string): string {
  return markup.replace(/\n\s+/g, '\n');
}

function markupOf(hole: Hole): string {
  if (hole === undefined) return '';
  if (hole instanceof Html) return hole.markup;
  if (typeof hole === 'object') return hole.map(markupOf).join('');
  return escapeHtml(String(hole));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (c) => entities[c]!);
}
