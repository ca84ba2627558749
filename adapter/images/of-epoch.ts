/** What is worked out once in an epoch, for everybody who asks meanwhile. A failure is not kept: the next one tries again. */
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

  /** A new epoch: what is being worked out is still for those who have asked. */
  forget(): void {
    this.value = undefined;
  }
}
