import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Host } from '../../adapter/hosts/host';
import { HostProcess } from '../../adapter/hosts/host-process';
import type { ProcessLife } from '../../adapter/hosts/process-life';
import { ProcessWatch } from '../../adapter/job/process-watch';
import type { RankEnd } from '../../adapter/job/rank';
import { RankRecord } from '../../adapter/job/rank-record';
import { FakeClock } from '../support/fake-clock';
import { FakeGdb } from '../support/fake-gdb';

/** What a host tells; an Error is what asking rejects with. */
type Told = ProcessLife | undefined | Error;

const failure = (code: string): Error => Object.assign(new Error(code), { code });
const gone = undefined;
const running = (startTime: string): ProcessLife => ({ startTime, endStatus: undefined, stopped: undefined });
const ended = (endStatus: number): ProcessLife => ({ startTime: '100', endStatus, stopped: undefined });

class HostOfOne implements Pick<Host, 'lives'> {
  told: Told;
  readonly asked: (readonly number[])[] = [];

  readonly lives = async (pids: readonly number[]): Promise<(ProcessLife | undefined)[]> => {
    this.asked.push(pids);
    const { told } = this;
    if (told instanceof Error) throw told;
    return pids.map(() => told);
  };

  async rank(pid: number, foundAs?: string): Promise<RankRecord> {
    const process = new HostProcess(this as Partial<Host> as Host, pid);
    const gdb = await new FakeGdb('in one piece').connect();
    const found = foundAs === undefined ? {} : { foundAs };
    return new RankRecord({ number: 0, host: 'far', pid, process, ...found }, gdb, 'i1');
  }
}

describe('the watch over processes', () => {
  /** What is told of the rank's end when its host tells these, one at each look. */
  async function toldOf(...all: Told[]): Promise<RankEnd[]> {
    const [clock, host] = [new FakeClock(), new HostOfOne()];
    const rank = await host.rank(17);
    const told: RankEnd[] = [];
    const watch = new ProcessWatch(
      () => [rank],
      { missed: (_, end) => told.push(end), runFree: () => assert.fail(), endedFree: () => assert.fail() },
      clock,
    );
    for (const each of all) {
      host.told = each;
      clock.pass(500);
      await nextTurn();
    }
    watch.stop();
    return told;
  }

  const runs = running('100');

  it('tells an end that gdb is late with, as far as the kernel knows it', async () => {
    assert.deepEqual(await toldOf(runs, gone, gone), [{}]);
    assert.deepEqual(await toldOf(runs, ended(5 << 8), ended(5 << 8)), [{ exitCode: 5 }]);
    assert.deepEqual(await toldOf(runs, ended(139), ended(139)), [{ signal: 'SIGSEGV' }]);
    assert.deepEqual(await toldOf(runs, runs, gone), [], 'gdb may be about to tell it');
  });

  it('does not take a later process with the same pid for the rank', async () => {
    assert.deepEqual(await toldOf(runs, running('200'), running('200')), [{}]);
  });

  it('tells nothing of a host that does not answer', async () => {
    const unreachable = failure('ECONNRESET');
    assert.deepEqual(await toldOf(runs, unreachable, unreachable, unreachable, runs), []);
  });

  it('asks each host once, however many ranks it has', async () => {
    const clock = new FakeClock();
    const hosts = [new HostOfOne(), new HostOfOne()];
    const ranks = await Promise.all([17, 18, 19].flatMap((pid) => hosts.map((host) => host.rank(pid))));
    const nobody = { missed: () => assert.fail(), runFree: () => assert.fail(), endedFree: () => assert.fail() };
    const watch = new ProcessWatch(() => ranks, nobody, clock);
    clock.pass(500);
    watch.stop();
    for (const { asked } of hosts) assert.deepEqual(asked, [[17, 18, 19]]);
  });

  /** What is told of a rank that is lost when its host tells these, one at each look. */
  async function toldOfLost(foundAs: string | undefined, ...all: Told[]): Promise<string[]> {
    const [clock, host] = [new FakeClock(), new HostOfOne()];
    const rank = await host.rank(17, foundAs);
    const told: string[] = [];
    const watch = new ProcessWatch(
      () => [rank],
      {
        missed: () => assert.fail(),
        runFree: (ranks) => told.push(ranks[0] === rank ? 'runs' : 'another runs'),
        endedFree: (_, end) => told.push(`ended ${JSON.stringify(end)}`),
      },
      clock,
    );
    for (const each of [runs, ...all]) {
      host.told = each;
      clock.pass(500);
      await nextTurn();
      rank.state = 'lost';
    }
    watch.stop();
    return told;
  }

  const unreachable = failure('ECONNRESET');

  it('tells once that a lost rank runs without a debugger', async () => {
    for (const stopped of ['bySignal', 'byDebugger'] as const)
      assert.deepEqual(await toldOfLost(undefined, unreachable, { ...runs, stopped }), [], stopped);
    assert.deepEqual(await toldOfLost(undefined, unreachable, runs, runs), ['runs']);
    assert.deepEqual(await toldOfLost('T', { ...runs, stopped: 'bySignal' }), ['runs'], 'it was stopped before');
  });

  it('tells once that a lost rank has ended, also where a later process has its pid', async () => {
    assert.deepEqual(await toldOfLost(undefined, unreachable, gone, gone), ['ended {}']);
    assert.deepEqual(await toldOfLost(undefined, ended(5 << 8), gone), ['ended {"exitCode":5}']);
    assert.deepEqual(await toldOfLost(undefined, running('200'), running('200')), ['ended {}']);
  });
});
