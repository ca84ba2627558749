import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Host } from '../../adapter/hosts/host';
import { HostProcess } from '../../adapter/hosts/host-process';
import { ProcessWatch } from '../../adapter/job/process-watch';
import type { RankEnd } from '../../adapter/job/rank';
import { RankRecord } from '../../adapter/job/rank-record';
import { FakeClock } from '../support/fake-clock';
import { FakeGdb } from '../support/fake-gdb';

/** What the kernel writes of a process; an Error is what reading rejects with. */
type Stat = string | Error;

const failure = (code: string): Error => Object.assign(new Error(code), { code });
const gone = failure('ENOENT');

/** As proc(5) says it, of a program whose name is to mislead. */
function stat(state: string, startTime: number, status = 0): string {
  const fields = [state, ...Array.from({ length: 49 }, (_, i) => (i === 18 ? startTime : i === 48 ? status : 0))];
  return `17 (a) R (b) ${fields.join(' ')}\n`;
}

class HostOfOne implements Pick<Host, 'readFile'> {
  stat: Stat = stat('S', 100);

  readonly readFile = async (path: string): Promise<Buffer> => {
    assert.equal(path, '/proc/17/stat');
    if (this.stat instanceof Error) throw this.stat;
    return Buffer.from(this.stat);
  };
}

describe('the watch over processes', () => {
  /** What is told of the rank's end when its host tells these, one at each look. */
  async function toldOf(...stats: Stat[]): Promise<RankEnd[]> {
    const [clock, host] = [new FakeClock(), new HostOfOne()];
    const process = new HostProcess(host as Partial<Host> as Host, 17);
    const gdb = await new FakeGdb('in one piece').connect();
    const rank = new RankRecord({ number: 0, host: 'far', pid: 17, process }, gdb, 'i1');
    const told: RankEnd[] = [];
    const watch = new ProcessWatch(
      () => [rank],
      (_, end) => told.push(end),
      clock,
    );
    for (const each of stats) {
      host.stat = each;
      clock.pass(500);
      await nextTurn();
    }
    watch.stop();
    return told;
  }

  const runs = stat('S', 100);

  it('tells an end that gdb is late with, as far as the kernel knows it', async () => {
    assert.deepEqual(await toldOf(runs, gone, gone), [{}]);
    assert.deepEqual(await toldOf(runs, stat('Z', 100, 5 << 8), stat('Z', 100, 5 << 8)), [{ exitCode: 5 }]);
    assert.deepEqual(await toldOf(runs, stat('Z', 100, 139), stat('Z', 100, 139)), [{ signal: 'SIGSEGV' }]);
    assert.deepEqual(await toldOf(runs, runs, gone), [], 'gdb may be about to tell it');
  });

  it('does not take a later process with the same pid for the rank', async () => {
    assert.deepEqual(await toldOf(runs, stat('S', 200), stat('S', 200)), [{}]);
  });

  it('tells nothing of a host that does not answer', async () => {
    const unreachable = failure('ECONNRESET');
    assert.deepEqual(await toldOf(runs, unreachable, unreachable, unreachable, runs), []);
  });
});
