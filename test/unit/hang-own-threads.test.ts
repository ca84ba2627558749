/** Which waits in the C library end only by another thread of the process. */
import assert from 'node:assert/strict';
import type { ProcessCode } from '../../adapter/expressions/code-modules';
import type { Frame } from '../../adapter/stacks/frame';
import { ownThreadWait } from '../../adapter/query/positions/own-thread-waits';
import type { ProcessImage } from '../../plugin-api/image';
import { usualProcessor } from '../../plugin-api/processor/known/processors';
import { Registers } from '../../plugin-api/processor/registers';
import { shippedMpis } from '../../plugin-api/plugins/shipped';

const program = 0x1000n;
const libc = 0x10000n;
const code: ProcessCode = {
  mpis: shippedMpis,
  modules: [
    ['/home/user/heat', program],
    ['/usr/lib/x86_64-linux-gnu/libc.so.6', libc],
  ].map(([path, address]) => ({
    path: path as string,
    isExecutable: path === '/home/user/heat',
    segments: [{ address: address as bigint, size: 0x1000, fileSize: 0x1000, writable: false, executable: true }],
  })),
};

/** Where the program goes on after its call, and where the C library does after its system call. */
const returnsTo = program + 0x100n;
const asleep = libc + 0x200n;
const called = libc + 0x400n;

const waitPrivately = 0x189n;
const waitShared = 0x109n;

/** The word that it sleeps on, and what glibc keeps there of a thread that is joined, and 8 bytes behind it of one that holds a lock. */
const word = 0x40000n;
const joined = 4711;
const holder = 4712;
const mutex = [joined, 0, holder];
/** A lock of readers and writers from its third word on, on which all wait but writers, who may wait on the next one. */
const writer = 4713;
const lockOfWriters = [2, 1, 0, 0, writer, 0];

interface Wait {
  at?: bigint;
  /** From the word on that it sleeps on. */
  words?: readonly number[];
  /** All that the process has. */
  threads?: readonly number[];
}

/** A thread in a function of the C library that `name` has jumped to; `operation`: what futex(2) was called with. */
function thread(
  name: string,
  operation: bigint | undefined,
  { at = asleep, words = mutex, threads = [joined, holder, writer] }: Wait = {},
): ReturnType<typeof ownThreadWait> {
  const call = Buffer.from([0x90, 0xe8, 0, 0, 0, 0]);
  call.writeInt32LE(Number(called - returnsTo), 2);
  const image = {
    modules: () => Promise.resolve([]),
    readMemory: (address: bigint, length: number) =>
      Promise.resolve(
        address === asleep - 2n
          ? Buffer.from([0x0f, 0x05])
          : address === returnsTo - 6n
            ? call
            : address === word
              ? Buffer.concat([Buffer.from(new Int32Array(words).buffer), Buffer.alloc(length)]).subarray(0, length)
              : Buffer.alloc(length),
      ),
    symbolAt: (address: bigint) => Promise.resolve(address === called ? { name, address } : undefined),
  } as unknown as ProcessImage;
  const nowhere = { file: undefined, fullName: undefined, line: undefined, from: undefined };
  const frames: Frame[] = [
    { kind: 'native', level: 0, address: at, function: undefined, ...nowhere },
    { kind: 'native', level: 1, address: returnsTo, function: 'step', ...nowhere },
  ];
  const values = Array.from({ length: 16 }, (_, register) => (register === 6 ? operation : register === 7 ? word : 0n));
  const registers = new Registers(usualProcessor, values);
  return ownThreadWait({ frames, image, registers: () => Promise.resolve(registers) }, code, new Set(threads));
}

describe('a wait in the C library', () => {
  it('is for a thread that the program joins, whatever the kernel is asked', async () => {
    assert.deepEqual(await thread('pthread_join', waitShared), { call: 'pthread_join', on: joined });
  });

  it('is for the thread that holds a lock of the process', async () => {
    assert.deepEqual(await thread('pthread_mutex_lock', waitPrivately), { call: 'pthread_mutex_lock', on: holder });
  });

  it('is for the one that writes at a lock of readers and writers, whichever of its words it sleeps on', async () => {
    for (const call of ['pthread_rwlock_rdlock', 'pthread_rwlock_wrlock'])
      for (const words of [lockOfWriters, lockOfWriters.slice(1)])
        assert.deepEqual(await thread(call, waitPrivately, { words }), { call, on: writer });
  });

  it('is not known at one that others read', async () => {
    const call = 'pthread_rwlock_wrlock';
    assert.deepEqual(await thread(call, waitPrivately, { words: [1, 1, 0, 0, 0, 0] }), { call });
  });

  it('is for a thread that has ended with the lock', async () => {
    const call = 'pthread_mutex_lock';
    const found = await thread(call, waitPrivately, { threads: [joined] });
    assert.deepEqual(found, { call, on: holder, hasEnded: true });
  });

  it('is for any thread of the process at a condition of its own', async () => {
    assert.deepEqual(await thread('pthread_cond_wait', waitPrivately), { call: 'pthread_cond_wait' });
  });

  it('may be for another process at a lock that they share', async () => {
    assert.equal(await thread('pthread_mutex_lock', waitShared), undefined);
    assert.equal(await thread('pthread_barrier_wait', waitShared), undefined);
  });

  it('is not known where the thread does not sleep yet', async () => {
    assert.equal(await thread('pthread_mutex_lock', waitPrivately, { at: asleep + 1n }), undefined);
  });

  it('is not known where its argument is not', async () => {
    assert.equal(await thread('pthread_mutex_lock', undefined), undefined);
  });

  it('ends by itself when it has a time limit, and by a signal handler at a semaphore', async () => {
    assert.equal(await thread('pthread_timedjoin_np', waitShared), undefined);
    assert.equal(await thread('sem_wait', waitPrivately), undefined);
  });
});
