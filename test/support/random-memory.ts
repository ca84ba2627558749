/**
 * Objects with random contents, and random questions about them: every query has to end after a bounded number of bounded
 * reads, with an answer or a reason. Bounds are counts, not times.
 */
import assert from 'node:assert/strict';
import type { MpiPlugin } from '../../plugin-api/mpi/plugin';
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { MockImage } from './mock-image';
import { randomCases } from './thorough';

export type Random = (limit: number) => number;

/** Objects of a mock, whose words behind their heads change at random. */
export class RandomObjects {
  private readonly objects: { address: bigint; size: number }[] = [];
  /** Make objects ones that a handle may lead to. */
  private readonly repairs: (() => void)[] = [];

  /** `start` to `end`: memory that is there. */
  constructor(
    private readonly image: MockImage,
    private readonly random: Random,
    private readonly area: () => { start: bigint; end: bigint },
  ) {}

  add(address: bigint, size: number, repair: () => void): void {
    this.objects.push({ address, size });
    this.repairs.push(repair);
  }

  /** Overwrites so many words, and repairs most of what handles need to lead to an object. */
  mutate(words: number): void {
    for (; words > 0; words--) {
      const { address, size } = this.any();
      const at = address + 8n * BigInt(this.random(size >> 3));
      this.image.writeU64(at, this.word());
    }
    for (const repair of this.repairs) if (this.random(8) !== 0) repair();
  }

  /** What a broken pointer, count or number may be. */
  word(): bigint {
    const words = [
      0n,
      1n,
      BigInt(this.random(64)),
      0x7fffffffn,
      0xffffffffn,
      2n ** 64n - 1n,
      this.inside(),
      this.object(),
    ];
    return words[this.random(words.length)] ?? 0n;
  }

  object(): bigint {
    return this.any().address;
  }

  inside(): bigint {
    const { start, end } = this.area();
    return start + 8n * BigInt(this.random(Number(end - start) >> 3));
  }

  private any(): { address: bigint; size: number } {
    return this.objects[this.random(this.objects.length)]!;
  }
}

export interface RandomMemory {
  image: MockImage;
  objects: RandomObjects;
  /** A handle that may be one of this kind. */
  handle(kind: HandleKind): bigint;
}

/** Between two mutations of the memory. */
const questionsPerStop = 500;
const wordsPerStop = 80;
const maxReadLength = 1 << 22;
const maxReads = 200_000;

/** How often each kind was decoded ("comm decoded"), and each code was answered. */
export async function askAtRandom(
  plugin: MpiPlugin,
  memory: RandomMemory,
  kinds: readonly HandleKind[],
  random: Random,
  questions: number,
): Promise<Map<string, number>> {
  const reads = countReads(memory.image);
  const answers = new Map<string, number>();
  for (let asked = 0; asked < questions; asked += questionsPerStop) {
    memory.objects.mutate(wordsPerStop);
    const process = await plugin.open(memory.image);
    assert.ok(process !== undefined);
    for (let i = 0; i < questionsPerStop; i++) {
      const kind = kinds[random(kinds.length)]!;
      reads.count = 0;
      const answer = await process.query(kind, memory.handle(kind));
      if (i === 0) await process.handles(kind);
      if (i === 1) await process.fortranToC(kind, random(1 << 30) - random(1 << 30));
      assert.ok(reads.count < maxReads, `${kind}: ${reads.count} reads`);
      if (!answer.ok) assert.notEqual(answer.reason, '', kind);
      const code = answer.ok ? `${kind} decoded` : answer.code;
      answers.set(code, (answers.get(code) ?? 0) + 1);
    }
  }
  assert.ok(reads.longest <= maxReadLength, `a read of ${reads.longest} bytes`);
  return answers;
}

/** Fails unless each of these kinds was decoded so many times, in a thorough run: else the questions miss their objects. */
export function assertDecoded(answers: ReadonlyMap<string, number>, kinds: readonly HandleKind[], atLeast = 100): void {
  const missed = kinds.filter((kind) => (answers.get(`${kind} decoded`) ?? 0) < randomCases(atLeast));
  assert.deepEqual(missed, [], JSON.stringify([...answers]));
}

function countReads(image: MockImage): { count: number; longest: number } {
  const reads = { count: 0, longest: 0 };
  const readMemory = image.readMemory.bind(image);
  image.readMemory = (address, length) => {
    reads.count++;
    reads.longest = Math.max(reads.longest, length);
    return readMemory(address, length);
  };
  return reads;
}
