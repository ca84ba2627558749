/** A cell of CSV (RFC 4180). */

/** A spreadsheet takes a text that begins so for a formula. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
