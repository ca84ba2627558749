/**
 * Preprocessor macros that stand for a few words: `#define GRID_COMM grid%comm`. Macros with arguments are not
 * expanded.
 */
import { statementsOf, type Token } from './tokens';

/** Tokens in a macro body; longer macros are code and are ignored. */
const maxReplacementLength = 20;

export class Macros {
  private readonly replacements = new Map<string, readonly Token[]>();

  /** Takes the rest of the line after #define or #undef. */
  read(directive: string, rest: string): void {
    const [, name = '', replacement = ''] = /^(\w+)(?:\s+(.*))?$/.exec(rest.trim()) ?? [];
    if (directive === 'undef') this.replacements.delete(name);
    if (directive !== 'define' || name === '') return;
    const [tokens = []] = statementsOf({ text: replacement, parts: [] });
    if (tokens.length > 0 && tokens.length <= maxReplacementLength) this.replacements.set(name, tokens);
  }

  /** The statement with macros expanded; the inserted tokens have the position of the macro's name. */
  expand(statement: Token[], text: string): Token[] {
    if (this.replacements.size === 0) return statement;
    return statement.flatMap((token) => {
      const name = token.kind === 'name' ? text.slice(token.at, token.at + token.text.length) : '';
      const replacement = this.replacements.get(name);
      return replacement === undefined ? [token] : replacement.map((each) => ({ ...each, at: token.at }));
    });
  }
}
