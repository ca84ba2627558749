/** Macros of the preprocessor that stand for a few words: `#define GRID_COMM grid%comm`. Those with arguments are left alone. */
import { statementsOf, type Token } from './tokens';

/** The most tokens of a macro body; longer ones are code, from which nothing is inferred. */
const maxReplacementLength = 20;

export class Macros {
  private readonly replacements = new Map<string, readonly Token[]>();

  /** Takes what follows #define or #undef. */
  read(directive: string, rest: string): void {
    const [, name = '', replacement = ''] = /^(\w+)(?:\s+(.*))?$/.exec(rest.trim()) ?? [];
    if (directive === 'undef') this.replacements.delete(name);
    if (directive !== 'define' || name === '') return;
    const [tokens = []] = statementsOf({ text: replacement, parts: [] });
    if (tokens.length > 0 && tokens.length <= maxReplacementLength) this.replacements.set(name, tokens);
  }

  /** A statement of this text as the compiler sees it; what a macro stands for is where its name is. */
  expand(statement: Token[], text: string): Token[] {
    if (this.replacements.size === 0) return statement;
    return statement.flatMap((token) => {
      const name = token.kind === 'name' ? text.slice(token.at, token.at + token.text.length) : '';
      const replacement = this.replacements.get(name);
      return replacement === undefined ? [token] : replacement.map((each) => ({ ...each, at: token.at }));
    });
  }
}
