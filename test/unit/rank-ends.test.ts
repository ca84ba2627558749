import assert from 'node:assert/strict';
import { RankEnds } from '../../adapter/dap/ranks/rank-ends';
import { FakeClock } from '../support/fake-clock';

describe('the ends of ranks in the debug console', () => {
  type End = Parameters<RankEnds['add']>[0];
  let said: string[];
  let clock: FakeClock;
  let ends: RankEnds;

  beforeEach(() => {
    said = [];
    clock = new FakeClock();
    ends = new RankEnds(
      clock,
      (line) => said.push(line),
      (line) => said.push(line),
    );
  });

  const ended = (number: number, end: End['end'], state: End['state'] = 'exited', world?: string): void =>
    ends.add({ number, label: `rank ${number}`, state, end, world, isAway: false });

  it('are one line for all that end well together', () => {
    for (const number of [0, 2, 1, 4]) ended(number, { exitCode: 0 });
    clock.pass(90);
    ended(0, { exitCode: 0 }, 'exited', '0.1');
    assert.deepEqual(said, []);
    clock.pass(110);
    assert.deepEqual(said, ['ranks 0-2,4,0.1:0 exited with status 0']);
    ended(3, { exitCode: 0 });
    ends.flush();
    clock.pass(1000);
    assert.deepEqual(said.slice(1), ['rank 3 exited with status 0']);
  });

  it('have a line of their own where there is something to look at, in their order', () => {
    ended(0, { exitCode: 0 });
    ended(1, { exitCode: 5 });
    ended(2, { signal: 'SIGSEGV' });
    ended(3, undefined);
    ended(4, undefined, 'lost');
    assert.deepEqual(said, [
      'rank 0 exited with status 0',
      'rank 1 exited with status 5',
      'rank 2 was ended by SIGSEGV',
      'rank 3 ended',
      'rank 4 is lost: gdb no longer controls it, so nothing more is known about it',
    ]);
  });

  it('are one line for all that are out of reach with their host', () => {
    for (const number of [4, 5, 7])
      ends.add({ number, label: `rank ${number}`, state: 'lost', end: {}, world: undefined, isAway: true });
    clock.pass(110);
    assert.deepEqual(said, ['ranks 4-5,7 are out of reach with their host, and come back to the session with it']);
  });

  it('are one line for all that ended alike because another rank had died', () => {
    const reason = { text: ' after rank 1 had died', isConsequence: true };
    const endedBy = (number: number, signal: string): void =>
      ends.add(
        { number, label: `rank ${number}`, state: 'exited', end: { signal }, world: undefined, isAway: false },
        reason,
      );
    ended(1, { exitCode: 15 });
    for (const number of [0, 2, 4]) endedBy(number, number === 2 ? 'SIGTERM' : 'SIGKILL');
    assert.deepEqual(said, ['rank 1 exited with status 15']);
    clock.pass(110);
    assert.deepEqual(said.slice(1), [
      'ranks 0,4 were ended by SIGKILL after rank 1 had died',
      'rank 2 was ended by SIGTERM after rank 1 had died',
    ]);
  });
});
