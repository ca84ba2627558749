/** When a job stands still, and after which time it is said to. */
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { untilStill, type StandStill } from '../../adapter/query/hang/hang-watch';
import type { ProcessState } from '../../plugin-api/hang/job-state';
import { standsStill } from '../../plugin-api/hang/stillness';
import { FakeClock } from '../support/fake-clock';
import { computes, finalizes, inCall, jobOf, receives, world, type Told } from '../support/hang-state';

const strict = { ignoresOwnCode: false };
const any = { ignoresOwnCode: true };

function counted(sent: number): Pick<Told, 'counters'> {
  return { counters: [{ comm: world, peer: 1, sent, expected: 1 }] };
}

function isStill(before: readonly Told[], now: readonly Told[], rules = strict): boolean {
  return standsStill(jobOf(before), jobOf(now), 1, rules);
}

describe('a job stands still', () => {
  const waits = [receives(1, 7), inCall('MPI_Barrier')];

  it('where each rank is in the same call with the same arguments', () => {
    assert.ok(isStill(waits, waits));
    assert.ok(isStill([finalizes, receives(0, 1)], [finalizes, receives(0, 1)]));
    assert.ok(isStill([inCall('MPI_Test'), waits[1]!], [inCall('MPI_Test'), waits[1]!]));
  });

  it('not where one has moved, or has sent a message', () => {
    assert.ok(!isStill(waits, [receives(1, 8), waits[1]!]));
    assert.ok(!isStill(waits, [inCall('MPI_Recv', { where: 'a.c:2' }), waits[1]!]));
    assert.ok(!isStill([receives(1, 7, counted(1))], [receives(1, 7, counted(2))]));
    assert.ok(!isStill([receives(1, 7, { traffic: 'a' })], [receives(1, 7, { traffic: 'b' })]));
    assert.ok(!isStill(waits, waits.slice(1)), 'one has ended');
  });

  it('not where one is in its own code, or cannot be asked', () => {
    for (const other of [computes, { calls: [{ state: 'unknown' as const }] }, { calls: [] }])
      assert.ok(!isStill([other, waits[1]!], [other, waits[1]!]));
    const lost = { calls: [], error: 'its gdb was killed' };
    for (const rules of [strict, any]) assert.ok(!isStill([lost, waits[1]!], [lost, waits[1]!], rules));
  });

  it('where nobody sends, if what ranks do in their own code does not count', () => {
    const elsewhere: Told = { calls: [{ state: 'running', where: 'a.c:11' }] };
    assert.ok(isStill([computes, waits[1]!], [elsewhere, waits[1]!], any));
    assert.ok(isStill([computes, waits[1]!], [inCall('MPI_Test'), waits[1]!], any), 'it asks in a loop');
    assert.ok(!isStill([{ ...computes, ...counted(1) }, waits[1]!], [{ ...computes, ...counted(2) }, waits[1]!], any));
    assert.ok(!isStill([computes], [computes], any), 'nobody waits in MPI');
  });

  it('where a signal has stopped one of those for whom the others wait, if that does not count, and not where it has stopped all', () => {
    const stopped: Told = { ...computes, found: { state: 'stopped' } };
    assert.ok(isStill([stopped, waits[1]!], [stopped, waits[1]!], any));
    assert.ok(!isStill([stopped, waits[1]!], [stopped, waits[1]!]));
    const suspended: Told = { ...waits[1]!, found: { state: 'stopped' } };
    assert.ok(!isStill([stopped, suspended], [stopped, suspended], any));
  });
});

describe('the watch over a job', () => {
  const period = 60_000;
  const hung = jobOf([receives(1, 7), inCall('MPI_Barrier')]);
  const busy = jobOf([receives(1, 7), computes]);
  /** In MPI at each look, somewhere else each time. */
  const moving = (step: number): ProcessState[] => jobOf([receives(1, 100 + step), inCall('MPI_Barrier')]);

  /** Moves the clock on to this time; when the watch was over, and the times of its looks. */
  async function watch(
    look: (at: number, index: number) => ProcessState[] | undefined,
    until: number,
  ): Promise<{ still: StandStill | undefined; at: number | undefined; looks: number[] }> {
    const clock = new FakeClock();
    const looks: number[] = [];
    const over = new AbortController();
    let at: number | undefined;
    const watched = untilStill(
      {
        ...{ period, clock, ...strict },
        look: () => {
          looks.push(clock.now());
          return Promise.resolve(look(clock.now(), looks.length - 1));
        },
      },
      over.signal,
    ).then((still) => {
      if (still !== undefined) at = clock.now();
      return still;
    });
    while (clock.now() < until && at === undefined) {
      clock.pass(500);
      await nextTurn();
    }
    over.abort();
    return { still: await watched, at, looks };
  }

  it('is over when a job has stood still for the period, and has two looks a second apart', async () => {
    const { still, at, looks } = await watch(() => hung, 100_000);
    assert.deepEqual(still?.looks, [hung, hung]);
    assert.ok(still.seconds >= period / 1000, String(still.seconds));
    assert.ok(at! - looks[0]! >= period + 1000 && at! - looks[0]! < period + 3000, String(at));
    assert.equal(looks.length, 4);
  });

  it('begins the period again with each sign of progress', async () => {
    const hangsAt = 200_000;
    for (const before of [() => busy, moving, () => undefined]) {
      const { at, looks } = await watch((now, index) => (now < hangsAt ? before(index) : hung), 400_000);
      assert.ok(at! >= hangsAt + period && at! < hangsAt + 1.6 * period, String(at));
      assert.ok(looks.filter((time) => time < hangsAt).length <= 7, 'two looks in each period');
    }
  });

  it('goes on while the last looks differ', async () => {
    const { still } = await watch((_, index) => (index % 4 === 3 ? moving(index) : hung), 1_000_000);
    assert.equal(still, undefined);
  });
});
