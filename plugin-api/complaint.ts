/** What a launcher has printed before it gave up, in one line. */

const frame = /^[-=*\s|]*$/;
const saysWhy = /\b(error|denied|refused|cannot|could not|unable|not found|no such|fail(ed|ure)?|invalid|already)\b/i;

/** The line that says why, else the first one; without the rows of dashes around it. undefined: it has printed nothing. */
export function complaintIn(printed: string): string | undefined {
  const lines = printed.split('\n').filter((line) => !frame.test(line));
  return (lines.find((line) => saysWhy.test(line)) ?? lines[0])?.trim();
}
