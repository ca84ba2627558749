/** `mpidbg queues`: what a program has posted, sent and not received yet, by what it knows itself and MPI_Iprobe tells it. */
import assert from 'node:assert/strict';
import { tables as ucxTables } from '../../plugin-api/plugins/ucx/library';
import { isUnavailable } from '../../plugin-api/result';
import type { CommQueues, QueueItem, QueuesDocument, RankQueues } from '../../plugin-api/mpi/queue-records';
import type { Known } from '../../plugin-api/mpi/records';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, isBuilt, SampleJob, type Build, type Mpi } from '../support/sample-job';
import type { ToldItem, ToldQueues } from '../support/truth';
import { ucxOptions } from './programs';

interface Case {
  title: string;
  mpi: Mpi;
  launcherArgs?: string[];
  /** The message layer has no list of them. */
  areSendsUnknown?: boolean;
}

const cases: Case[] = [
  ...allMpis.map((mpi) => ({ title: mpi, mpi })),
  { title: 'openmpi over ucx', mpi: 'openmpi', launcherArgs: ucxOptions(), areSendsUnknown: true },
];

async function queuesOf(target: readonly string[], ...options: string[]): Promise<RankQueues[]> {
  const { status, stdout, stderr } = await runCli(['queues', ...target, ...options, '--json']);
  assert.equal(status, 0, stderr);
  return (JSON.parse(stdout) as QueuesDocument).ranks.map((rank) => {
    assert.ok('comms' in rank, stdout);
    return rank;
  });
}

function factOf({ peer, tag, bytes, request }: QueueItem | ToldItem): ToldItem {
  const handle = typeof request === 'object' ? request.handle : request;
  return { peer, tag, bytes, ...(handle === undefined ? {} : { request: handle }) } as ToldItem;
}

/** UCX changes with every release: of one without a table of its structs, mpidbg says that it is not known. */
function assertUnknownUcx(reason: string): void {
  const [, version] = /^no layout table for UCX (\S+),/.exec(reason) ?? [];
  assert.ok(version !== undefined && !Object.keys(ucxTables).includes(version), reason);
}

/** A message that MPI_Bsend has left in a buffer has a request that the program never sees. */
function assertTransfers(found: Known<QueueItem[]>, told: readonly ToldItem[], what: string): void {
  if (isUnavailable(found)) return assertUnknownUcx(found.reason);
  const unknown = found.flatMap(({ peer }) => (isUnavailable(peer) ? [peer.reason] : []));
  if (unknown.length > 0) {
    unknown.forEach(assertUnknownUcx);
    assert.ok(found.length >= told.length, what);
    return;
  }
  const own = new Set(told.map(({ request }) => request));
  const facts = found.map((item) => {
    const { request, ...fact } = factOf(item);
    return own.has(request) ? { ...fact, request } : fact;
  });
  assert.deepEqual(sorted(facts), sorted(told), what);
}

const sorted = <T>(items: readonly T[]): T[] =>
  [...items].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

function assertQueues(told: readonly ToldQueues[], ranks: readonly RankQueues[], areSendsUnknown: boolean): void {
  assert.equal(told.length, 4, 'each rank tells its queues');
  for (const { rank, comms } of told) {
    const answered = ranks.find((each) => each.rank === rank)!;
    for (const expected of comms) {
      const what = `rank ${rank}, ${expected.comm}`;
      const found: CommQueues | undefined = answered.comms.find(({ comm }) => comm.handle === expected.comm);
      assert.ok(found !== undefined, `${what} is not listed`);
      assertTransfers(found.posted, expected.posted, `${what}, posted`);
      // One peer's come in the order in which they were sent, and here each communicator has one that sends.
      if (isUnavailable(found.unexpected)) assertUnknownUcx(found.unexpected.reason);
      else assert.deepEqual(found.unexpected.map(factOf), expected.unexpected, `${what}, unexpected`);
      if (areSendsUnknown) assert.ok(isUnavailable(found.sends), `${what}: the sends are told to be unknown`);
      else assertTransfers(found.sends, expected.sends, `${what}, sends`);
    }
    // All others are there, and empty.
    const others = answered.comms.filter(({ comm }) => !comms.some((each) => each.comm === comm.handle));
    for (const { comm, posted, unexpected } of others)
      for (const queue of [posted, unexpected])
        if (isUnavailable(queue)) assertUnknownUcx(queue.reason);
        else assert.deepEqual(queue, [], `rank ${rank}, ${comm.name ?? comm.handle}`);
  }
}

for (const { title, mpi, launcherArgs = [], areSendsUnknown = false } of cases)
  it(`mpidbg queues tells the message queues of ${title}, live and from cores`, async () => {
    const folder = new CoreFolder();
    const job = await SampleJob.startWaiting(mpi, 'queues', { launcherArgs });
    try {
      const live = ['--launcher', String(job.launcherPid)];
      const found = await queuesOf(live);
      assertQueues(job.queues, found, areSendsUnknown);
      assertInternal(found, await queuesOf(live, '--internal'));
      const cores = await folder.gcore(job.pids);
      assertQueues(job.queues, await queuesOf(['--core', ...cores]), areSendsUnknown);
      await job.finish();
    } finally {
      await job.kill();
      folder.remove();
    }
  });

/** Rank 3 has not come to the MPI_Ibarrier on "ocean": the others wait for messages of it, which are not the program's. */
function assertInternal([own]: readonly RankQueues[], [all]: readonly RankQueues[]): void {
  const ocean = ({ comms }: RankQueues): QueueItem[] | undefined => {
    const found = comms.find(({ comm }) => comm.name === 'ocean');
    assert.ok(found !== undefined);
    const unknown = isUnavailable(found.posted)
      ? found.posted
      : found.posted.map(({ peer }) => peer).find(isUnavailable);
    if (unknown !== undefined) assertUnknownUcx(unknown.reason);
    return unknown === undefined && !isUnavailable(found.posted) ? found.posted : undefined;
  };
  const [items, allItems] = [ocean(own!), ocean(all!)];
  if (items === undefined || allItems === undefined) return;
  assert.ok(items.every(({ internal }) => internal === undefined));
  const more = allItems.filter((item) => !items.some((each) => each.request?.handle === item.request?.handle));
  assert.ok(more.length > 0, 'the barrier has posted a receive');
  assert.ok(more.every(({ internal }) => internal === true));
}

for (const build of (['openmpi-abi', 'mpich-abi'] satisfies Build[]).filter(isBuilt))
  it(`mpidbg queues tells the message queues of a program with the standard ABI: ${build}`, async () => {
    const job = await SampleJob.startWaiting(build === 'mpich-abi' ? 'mpich' : 'openmpi', 'queues', { build });
    try {
      assertQueues(job.queues, await queuesOf(['--launcher', String(job.launcherPid)]), false);
    } finally {
      await job.kill();
    }
  });
