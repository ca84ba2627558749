import assert from 'node:assert/strict';
import { isUnavailable, known } from '../../plugin-api/result';
import {
  openUcx,
  postedReceives,
  readMessage,
  readNotes,
  readReceive,
  readSend,
  unexpectedMessages,
  type Ucx,
} from '../../plugin-api/plugins/ucx/index';
import { tables } from '../../plugin-api/plugins/ucx/library';
import { MockImage } from '../support/mock-image';
import { MockUcx } from '../support/mock-ucx';

async function reasonOf(item: () => Promise<unknown>): Promise<string> {
  const result = await known(item);
  assert.ok(isUnavailable(result));
  return `${result.code}: ${result.reason}`;
}

describe('UCX in a process', () => {
  it('tells its version by its code', async () => {
    assert.equal((await openUcx(new MockUcx(new MockImage()).image)).version, '1.13.1');
  });

  it('is not read without a table of its very version', async () => {
    assert.equal(
      await reasonOf(() => openUcx(new MockUcx(new MockImage(), '1.14.0', '1.13.1').image)),
      'MPIDBG_ERR_NOT_SUPPORTED: no layout table for UCX 1.14.0, whose structs hold this',
    );
  });

  it('may be missing, or have other code', async () => {
    assert.match(await reasonOf(() => openUcx(new MockImage())), /no UCX is loaded/);
    const { image } = new MockUcx(new MockImage());
    image.writeI32((await image.findSymbol('ucp_get_version'))!.address + 4n, 0x12345678);
    assert.match(await reasonOf(() => openUcx(image)), /libucp\.so\.0\.0\.0 does not tell its version/);
  });
});

for (const version of Object.keys(tables)) {
  describe(`UCX ${version}`, () => {
    let mock: MockUcx;
    let ucx: Ucx;

    beforeEach(async () => {
      mock = new MockUcx(new MockImage(), version);
      ucx = await openUcx(mock.image);
    });

    it('tells a receive', async () => {
      const area = mock.receive({ tag: 5n, mask: 7n, buffer: 0x1000n, bytes: 40, sequence: 9, userData: 0xabcn });
      assert.deepEqual(await readReceive(ucx, area), {
        ...{ address: mock.requestOf(area), userData: 0xabcn, isComplete: false, tag: 5n, tagMask: 7n, worker: 0n },
        ...{ sequence: 9n, data: { buffer: 0x1000n, bytes: 40n, form: 'contiguous' } },
      });
    });

    it("tells what the MPI library's own callbacks unpack", async () => {
      const { data } = await readReceive(ucx, mock.receive({ buffer: 0x1000n, bytes: 96, context: 0x7777n }));
      assert.deepEqual(data, { buffer: 0x1000n, bytes: 96n, form: 'generic', context: 0x7777n });
    });

    it('tells a send of either protocol', async () => {
      for (const operation of [undefined, 0, 1]) {
        const area = mock.send(0x9000n, 3n, 0x2000n, 16, 0n, operation);
        const send = await readSend(ucx, area);
        assert.deepEqual([send.endpoint, send.tag], [0x9000n, 3n]);
        assert.deepEqual(send.data, { buffer: 0x2000n, bytes: 16n, form: 'contiguous' });
        const { kind, isSynchronous } = await readNotes(ucx, area);
        assert.deepEqual({ kind, isSynchronous }, { kind: 'send', isSynchronous: operation === 1 });
      }
    });

    it('does not take for the tag of a send what UCX has written over it', async () => {
      const area = mock.send(0x9000n, 3n, 0x2000n, 16, 0n, 9);
      assert.match(await reasonOf(() => readSend(ucx, area)), /ERR_NOT_SUPPORTED: UCX is moving the data/);
    });

    it('tells posted receives of all queues in the order in which they match', async () => {
      const areas = [3, 1, 2].map((sequence) => mock.receive({ sequence }));
      const posted = await postedReceives(ucx, mock.worker([areas[1]!, areas[0]!], [areas[2]!]));
      assert.deepEqual(
        posted.map(({ sequence }) => sequence),
        [1n, 2n, 3n],
      );
      assert.deepEqual(await postedReceives(ucx, mock.worker()), []);
    });

    it('tells unexpected messages: short, synchronous, announced, in fragments', async () => {
      const messages = [
        mock.message(1n, { length: 28, payload_offset: 8, flags: 6 }),
        mock.message(2n, { length: 40, payload_offset: 24, flags: 11 }, 0n, 0n),
        mock.message(3n, { length: 41, payload_offset: 0, flags: 64 }, 0n, 0n, 0x5000n, 8000000n),
        mock.message(4n, { length: 1024, payload_offset: 24, flags: 2 }, 70000n, 0n),
      ];
      const told = await unexpectedMessages(ucx, mock.worker([], [], messages));
      assert.deepEqual(
        told.map(({ tag, bytes, isSynchronous, isRendezvous }) => [tag, bytes, isSynchronous, isRendezvous]),
        [
          [1n, 20n, false, false],
          [2n, 16n, true, false],
          [3n, 8000000n, false, true],
          [4n, 70000n, false, false],
        ],
      );
      assert.deepEqual(await readMessage(ucx, messages[0]!), told[0]);
    });

    it('is not believed where the heads of its queues are not those of queues', async () => {
      const worker = mock.worker();
      const head = tables[version]!['ucp_worker_t']!.fields['tm.unexpected.all']!.offset;
      mock.image.writeU64(worker + BigInt(head), 0n);
      assert.match(
        await reasonOf(() => postedReceives(ucx, worker)),
        /ERR_NOT_SUPPORTED: the queues of UCX do not lie/,
      );
    });

    it('is not followed in circles', async () => {
      const areas = [mock.receive(), mock.receive()];
      const worker = mock.worker(areas);
      const link = tables[version]!['ucp_request']!.fields['recv.queue.next']!.offset;
      const [first] = areas.map((area) => mock.requestOf(area) + BigInt(link));
      mock.image.writeU64(first!, first!);
      assert.match(await reasonOf(() => postedReceives(ucx, worker)), /is circular/);
    });
  });
}
