/**
 * A value that is computed once per epoch and shared by all who ask. A failure is not kept: the next request tries
 * again.
 */
export class OfEpoch<T> {
  private value: Promise<T> | undefined;

  constructor(private readonly make: () => Promise<T>) {}

  get(): Promise<T> {
    if (this.value !== undefined) return this.value;
    const value = this.make();
    this.value = value;
    value.catch(() => {
      if (this.value === value) this.value = undefined;
    });
    return value;
  }

  /** A new epoch: a computation under way still answers those who asked before. */
  forget(): void {
    this.value = undefined;
  }
}
