/** Preprocessor conditionals (`#if`, …), and the blocks that are open at the start of each branch. */

/** An open conditional: the blocks open before it and after its first branch. */
interface Conditional<T> {
  readonly before: readonly T[];
  afterFirst: T[] | undefined;
  isCompiled: boolean;
}

/** Deeper conditionals are ignored, which bounds the memory for their blocks. */
const maxDepth = 100;

/**
 * Both branches of a conditional are read, since it is unknown which one was compiled. Each starts with the blocks that
 * were open before the conditional.
 */
export class Conditionals<T> {
  private readonly stack: Conditional<T>[] = [];

  /** False inside `#if 0`. */
  get isCompiled(): boolean {
    return this.stack.every(({ isCompiled }) => isCompiled);
  }

  get areOpen(): boolean {
    return this.stack.length > 0;
  }

  /** The blocks that are open after the directive. */
  read(directive: string, condition: string, open: T[]): T[] {
    const innermost = this.stack.at(-1);
    if (/^if(n?def)?$/.test(directive)) {
      const isCompiled = directive !== 'if' || condition.trim() !== '0';
      if (this.stack.length < maxDepth) this.stack.push({ before: [...open], afterFirst: undefined, isCompiled });
    } else if (innermost !== undefined && (directive === 'else' || directive === 'elif')) {
      innermost.afterFirst ??= innermost.isCompiled ? open : undefined;
      innermost.isCompiled = true;
      return [...innermost.before];
    } else if (innermost !== undefined && directive === 'endif') {
      this.stack.pop();
      return innermost.afterFirst ?? open;
    }
    return open;
  }
}
