/** What the reader should see first. */
import { html, type Html } from './html';

/** Each on a line of its own, set off from what is around. */
export function sentences(texts: readonly string[]): Html | undefined {
  if (texts.length === 0) return undefined;
  return html`<ul class="sentences">
    ${texts.map((text) => html`<li>${text}</li>`)}
  </ul>`;
}
