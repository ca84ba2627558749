/** HTML whose holes are safe: what goes in is text, unless it is Html itself. */

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

/**
 * What no browser may obey or hide: control characters, characters that turn the direction of the text around them or
 * are not seen, and halves of surrogate pairs are written as JavaScript writes them: \u202e.
 */
const unseen =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function escapeHtml(text: string): string {
  return text
    .replace(unseen, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/[&<>"']/g, (c) => entities[c]!);
}
