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
    ends.add({ number, label: `rank ${number}`, state, end, world });

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
    ends.add(
      { number: 5, label: 'rank 5', state: 'exited', end: { exitCode: 0 }, world: undefined },
      ' after rank 1 had died',
    );
    assert.deepEqual(said, [
      'rank 0 exited with status 0',
      'rank 1 exited with status 5',
      'rank 2 was ended by SIGSEGV',
      'rank 3 ended',
      'rank 4 is lost: gdb no longer controls it, so nothing more is known about it',
      'rank 5 exited with status 0 after rank 1 had died',
    ]);
  });
});
