/** What a statement is, as far as its first tokens tell. */
import { afterParentheses, type Token } from './tokens';

/** Without a statement label and without the name of a construct (`outer: do`). */
export function withoutLabel(tokens: readonly Token[]): readonly Token[] {
  const unlabelled = tokens[0]?.kind === 'number' ? tokens.slice(1) : tokens;
  return unlabelled[0]?.kind === 'name' && unlabelled[1]?.text === ':' ? unlabelled.slice(2) : unlabelled;
}

/** Index of the = or => of an assignment; names are not reserved in Fortran, so `if = 3` is one. */
export function assignmentAt(tokens: readonly Token[]): number | undefined {
  if (tokens[0]?.kind !== 'name') return undefined;
  let i = 1;
  for (;;) {
    const text = tokens[i]?.text;
    if (text === '(') i = afterParentheses(tokens, i);
    else if (text === '%' && tokens[i + 1]?.kind === 'name') i += 2;
    else return text === '=' || text === '=>' ? i : undefined;
  }
}
