/** mpidbg/pvars and mpidbg/cvars of a job that was launched with the collector: while the ranks run, and at a stop. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Known } from '../../plugin-api/mpi/records';
import type { OverlayDocument, RankOverlay } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { eventually } from '../support/process-state';
import { DebugRun } from './debug-run';

const lengths = 'pml_ob1_unexpected_msgq_length';

function rankOf({ ranks }: OverlayDocument): RankOverlay {
  const [rank, ...others] = ranks;
  assert.ok(others.length === 0 && rank !== undefined && 'collector' in rank, JSON.stringify(ranks));
  return rank;
}

function told<T>(value: Known<T> | undefined): T {
  assert.ok(value !== undefined && !isUnavailable(value), JSON.stringify(value));
  return value;
}

it('variables of MPI_T are told while the ranks run, and at a stop', async () => {
  const collector = { pvars: ['*msgq*'], period: 20 };
  const run = await DebugRun.launch({
    ...{ mpi: 'openmpi', program: 'tool-variables', ranks: 2, attributes: { args: ['--wait'], collector } },
  });
  const pvars = async () =>
    told(rankOf(await run.client.request('mpidbg/pvars', { ranks: '1', patterns: ['pml_*'] })).pvars);
  // What tool-variables.c sends to rank 1, by peer.
  const sent = [
    ['MPI_COMM_WORLD', [3, 0]],
    ['MPI_COMM_SELF', [0]],
    ['ocean', [2, 0]],
    [undefined, [0, 0]], // freed
  ];
  const readLengths = async () => {
    const found = (await pvars()).find(({ name }) => name === lengths)?.instances ?? [];
    return found.map(({ object, values }) => [object?.name, values]);
  };
  try {
    await eventually('the messages are counted while the ranks run', async () => {
      const seen = await readLengths().catch(() => []);
      return JSON.stringify(seen) === JSON.stringify(sent);
    });
    await run.client.request('pause', { threadId: await run.threadOf(1) });
    await run.nextStop();
    assert.deepEqual(await readLengths(), sent);
    const denied = (await pvars()).filter(({ status }) => status === 'denied').map(({ name }) => name);
    assert.deepEqual(denied, ['pml_ob1_posted_recvq_length']);
    const settings = rankOf(await run.client.request('mpidbg/cvars', { ranks: '0', patterns: ['mpi_leave_pinned'] }));
    assert.deepEqual(
      told(settings.cvars).map(({ value }) => value),
      [[-1]],
    );
  } finally {
    await run.close();
  }
});

it('the collector takes at most 16 MiB of a rank, whatever it collects', async () => {
  const run = await DebugRun.launch({
    ...{ mpi: 'openmpi', program: 'tool-variables', ranks: 2, attributes: { args: ['--wait'], collector: true } },
    breakpoints: [{ source: 'tool-variables.c', marker: 'waiting' }],
  });
  try {
    await run.nextStops([0, 1], 'breakpoint');
    const { ranks } = await run.client.request<{ ranks: { pid: number }[] }>('mpidbg/ranks');
    for (const { pid } of ranks) {
      const [line] = readFileSync(`/proc/${pid}/maps`, 'utf8').match(/^.*memfd:mpidbg-collector.*$/m) ?? [];
      const [, begin, end] = /^(\w+)-(\w+) /.exec(line ?? '') ?? [];
      const bytes = Number(BigInt(`0x${end}`) - BigInt(`0x${begin}`));
      assert.ok(bytes > 12 << 20 && bytes <= 16 << 20, `${bytes} bytes`);
    }
  } finally {
    await run.close();
  }
});
