/** HTML whose holes are safe: what goes in is text, unless it is Html itself. */

import { visible } from '../../plugin-api/visible-text';

/** Markup that is ready for the page. */
export class Html {
  constructor(readonly markup: string) {}
}

type Hole = Html | string | number | undefined | readonly Hole[];

/**
 * html`<p>${text}</p>`: text is escaped, also between quotes of an attribute; a list is put one after the other, undefined
 * is nothing. A hole is between tags or in a quoted attribute, never in a script, a style or a tag's name.
 */
export function html(strings: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  return new Html(strings.map((string, i) => unindented(string) + markupOf(holes[i])).join(''));
}

/** The indentation of our source is nothing to send. */
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
