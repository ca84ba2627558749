/** What a launcher has printed before it gave up, in one line. */

const frame = /^[-=*\s|]*$/;
const saysWhy = /\b(error|denied|refused|cannot|could not|unable|not found|no such|fail(ed|ure)?|invalid|already)\b/i;

/** Lines of a list that are told. */
const maxItems = 3;

/**
 * The line that says why, else the first one, and the list that it announces; without the rows of dashes around it. undefined: it has
 * printed nothing.
 */
export function complaintIn(printed: string): string | undefined {
  const lines = printed.split('\n').filter((line) => !frame.test(line));
  const why = lines.find((line) => saysWhy.test(line)) ?? lines[0];
  if (why === undefined) return undefined;
  const told = why.trim();
  if (!told.endsWith(':')) return told;
  const after = lines.slice(lines.indexOf(why) + 1, lines.indexOf(why) + 1 + maxItems);
  const end = after.findIndex((line) => !/^\s/.test(line));
  const items = (end < 0 ? after : after.slice(0, end)).map((line) => line.trim().replace(/\s+/g, ' '));
  return items.length === 0 ? told : `${told} ${items.join('; ')}`;
}
