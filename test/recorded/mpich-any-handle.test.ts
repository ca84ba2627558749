/** A process of MPICH that is asked about handles that are none, and whose memory holds anything. */
import assert from 'node:assert/strict';
import type { ProcessImage } from '../../plugin-api/image';
import { handleKinds } from '../../plugin-api/mpi/describe';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { MockMpich } from '../support/mock-mpich';
import { MockUcx } from '../support/mock-ucx';
import { randomNumbers } from '../support/random-numbers';

const queries = 100_000;
const perMemory = 500;
/** A pool's blocks, and the largest of the arrays that are believed. */
const maxReadLength = 32 << 20;
const maxReads = 200_000;

/** Fails a test that reads without an end. */
function bounded(image: ProcessImage): ProcessImage & { reads: number } {
  const watched = Object.create(image) as ProcessImage & { reads: number };
  watched.reads = 0;
  watched.readMemory = (address, length) => {
    assert.ok(length <= maxReadLength, `a read of ${length} bytes`);
    assert.ok(++watched.reads <= maxReads, 'one query reads without an end');
    return image.readMemory(address, length);
  };
  return watched;
}

function makeProcess(version: string): { mock: MockMpich; addresses: bigint[]; handles: bigint[] } {
  const mock = new MockMpich({ version, rank: 0, size: 2 });
  const ucx = new MockUcx(mock.image, version === '4.0.2' ? '1.13.1' : '1.18.1');
  const group = mock.make(2, 'MPIR_Group', { size: 2, rank: 0 });
  const made = [
    group,
    mock.make(3, 'MPIR_Datatype', {
      size: 4,
      extent: 4,
      contents: mock.object('MPIR_Datatype_contents', { combiner: 3 }),
    }),
    mock.make(5, 'MPIR_Errhandler', { kind: 1 }),
    mock.make(6, 'MPIR_Op', { kind: 33 }),
    mock.make(7, 'MPIR_Info'),
    mock.make(8, 'MPIR_Win', {
      create_flavor: 1,
      comm_ptr: mock.commAddress(mock.comm({ localGroup: group.address })),
    }),
    mock.make(14, 'MPIR_Session'),
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((kind) => mock.makeRequest(ucx, kind)),
  ];
  return { mock, addresses: made.map(({ address }) => address), handles: made.map(({ handle }) => handle) };
}

async function ask(process: MpiProcess, image: { reads: number }, handle: bigint, kind: number): Promise<void> {
  image.reads = 0;
  const name = handleKinds[kind % handleKinds.length]!;
  await process.query(name, handle);
}

for (const version of ['4.0.2', '4.2.1']) {
  describe(`any handle of MPICH ${version}`, function () {
    this.timeout(60_000);

    it('gets an answer, whatever is in memory', async () => {
      const random = randomNumbers(20261121);
      const word = () => (BigInt(random(2 ** 32)) << 32n) | BigInt(random(2 ** 32));
      for (let done = 0; done < queries / 2; done += perMemory) {
        const { mock, addresses, handles } = makeProcess(version);
        for (let i = random(12); i > 0; i--) {
          const values = [0n, word(), addresses[random(addresses.length)]!, BigInt(random(5000)), 2n ** 63n - 1n];
          const at = addresses[random(addresses.length)]! + BigInt(8 * random(35));
          mock.image.writeU64(at, values[random(values.length)]!);
        }
        const image = bounded(mock.image);
        const process = await mpich.open(image);
        assert.ok(process !== undefined);
        for (let i = 0; i < perMemory; i++) {
          const handle = handles[random(handles.length)]!;
          const mutated = handle ^ (1n << BigInt(random(32)));
          const garbage = BigInt(random(2 ** 32));
          const candidates = [handle, mutated, garbage, addresses[random(addresses.length)]!, word()];
          await ask(process, image, candidates[random(candidates.length)]!, random(64));
        }
        image.reads = 0;
        for (const kind of handleKinds) await process.handles(kind);
      }
    });
  });
}
