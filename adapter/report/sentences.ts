/** Sentences that the reader should see first. */
import { html, type Html } from './html';

/** Each on its own line, set off from the rest. */
export function sentences(texts: readonly string[]): Html | undefined {
  if (texts.length === 0) return undefined;
  return html`<ul class="sentences">
    ${texts.map((text) => html`<li>${text}</li>`)}
  </ul>`;
}
