/** Blocks of C and C++ that have ended before the line that has stopped: what they declare is no more, whatever has its name now. */

/** `Side side : …`, `for (int k = 0; …`, `struct halo *h = …`; a second one of the same type counts, too. */
const declaration =
  /(?<=^|[;{(])\s*(?:(?:const|static|unsigned|signed|struct|enum|volatile|long|short)\s+)*(?!(?:return|else|goto|case|throw|delete|new|using|typedef|for|while|if|do)\b)[A-Za-z_][\w:]*(?:<[^;{}()]*>)?(?:\s*[*&]+\s*|\s+)([A-Za-z_]\w*)((?:\s*\[[^\]]*\])*\s*(?:=(?!=)[^;{]*|,[^;{]*)?)(?=[;:{])/gm;

/** The lines with blanks for those names that an ended block declares; columns stay as they are. */
export function withoutEndedNames(lines: readonly string[]): string[] {
  let code = lines.join('\n');
  for (const [from, to] of endedBlocks(code)) {
    const block = code.slice(from, to);
    const names = [...block.matchAll(declaration)].flatMap(([, name = '', rest = '']) => [
      name,
      ...[...rest.matchAll(/,\s*[*&]*\s*([A-Za-z_]\w*)/g)].map(([, another = '']) => another),
    ]);
    if (names.length === 0) continue;
    const any = new RegExp(String.raw`(?<![\w.>])(?:${[...new Set(names)].join('|')})(?!\w)`, 'g');
    code = code.slice(0, from) + block.replace(any, (name) => ' '.repeat(name.length)) + code.slice(to);
  }
  return code.split('\n');
}

/** From the `for` or the like that a block belongs to, to its end. */
function endedBlocks(code: string): [from: number, to: number][] {
  const ended: [number, number][] = [];
  const open: number[] = [];
  let parentheses = 0;
  let statement = 0;
  // A loop without braces ends with its statement.
  let loop: number | undefined;
  for (let at = 0; at < code.length; at++) {
    const character = code[at]!;
    if (character === '(') parentheses++;
    else if (character === ')') parentheses--;
    else if (parentheses > 0) continue;
    else if (character === '{') {
      open.push(loop ?? statement);
      loop = undefined;
      statement = at + 1;
    } else if (character === '}') {
      const from = open.pop();
      if (from !== undefined) ended.push([from, at + 1]);
      statement = at + 1;
    } else if (character === ';') {
      if (loop !== undefined) ended.push([loop, at + 1]);
      loop = undefined;
      statement = at + 1;
    } else if (/^\bfor\b/.test(code.slice(at, at + 4)) && !/\w/.test(code[at - 1] ?? '')) loop ??= at;
  }
  return ended;
}
