/** The page around the sections: one file that loads nothing and allows only its own style and script. */
import { createHash } from 'node:crypto';
import { html, Html } from './html';
import { filterScript } from './filter-script';
import { style } from './style';

export interface Section {
  id: string;
  title: string;
  content: Html;
}

/** A whole document. The script only filters: everything can be read without it. */
export function page(title: string, head: Html, sections: readonly Section[]): string {
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(filterScript)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`${new Html('<!DOCTYPE html>')}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        ${new Html(`<style>${style}</style>`)}
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          ${head}
          <nav aria-label="Sections">
            <ul>
              ${sections.map((section) => html`<li><a href="#${section.id}">${section.title}</a></li>`)}
            </ul>
          </nav>
          <form id="filter" role="search" hidden>
            <label>Ranks <input id="filter-ranks" placeholder="0-3,7" autocomplete="off" spellcheck="false" /></label>
            <label>Text <input id="filter-text" autocomplete="off" spellcheck="false" /></label>
            <button type="reset">Show all</button>
            <span id="filter-state" role="status"></span>
          </form>
        </header>
        <main>
          ${sections.map(
            ({ id, title: heading, content }) =>
              html`<section id="${id}" aria-labelledby="${id}-title">
                <h2 id="${id}-title">${heading}</h2>
                ${content}
              </section> `,
          )}
        </main>
        ${new Html(`<script>${filterScript}</script>`)}
      </body>
    </html> `.markup;
}

/** The hash with which the policy allows exactly this text between the tags. */
function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source, 'utf8').digest('base64')}'`;
}
