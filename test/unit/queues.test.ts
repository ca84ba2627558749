/** The message queues of a process sorted by communicator, and their text. */
import assert from 'node:assert/strict';
import type { MessageQueues, PendingMessage } from '../../plugin-api/mpi/message-queues';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import { queuesByComm } from '../../plugin-api/mpi/queues-by-comm';
import type { CommInfo, HandleRef } from '../../plugin-api/mpi/records';
import { failure, QueryError, success, unavailable } from '../../plugin-api/result';
import { queuesText } from '../../plugin-api/answers/text/queues-text';

const noSends = failure('MPIDBG_ERR_NOT_SUPPORTED', 'no list of sends');
const freed = unavailable('MPIDBG_ERR_NOT_FOUND', 'no live communicator has the context 7');
const ref = (handle: string): HandleRef => ({ kind: 'comm', handle });

const comms: Record<string, Partial<CommInfo>> = {
  '0x1': { name: 'MPI_COMM_WORLD', flags: ['predefined'] },
  '0x2': { name: 'ocean\u202e', flags: [] },
  '0x3': { name: '', flags: ['internal'], localProcs: [0, 1], contextId: 5 },
  '0x4': { name: '', flags: [], localProcs: [2, 3], remoteProcs: [0, 1], contextId: 6 },
};

function message(comm: PendingMessage['comm'], more: Partial<PendingMessage> = {}): PendingMessage {
  return { comm, peer: 1, tag: 12, bytes: 800, isInternal: false, ...more };
}

function processWith(queues: Partial<MessageQueues>): MpiProcess {
  const all: MessageQueues = { posted: success([]), unexpected: success([]), sends: success([]), ...queues };
  return {
    messageQueues: () => Promise.resolve(success(all)),
    handles: () => Promise.resolve(success(Object.keys(comms).map(BigInt))),
    query: (_kind: string, handle: bigint) => {
      const hex = `0x${handle.toString(16)}`;
      return Promise.resolve(success({ handle: hex, ...comms[hex] }));
    },
  } as unknown as MpiProcess;
}

