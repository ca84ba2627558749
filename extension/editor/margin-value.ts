/** What of a value a person would write in the margin: numbers, short texts, handles. */

/** Characters of one value: the whole of it is in the hover. */
const maxValue = 40;
/** Behind the value of a variable that differs between ranks. */
const mark = ' ≠';

/** The short form of a value that the Variables view shows; undefined: it says nothing in a margin, as an address. */
export function inMargin(shown: string, room = maxValue): string | undefined {
  const [told, end] = shown.endsWith(mark) ? [shown.slice(0, -mark.length), mark] : [shown, ''];
  // Where a text lies says nothing, nor does the type of what is told in words: "receive from 2 · tag 1".
  const value = told.replace(/^0x[0-9a-f]+ (?=")|^MPI_(?:Request|Message|Status) · /, '');
  if (saysNothing.test(value)) return undefined;
  const short = shortened(value, Math.min(room, maxValue));
  return short === undefined ? undefined : `${short}${end}`;
}

/** Addresses, what has no name or no value, and gdb's words in place of a value. */
const saysNothing =
  /^(\([^"]*\) ?)?@?0x[0-9a-f]+\b|^lambda\b|^not set yet$|^cannot be read$|^\{\.\.\.\}$|^$|^<|^optimized out/;

function shortened(value: string, max: number): string | undefined {
  if (value.length <= max) return value;
  // The last details of a handle are missed least.
  const details = value.split(' · ');
  while (details.length > 1 && details.join(' · ').length > max) details.pop();
  const left = details.join(' · ');
  if (left.length <= max) return left;
  const counts = withoutLastCounts(left, max);
  if (counts !== undefined) return counts;
  // A text is cut within its quotes; half of anything else is none.
  const quote = /^(["']).*\1$/s.exec(value)?.[1];
  return quote === undefined ? undefined : `${value.slice(0, max - 2)}…${quote}`;
}

/** "2 completed operations, 2 receives, …" of a list of handles; undefined: it is none, or not even the first has room. */
function withoutLastCounts(value: string, max: number): string | undefined {
  const counts = value.split(', ');
  if (!counts.every((count) => /^\d+ [a-z ]+$|^all [a-z]+$|^(?:\d+ × )?MPI_\w+$/.test(count))) return undefined;
  const cut = (): string => `${counts.join(', ')}, …`;
  while (counts.length > 1 && cut().length > max) counts.pop();
  return cut().length > max ? undefined : cut();
}
