/** Why an expression has no value, in words for the user. */
export class NoValueError extends Error {
  constructor(words: string) {
    super(words);
    this.name = 'NoValueError';
  }
}
