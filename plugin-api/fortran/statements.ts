/** Classifies a statement by its first tokens. */
import { afterParentheses, type Token } from './tokens';

/** Removes a statement label and a construct name (`outer: do`). */
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
