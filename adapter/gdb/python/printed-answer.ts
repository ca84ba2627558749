/** The one line that a script of ours prints as its answer. */

/**
 * gdb's own news of threads that stop meanwhile may stand before it and behind it, in lines of their own. Throws SyntaxError where no line is JSON.
 */
export function printedAnswer(printed: string): unknown {
  for (const line of printed.split('\n').map((each) => each.trim()))
    if (/^([{["]|-?\d+$|null$|true$|false$)/.test(line)) {
      const answer = parsed(line);
      if (answer !== undefined) return answer.value;
    }
  return JSON.parse(printed);
}

/** `[Switching to Thread 1.2]` begins like an array. */
function parsed(line: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) };
  } catch {
    return undefined;
  }
}
