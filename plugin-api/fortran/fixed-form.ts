/** Fixed-form statements without blanks, which are optional there: `do10i=1,n`, `callmpi_barrier(comm,ierr)`. */
import { afterParentheses, splitAtCommas, type Token } from './tokens';

/** Keywords that a name may follow without a blank; the longer ones first. */
const glued =
  /^(doubleprecision|doublecomplex|integer|logical|character|complex|real|subroutine|function|program|common|call|use|do(?=\d))(\w+)$/;

/** The statement with its keywords separated; unchanged if nothing is glued to them. */
export function withBlanks(tokens: readonly Token[]): readonly Token[] {
  const [first, second] = tokens;
  const [, word = '', rest = ''] = first?.kind === 'name' ? (glued.exec(first.text) ?? []) : [];
  if (first === undefined || word === '') return tokens;
  // `calling = 3`, `do10i = 1.5`: these are ordinary names.
  const isLoop = word === 'do' && second?.text === '=' && splitAtCommas(tokens, 2, tokens.length).length > 1;
  if (isAssigned(tokens) ? !isLoop : word === 'do') return tokens;
  const [, label = '', name = rest] = /^(\d*)(\w*)$/.exec(rest) ?? [];
  const at = first.at + word.length;
  return [
    { kind: 'name', text: word, at: first.at },
    ...(label === '' ? [] : [{ kind: 'number' as const, text: label, at }]),
    ...withBlanks([{ kind: 'name', text: name, at: at + label.length }, ...tokens.slice(1)]),
  ];
}

function isAssigned(tokens: readonly Token[]): boolean {
  const next = tokens[1]?.text === '(' ? afterParentheses(tokens, 1) : 1;
  return tokens[next]?.text === '=';
}