describe('message queues', () => {
  it('are sorted by communicator, without the library’s own', async () => {
    const queues = {
      posted: success([message(ref('0x2')), message(ref('0x2'), { tag: -17, isInternal: true }), message(ref('0x3'))]),
    };
    const sorted = await queuesByComm(processWith(queues), false);
    assert.deepEqual(
      sorted.comms.map(({ queues: { comm, posted } }) => [comm.handle, posted]),
      [
        ['0x1', []],
        ['0x2', [{ peer: 1, tag: 12, bytes: 800 }]],
        ['0x4', []],
      ],
    );
    assert.deepEqual(sorted.notes, []);
  });

  it('include the library’s own on demand, marked as such', async () => {
    const queues = { posted: success([message(ref('0x2'), { tag: -17, isInternal: true, collective: 'MPI_Bcast' })]) };
    const { comms: found } = await queuesByComm(processWith(queues), true);
    assert.equal(found.length, 4);
    const [, ocean] = found;
    assert.deepEqual(ocean!.queues.posted, [
      { peer: 1, tag: -17, bytes: 800, collective: 'MPI_Bcast', internal: true },
    ]);
  });

  it('count messages that belong to no live communicator, with the reason', async () => {
    const { notes } = await queuesByComm(processWith({ unexpected: success([message(freed), message(freed)]) }), false);
    assert.deepEqual(notes, ['2 unexpected messages: no live communicator has the context 7']);
  });

  it('are unavailable if the plugin does not decode them', async () => {
    const process = { implementation: { name: 'other' } } as MpiProcess;
    await assert.rejects(queuesByComm(process, false), (error: unknown) => {
      assert.ok(error instanceof QueryError);
      assert.match(error.message, /message queues of other are not decoded/);
      return true;
    });
  });

  it('are merged for unnamed communicators with equal queues and no rank in common', () => {
    const comm = (handle: string, localProcs: number[], contextId: number): CommInfo =>
      ({ ...{ handle, name: '', flags: [], localProcs, contextId } }) as unknown as CommInfo;
    const textOf = (comms: readonly CommInfo[], peers: readonly number[], worlds?: string[]): string => {
      const ranks = comms.map(({ handle }, rank) => {
        const posted = [{ peer: peers[rank]!, tag: 12, bytes: 800 }];
        return {
          rank,
          ...(worlds && { world: worlds[rank]! }),
          comms: [{ comm: ref(handle), posted, unexpected: [], sends: [] }],
        };
      });
      const document = { schema: 'mpidbg/1' as const, target: 'live' as const, ranks };
      return queuesText({ document, comms: comms.map((each) => [each]) }, false);
    };
    const alone = [0, 1, 2].map((rank) => comm('0x7', [rank], 5));
    const row = 'posted receive from 0, tag 12, 800 bytes';
    assert.equal(textOf(alone, [0, 0, 0]), `3 MPI_Comm of one rank each, context id 5\n  0-2  ${row}\n`);
    const halves = [0, 1, 2, 3].map((rank) => comm('0x8', rank < 2 ? [0, 1] : [2, 3], rank < 2 ? 7 : 9));
    assert.equal(
      textOf(halves, [1, 0, 1, 0]),
      '2 MPI_Comm: ranks 0-1; ranks 2-3\n  0-3  posted receive from (1,0), tag 12, 800 bytes\n',
    );
    // Different contents; common ranks.
    assert.match(textOf(alone, [0, 0, 1]), /^MPI_Comm of rank 2, context id 5$/m);
    const twice = [comm('0x7', [0, 1], 5), comm('0x8', [0, 1], 6)];
    assert.match(
      textOf(twice, [0, 0]),
      /^MPI_Comm of ranks 0-1, context id 5\n.*\nMPI_Comm of ranks 0-1, context id 6\n/,
    );
    assert.match(
      textOf([comm('0x7', [0, 1], 5), comm('0x7', [0, 1], 5)], [0, 0], ['0', '0.1']),
      /^MPI_Comm of ranks 0-1, context id 5\n.*\nMPI_Comm of ranks 0\.1:0-1, context id 5\n/,
    );
    const withChildren = ['0x7', '0x8'].map((handle) => ({ ...comm(handle, [0, 1], 5), remoteProcs: [null, null] }));
    assert.match(
      textOf(withChildren, [0, 0]),
      /^MPI_Comm of ranks 0-1 and 2 of other worlds, context id 5\n {2}0-1 {2}posted receive from 0/,
    );
  });

  it('print many that differ in numbers only as one, unless asked for in full', async () => {
    const told = Array.from({ length: 1000 }, (_, tag) => message(ref('0x2'), { tag }));
    const { comms } = await queuesByComm(processWith({ posted: success(told), sends: success([]) }), false);
    const ranks = [{ rank: 0, comms: comms.map(({ queues }) => queues) }];
    const described = {
      document: { schema: 'mpidbg/1' as const, target: 'live' as const, ranks },
      comms: [comms.map(({ info }) => info)],
    };
    const [, first, ...rest] = queuesText(described, false).split('\n');
    assert.equal(first, '  0  posted receive from 1, tag 0, 800 bytes  and 999 more with other numbers');
    assert.deepEqual(rest, ['Nothing is pending on 2 other communicators', '']);
    const full = queuesText(described, true);
    assert.equal(full.match(/posted receive from 1, tag \d+, 800 bytes$/gm)?.length, 1000);
  });

  it('print equal entries once, in one rank and in several', async () => {
    const told = [message(ref('0x2')), message(ref('0x2')), message(ref('0x4'), { peer: 'MPI_ANY_SOURCE', bytes: 1 })];
    const { comms: found } = await queuesByComm(processWith({ posted: success(told), sends: noSends }), false);
    const ranks = [0, 1].map((rank) => ({ rank, comms: found.map(({ queues }) => queues) }));
    const infos = [0, 1].map(() => found.map(({ info }) => info));
    const text = queuesText({ document: { schema: 'mpidbg/1', target: 'live', ranks }, comms: infos }, false);
    assert.equal(
      text,
      [
        'MPI_Comm "ocean\\u202e"',
        '  0-1  posted receive from 1, tag 12, 800 bytes (2 times)',
        'MPI_Comm of ranks 0-1 and 2-3, context id 6',
        '  0-1  posted receive from MPI_ANY_SOURCE, tag 12, 1 byte',
        '  0-1  pending sends: no list of sends',
        '',
      ].join('\n'),
    );
  });
});
