import assert from 'node:assert/strict';
import { DistantMemory, pageSize, type Page } from '../../adapter/agent/distant-memory';
import { FaultError } from '../../plugin-api/result';

/** A process of which page N is full of N, but for those that are not there. */
class Far {
  readonly asked: (readonly number[])[] = [];
  readonly odd = new Map<number, Page | Error>();
  forgotten = 0;
  readonly memory = new DistantMemory({
    pages: async (numbers) => {
      this.asked.push(numbers);
      return numbers.map((number) => {
        const odd = this.odd.get(number);
        if (odd instanceof Error) throw odd;
        return odd ?? new Uint8Array(pageSize).fill(number);
      });
    },
    readRange: async (_, length) => new Uint8Array(length).fill(99),
    forget: () => void this.forgotten++,
  });

  read(page: number, offset = 0, length = 8): Promise<Uint8Array> {
    return this.memory.read(BigInt(page * pageSize + offset), length);
  }

  /** How many questions and pages it takes to read these pages one after the other. */
  async questions(pages: readonly number[]): Promise<{ questions: number; pages: number }> {
    const before = this.asked.length;
    for (const page of pages) assert.equal((await this.read(page))[0], page % 256);
    const asked = this.asked.slice(before);
    return { questions: asked.length, pages: asked.flat().length };
  }
}

describe('the memory of a process of another host', () => {
  it('is read with its neighbours, each page once until the process runs', async () => {
    const far = new Far();
    assert.deepEqual([...(await far.read(18, pageSize - 2, 4))], [18, 18, 19, 19]);
    assert.deepEqual(far.asked, [Array.from({ length: 16 }, (_, index) => 16 + index)]);
    assert.deepEqual([...(await far.read(16, 5, 2))], [16, 16]);
    assert.equal(far.asked.length, 1);
    far.memory.close();
    far.memory.close();
    assert.equal(far.forgotten, 1, 'nothing was read since the first');
    await far.read(16);
    assert.equal(far.asked.length, 2);
  });

  it('goes ahead the way of the stop before, and no further than that was long', async () => {
    const far = new Far();
    const way = Array.from({ length: 200 }, (_, index) => ((index * 37) % 200) * 50);
    const first = await far.questions(way);
    assert.equal(first.questions, 200);
    far.memory.close();
    assert.deepEqual(await far.questions(way), { questions: 2, pages: 200 });
    far.memory.close();
    // One page only: little is asked for that nobody needs.
    const one = await far.questions(way.slice(0, 1));
    assert.equal(one.questions, 1);
    assert.ok(one.pages <= 17);
    far.memory.close();
    // What a stop without questions did not need is known all the same in the next.
    assert.deepEqual(await far.questions(way), { questions: 2, pages: 200 });
  });

  it('comes in larger parts where more of a place is used', async () => {
    const far = new Far();
    // A heap, read from its begin to its end.
    const heap = Array.from({ length: 512 }, (_, index) => 1024 + index);
    assert.deepEqual(await far.questions(heap), { questions: 5, pages: 512 });
  });

  it('is fetched before it is asked for, where it is likely to be needed', async () => {
    const far = new Far();
    const expected = [
      { start: BigInt(100 * pageSize), length: 300 * pageSize },
      { start: BigInt(1000 * pageSize), length: 1 },
    ];
    far.memory.expect(expected);
    assert.deepEqual(
      far.asked.map(({ length }) => length),
      [256, 45],
    );
    assert.deepEqual(await far.questions([100, 399, 1000]), { questions: 0, pages: 0 });
    far.memory.close();
    // The stop before tells better what is needed.
    far.memory.expect(expected);
    assert.equal(far.asked.length, 2);
  });

  it('says what cannot be read, and reads what lies beside it', async () => {
    const far = new Far();
    far.odd.set(18, 'unreadable').set(40, 'gone').set(50, new Error('the host is lost'));
    await assert.rejects(far.read(17, pageSize - 2, 4), FaultError);
    await assert.rejects(far.read(40), /the process has exited, or executed another program/);
    assert.equal((await far.read(17))[0], 17);
    await assert.rejects(far.read(50), /the host is lost/);
    far.odd.delete(50);
    assert.equal((await far.read(50))[0], 50);
    await assert.rejects(far.memory.read(-1n, 8), FaultError);
    assert.equal((await far.memory.read(0n, 0)).length, 0);
  });

  it('does not keep long ranges, nor what was under way when the process ran on', async () => {
    const far = new Far();
    assert.equal((await far.memory.read(0n, 2 << 20))[0], 99);
    assert.deepEqual(far.asked, []);
    const early = far.read(8);
    far.memory.close();
    await early;
    await far.read(8);
    assert.equal(far.asked.length, 2);
  });
});
