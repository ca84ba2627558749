/**
 * Numbers that stand for frames and for trees of variables. A number lives until its rank runs. The same thing (the same
 * key) gets the same number again at the rank's next stop, so that a tree that the user opened stays open.
 */
import type { Rank } from '../../job/rank';
import { staleReference } from '../client/errors';

/** One number never stands for two things, not even in two jobs. */
let last = 0;

interface Numbers {
  current: Map<string, number>;
  /** The keys of the previous stop. */
  previous: Map<string, number>;
}

export class References<Value> {
  private readonly values = new Map<number, Value>();
  private readonly byRank = new Map<Rank, Numbers>();

  /** `key` is unique within the rank. */
  give(rank: Rank, key: string, value: Value): number {
    const numbers = this.numbers(rank);
    const number = numbers.current.get(key) ?? numbers.previous.get(key) ?? ++last;
    numbers.current.set(key, number);
    this.values.set(number, value);
    return number;
  }

  /** Throws RequestError for a number whose rank has run since. */
  get(number: number): Value {
    const value = this.values.get(number);
    if (value === undefined) throw staleReference();
    return value;
  }

  /** The rank runs, or has ended: its numbers become invalid. */
  drop(rank: Rank): void {
    const numbers = this.byRank.get(rank);
    // Nothing was read during this stop: what was open before may be opened again at the next.
    if (numbers === undefined || numbers.current.size === 0) return;
    for (const number of numbers.current.values()) this.values.delete(number);
    this.byRank.set(rank, { current: new Map(), previous: numbers.current });
  }

  private numbers(rank: Rank): Numbers {
    let numbers = this.byRank.get(rank);
    if (numbers === undefined) {
      numbers = { current: new Map(), previous: new Map() };
      this.byRank.set(rank, numbers);
    }
    return numbers;
  }
}
