/** Recorded ranks whose memory has been overwritten: every question gets an answer or a reason, soon, and no exception. */
import assert from 'node:assert/strict';
import type { Recording } from '../../adapter/images/recording';
import { askPlugin } from '../support/ask-plugin';
import { openProcess } from '../support/ask-process';
import { randomNumbers } from '../support/random-numbers';
import { listRecordings, readRecordedJob, recordedImage } from '../support/recorded-job';
import type { Mpi } from '../support/sample-job';
import type { TruthRecord } from '../support/truth';

const ROUNDS = 150;
/** The limit of CPU time, which other programs take nothing of. A walk that a corrupted length or a cycle has made endless takes longer. */
const DEADLINE_MS = 2000;

describe('corrupted memory', () => {
  for (const name of listRecordings().filter((each) => each.startsWith('communicators.'))) {
    it(`causes no exception and no endless walk (${name})`, async () => {
      const { mpi, ranks } = readRecordedJob(name);
      const { recording, truth } = ranks[0] ?? assert.fail('no rank is recorded');
      const random = randomNumbers(20261121);
      let changed = 0;
      const healthy = JSON.stringify(await answersOf(recording, mpi, truth));
      for (let round = 0; round < ROUNDS; round++) {
        const started = process.cpuUsage();
        const answers = JSON.stringify(await answersOf(corrupt(recording, 1 + random(8), random), mpi, truth));
        const { user, system } = process.cpuUsage(started);
        assert.ok((user + system) / 1000 < DEADLINE_MS, `round ${round} took too long`);
        if (answers !== healthy) changed++;
      }
      assert.ok(changed > ROUNDS / 4, `only ${changed} of ${ROUNDS} corruptions were noticed: they test nothing`);
    });
  }
});

it('a predefined object of Open MPI of which two words were overwritten is not said to be freed', async () => {
  const { mpi, ranks } = readRecordedJob('handles.openmpi-4.1.4.json.br');
  const { recording, truth } = ranks[0] ?? assert.fail('no rank is recorded');
  const record = truth.find(({ expression }) => expression === 'MPI_MAX') ?? assert.fail('MPI_MAX is not recorded');
  const handle = BigInt(record.told?.info['handle'] as string);
  const pointer = Buffer.alloc(8);
  pointer.writeBigUInt64LE(handle);
  // Its places in tables, and one word of its own: the class, or the number of references.
  for (const offset of [0n, 8n]) {
    const memory = recording.memory.map(({ address, bytes }) => {
      const changed = Buffer.from(bytes, 'hex');
      for (let at = changed.indexOf(pointer); at >= 0; at = changed.indexOf(pointer)) changed.fill(0, at, at + 8);
      const own = Number(handle + offset - BigInt(`0x${address}`));
      if (own >= 0 && own + 8 <= changed.length) changed.fill(offset === 0n ? 0x5a : 0, own, own + 8);
      return { address, bytes: changed.toString('hex') };
    });
    const process = await openProcess(recordedImage({ ...recording, memory }), mpi);
    const [answer] = await askPlugin(process, [record]);
    assert.ok(answer !== undefined && answer.code !== 'MPIDBG_SUCCESS');
    assert.match(answer.reason, /^MPI_MAX at 0x[0-9a-f]+ has been overwritten, or MPI_Finalize has ended it/);
  }
});

