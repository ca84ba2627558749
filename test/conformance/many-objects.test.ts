/** Many objects of every kind, that refer to each other: what is told of them, and that its cost grows as their number. */
import assert from 'node:assert/strict';
import type { HandleKind, HandleRef } from '../../plugin-api/mpi/records';
import { countedHandles, type Counted } from '../support/counted-work';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';
import type { LiveHandles } from '../support/truth';

/** MPICH has 2 048 communicators at most, of which windows take some. */
const common = {
  comm: 200,
  datatype: 400,
  errhandler: 400,
  group: 400,
  info: 400,
  message: 400,
  op: 400,
  request: 400,
  win: 50,
};

/** MPICH has no list of files: they are searched for in all that the process has allocated, however few they are. */
const counts: Record<Mpi, Partial<Record<HandleKind, number>>> = { openmpi: { ...common, file: 50 }, mpich: common };

interface Told extends Counted {
  live: LiveHandles['live'];
}

/** `factor`: so many times the objects of `counts`, and one of each kind at least: some costs come with the first. */
async function lookAt(mpi: Mpi, factor: number): Promise<Told> {
  const args = Object.entries(counts[mpi]).flatMap(([kind, count]) => [kind, String(Math.max(1, count * factor))]);
  const job = await SampleJob.startWaiting(mpi, 'many', { ranks: 1, args });
  try {
    return { live: job.live[0]!.live, ...(await countedHandles(job.pids[0]!)) };
  } finally {
    await job.kill();
  }
}

/**
 * The records of the program's own objects of a kind, by handle. It has freed the requests of the sends of its messages, which
 * may be under way still.
 */
function ownOf({ answers }: Told, kind: HandleKind): Map<string, Record<string, unknown>> {
  const infos = (answers[kind] ?? []).flatMap((answer) => (answer.code === 'MPIDBG_SUCCESS' ? [answer.info] : []));
  const flagsOf = (info: object): readonly string[] => ('flags' in info ? (info.flags as string[]) : []);
  const own = infos.filter((info) => !flagsOf(info).some((flag) => ['predefined', 'freedHandle'].includes(flag)));
  return new Map(own.map((info) => [(info as { handle: string }).handle, { ...info }]));
}

const sorted = (handles: Iterable<string>): string[] => [...handles].sort();

/** The handles in a field of a record. */
function handlesIn(record: Record<string, unknown> | undefined, field: string): string[] {
  return sorted((record?.[field] as HandleRef[]).map(({ handle }) => handle));
}

/** What linear work is twice of; what grows with the square would be four times as much. */
const maxGrowth = 2.3;

for (const mpi of allMpis)
  describe(`many objects of ${mpi}`, () => {
    let few: Told;
    let once: Told;
    let twice: Told;

    before(async () => (few = await lookAt(mpi, 0)));
    before(async () => (once = await lookAt(mpi, 1)));
    before(async () => (twice = await lookAt(mpi, 2)));

    for (const kind of Object.keys(counts[mpi]) as HandleKind[])
      it(`are all told: ${kind}`, () => {
        const told = sorted(twice.live[kind] ?? []);
        assert.ok(told.length >= 2 * counts[mpi][kind]!, `the program made ${told.length}`);
        assert.deepEqual(sorted(ownOf(twice, kind).keys()), told);
      });

    it('are told by what they share', () => {
      const [crowd] = twice.live.comm!;
      const [pair] = twice.live.datatype!;
      const [watcher] = twice.live.errhandler!;
      const requests = sorted(twice.live.request!);
      const comm = ownOf(twice, 'comm').get(crowd!);
      assert.deepEqual(handlesIn(comm, 'pendingRequests'), requests);
      assert.deepEqual(handlesIn(ownOf(twice, 'datatype').get(pair!), 'pendingRequests'), requests);
      // The library's own communicators, of windows, inherit it too.
      const attached = new Set(handlesIn(ownOf(twice, 'errhandler').get(watcher!), 'attachedTo'));
      assert.deepEqual(sorted(twice.live.comm!.filter((handle) => attached.has(handle))), sorted(twice.live.comm!));
      // MPICH does not record it.
      if (mpi === 'openmpi') assert.deepEqual(handlesIn(comm, 'derivedWindows'), sorted(twice.live.win!));
    });

    for (const cost of ['processReads', 'reads', 'work'] as const)
      it(`cost in proportion to their number: ${cost}`, () => {
        const [base, single, double] = [few, once, twice].map((told) => told.cost[cost]) as [number, number, number];
        const growth = (double - base) / (single - base);
        assert.ok(growth <= maxGrowth, `${base}, ${single}, ${double}: ${growth.toFixed(2)} times`);
      });
  });
