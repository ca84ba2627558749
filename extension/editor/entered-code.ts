/**
 * The code that has been entered of a function of C++: values of its variables do not belong into the bodies of lambdas, which are
 * functions of their own.
 */

/** From its captures to its opening brace; not an index, which follows a name or another bracket. */
const lambda = /(?<![\w)\]]\s*)\[[^[\]]*\]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?[^;{}()=]*\{/y;

/**
 * `lines`: from the beginning of the function to the line that has stopped, without comments and texts. Where the last line is in a
 * lambda, only that is left; otherwise all but the lambdas. Columns stay as they are.
 */
export function withoutOtherFunctions(lines: readonly string[]): string[] {
  const code = lines.join('\n');
  const open: { isLambda: boolean; from: number; body: number }[] = [];
  const hidden: [from: number, to: number][] = [];
  for (let at = 0; at < code.length; at++) {
    lambda.lastIndex = at;
    const found = code[at] === '[' ? lambda.exec(code) : null;
    if (found !== null) {
      open.push({ isLambda: true, from: at, body: at + found[0].length });
      at += found[0].length - 1;
    } else if (code[at] === '{') {
      open.push({ isLambda: false, from: at, body: at + 1 });
    } else if (code[at] === '}') {
      const closed = open.pop();
      if (closed?.isLambda === true) hidden.push([closed.from, at + 1]);
    }
  }
  const entered = open.findLast(({ isLambda }) => isLambda);
  // What it stands in is another function, which has gone on to call it, or has ended.
  if (entered !== undefined) hidden.push([0, entered.from]);
  let left = code;
  for (const [from, to] of hidden)
    left = left.slice(0, from) + left.slice(from, to).replace(/[^\n]/g, ' ') + left.slice(to);
  return left.split('\n');
}
