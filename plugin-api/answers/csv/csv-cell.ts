/** A cell of CSV (RFC 4180). */
import { visibleLines } from '../../visible-text';

/** A spreadsheet takes a text that begins so for a formula; a terminal may show the rows. */
export function csvCell(text: string): string {
  const shown = visibleLines(text);
  const safe = /^\s*[=+\-@]/.test(text) ? `'${shown}` : shown;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
