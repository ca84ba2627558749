/** `#if` and the like, and which blocks are open where each branch begins. */

/** A branch: what was open before it, and after the first branch. */
interface Conditional<T> {
  readonly before: readonly T[];
  afterFirst: T[] | undefined;
  isCompiled: boolean;
}

/** Deeper ones are not distinguished, which bounds the memory for each. */
const deepest = 100;

/**
 * Both branches of a conditional are read, since it is unknown which one the compiler took. Each begins with what was
 * open before.
 */
export class Conditionals<T> {
  private readonly stack: Conditional<T>[] = [];

  /** False inside of `#if 0`. */
  get isCompiled(): boolean {
    return this.stack.every(({ isCompiled }) => isCompiled);
  }

  get areOpen(): boolean {
    return this.stack.length > 0;
  }

  /** What is open after the directive. */
  read(directive: string, condition: string, open: T[]): T[] {
    const innermost = this.stack.at(-1);
    if (/^if(n?def)?$/.test(directive)) {
      const isCompiled = directive !== 'if' || condition.trim() !== '0';
      if (this.stack.length < deepest) this.stack.push({ before: [...open], afterFirst: undefined, isCompiled });
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
