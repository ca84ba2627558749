/** A watch that sees nothing says so: at once, and at the end. */
import assert from 'node:assert/strict';
import { WatchRecord } from '../../adapter/cli/run/watch-record';
import { FakeClock } from '../support/fake-clock';

describe('the record of a watch', () => {
  let clock: FakeClock;
  let said: string[];
  let record: WatchRecord;
  beforeEach(() => {
    clock = new FakeClock();
    said = [];
    record = new WatchRecord({ clock, period: 60_000, onChange: (_, sentence) => said.push(sentence) });
  });

  const nobody = /^the job is not watched: no MPI rank was found below the launcher on this host in 60 s/;

  it('is silent about a job that starts, is watched and ends', () => {
    for (const seconds of [5, 30]) {
      clock.pass(seconds * 1000);
      record.foundNone();
    }
    record.saw();
    clock.pass(600_000);
    record.foundNone();
    assert.deepEqual([said, record.summary()], [[], undefined]);
  });

  it('says once, and at the end, that no rank was found for a whole period', () => {
    for (let look = 0; look < 5; look++) {
      clock.pass(30_000);
      record.foundNone();
      assert.equal(said.length, look === 0 ? 0 : 1);
    }
    assert.match(said[0]!, nobody);
    assert.equal(record.summary(), said[0]!.replace('is not', 'was not'));
  });

  it('is silent about ranks that have died before a look found them', () => {
    record = new WatchRecord({
      clock,
      period: 60_000,
      haveDied: () => true,
      onChange: (_, sentence) => said.push(sentence),
    });
    clock.pass(61_000);
    record.foundNone();
    assert.deepEqual([said, record.summary()], [[], undefined]);
  });

  it('says at the end what no look had the time to say', () => {
    clock.pass(61_000);
    assert.match(record.summary() ?? '', /^the job was not watched: no MPI rank was found/);
  });

  it('is silent about ranks that were found, and ended while they were looked at', () => {
    record.found();
    clock.pass(61_000);
    record.foundNone();
    assert.deepEqual([said, record.summary()], [[], undefined]);
  });

  it('is silent about a job that waits in the queue, and counts from when it has started', () => {
    for (let look = 0; look < 5; look++) {
      clock.pass(100_000);
      record.waits();
    }
    clock.pass(59_000);
    record.foundNone();
    assert.deepEqual([said, record.summary()], [[], undefined]);
    clock.pass(1000);
    record.foundNone();
    assert.match(said[0]!, nobody);
    clock.pass(30_000);
    record.saw();
    clock.pass(10_000);
    assert.match(record.summary() ?? '', /^the job was not watched for 90 of its 100 s: no MPI rank was found/);
  });

  it('says that two looks in a row have failed, not one', () => {
    record.saw();
    record.failed('one rank ended');
    record.saw();
    record.failed('its gdb was killed');
    assert.deepEqual(said, []);
    record.failed('its gdb was killed');
    assert.deepEqual(said, ['the job is not watched: its gdb was killed']);
  });

  it('says at once what will not change', () => {
    record.failed('gdb is too old', true);
    assert.deepEqual(said, ['the job is not watched: gdb is too old']);
  });

  it('says that the job is watched again, and at the end for how long it was not', () => {
    record.saw();
    clock.pass(30_000);
    record.failed('no more processes');
    clock.pass(30_000);
    record.failed('no more processes');
    clock.pass(30_000);
    record.saw();
    clock.pass(30_000);
    assert.deepEqual(said.slice(1), ['the job is watched from now on']);
    assert.equal(record.summary(), 'the job was not watched for 90 of its 120 s: no more processes');
  });
});