for (const [name, kind] of [
  ['communicators', 'comm'],
  ['datatypes', 'datatype'],
  ['files', 'file'],
  ['handles', 'errhandler'],
  ['handles', 'group'],
  ['handles', 'info'],
  ['handles', 'op'],
  ['requests', 'request'],
  ['windows', 'win'],
] as const) {
  it(`one overwritten word of a live ${kind} of Open MPI is not told as its end, nor as a call that makes it`, async () => {
    const { mpi, ranks } = readRecordedJob(`${name}.openmpi-4.1.4.json.br`);
    const { recording, truth } = ranks[0] ?? assert.fail('no rank is recorded');
    const record = await firstOfProgram(await openProcess(recordedImage(recording), mpi), truth, kind);
    const handle = BigInt(record.told?.info['handle'] as string);
    const wrong: string[] = [];
    for (let offset = 0; offset < maxObjectSize; offset += 8) {
      for (const byte of [0, 0x5a, 0xff]) {
        const changed = fillWord(recording, handle + BigInt(offset), byte);
        const [answer] = await askPlugin(await openProcess(recordedImage(changed), mpi), [record]);
        const isEnded = answer?.code === 'MPIDBG_SUCCESS' && flagsOf(answer.info).includes('freedHandle');
        const said = answer?.code === 'MPIDBG_SUCCESS' ? '' : (answer?.reason ?? 'no answer');
        if (isEnded || (/being made|freed|no answer/.test(said) && !/overwritten/.test(said)))
          wrong.push(`byte ${offset} and the next 7 are ${byte}: ${isEnded ? 'freed' : said}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}

type Process = Awaited<ReturnType<typeof openProcess>>;

/** One that the program has made and not freed. */
async function firstOfProgram(process: Process, truth: TruthRecord[], kind: string): Promise<TruthRecord> {
  for (const record of truth.filter(({ told }) => told?.kind === kind)) {
    const [answer] = await askPlugin(process, [record]);
    if (answer?.code !== 'MPIDBG_SUCCESS') continue;
    if (!flagsOf(answer.info).some((flag) => /^(predefined|internal|freed)|Null$/.test(flag))) return record;
  }
  return assert.fail(`no ${kind} of the program is recorded`);
}

function flagsOf(info: unknown): readonly string[] {
  return (info as { flags: string[] }).flags;
}

/** No object that is asked about is larger. */
const maxObjectSize = 0x180;

function fillWord(recording: Recording, address: bigint, byte: number): Recording {
  const memory = recording.memory.map((run) => {
    const own = Number(address - BigInt(`0x${run.address}`));
    const bytes = Buffer.from(run.bytes, 'hex');
    if (own < 0 || own + 8 > bytes.length) return run;
    bytes.fill(byte, own, own + 8);
    return { ...run, bytes: bytes.toString('hex') };
  });
  return { ...recording, memory };
}

async function answersOf(recording: Recording, mpi: Mpi, truth: TruthRecord[]): Promise<unknown> {
  const process = await openProcess(recordedImage(recording), mpi);
  return [process.implementation, await askPlugin(process, truth)];
}

/** Overwrites words with what corruption brings: null, wild and dangling pointers, cycles, wild counts. */
function corrupt(recording: Recording, words: number, random: (limit: number) => number): Recording {
  const memory = recording.memory.map(({ address, bytes }) => ({ address, bytes: Buffer.from(bytes, 'hex') }));
  const anyAddress = (): bigint => {
    const run = memory[random(memory.length)];
    return run === undefined ? 0n : BigInt(`0x${run.address}`) + BigInt(random(run.bytes.length));
  };
  for (; words > 0; words--) {
    const run = memory[random(memory.length)];
    if (run === undefined) continue;
    const at = nonZeroWord(run.bytes, random);
    const here = BigInt(`0x${run.address}`) + BigInt(at);
    const values = [0n, here, here - 16n, anyAddress(), anyAddress(), 2n ** 64n - 1n, 0x7fffffffn, 0x7fffffff7fffffffn];
    run.bytes.writeBigUInt64LE(values[random(values.length)] ?? 0n, at);
  }
  return { ...recording, memory: memory.map(({ address, bytes }) => ({ address, bytes: bytes.toString('hex') })) };
}

/** Most of the memory is zero, and was read as such; of ten tries one hits something better. */
function nonZeroWord(bytes: Buffer, random: (limit: number) => number): number {
  let at = 0;
  for (let tries = 0; tries < 10; tries++) {
    at = 8 * random(Math.floor(bytes.length / 8));
    if (bytes.readBigUInt64LE(at) !== 0n) break;
  }
  return at;
}
