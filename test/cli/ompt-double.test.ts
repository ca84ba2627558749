/** mpidbg ompt: every callback of OMPT and what devices trace, raised by a test double of a runtime that says what it has raised. */
import assert from 'node:assert/strict';
import type { FieldValue, Ompt } from '../../plugin-api/overlays/ompt-records';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { runCli } from '../support/run-cli';
import { SampleJob } from '../support/sample-job';

interface Raised {
  type: string;
  endpoint?: string;
  fields: Record<string, FieldValue>;
}

describe('mpidbg ompt of a test double', () => {
  let job: SampleJob;
  let ompt: Ompt;
  before(async () => {
    const { stdout } = await runCli(['collector', '--collect', 'ompt']);
    job = await SampleJob.startWaiting('mpich', 'ompt-double', { ranks: 1, through: stdout.trim().split(' ') });
    const asked = await runCli(['ompt', '--json', '--last', '1000', '--launcher', String(job.launcherPid)]);
    const [rank] = (JSON.parse(asked.stdout) as OverlayDocument).ranks;
    assert.ok(rank !== undefined && 'collector' in rank, asked.stdout);
    assert.ok(rank.ompt !== undefined && !isUnavailable(rank.ompt), asked.stdout);
    ompt = rank.ompt;
  });
  after(async () => {
    await (job as SampleJob | undefined)?.kill();
  });

  const raised = (prefix: string): Raised[] =>
    job.printed
      .filter((line) => line.startsWith(`${prefix} `))
      .map((line) => JSON.parse(line.slice(prefix.length)) as Raised);

  it('has each record with its fields', () => {
    const seen = ompt.records.map(({ type, endpoint, fields }) => ({
      type,
      ...(endpoint === undefined ? {} : { endpoint }),
      fields,
    }));
    const expected = raised('OMPT');
    assert.ok(expected.length > 35);
    for (const [i, record] of expected.entries()) assert.deepEqual(seen[i], record);
    assert.equal(seen.length, expected.length);
  });

  it('has what ompt_set_callback answered, and how often each callback came', () => {
    const answers = new Map(ompt.callbacks.map(({ name, set }) => [name, set]));
    assert.deepEqual(
      ['thread_begin', 'flush', 'cancel', 'error', 'work'].map((name) => answers.get(name)),
      ['always', 'sometimes', 'never', 'impossible', 'sometimes_paired'],
    );
    for (const { name, called } of ompt.callbacks)
      assert.equal(called, raised('OMPT').filter(({ type }) => type === name).length, name);
  });

  it('has the device, its image and what it has traced', () => {
    const { records, ...device } = ompt.devices[0]!;
    assert.deepEqual(device, {
      ...{ number: 1, type: 'test double', documentation: 'not a device' },
      ...{ images: [{ address: '0x110', bytes: 4096 }], tracing: true, buffersLost: 0 },
    });
    assert.deepEqual(
      records.map(({ type, fields }) => ({ type, fields })),
      raised('TRACED'),
    );
    assert.deepEqual([records[0]?.threadId, records[0]?.targetId], [3, 4]);
  });

  it('has what the thread holds and waits for', () => {
    const [thread] = ompt.threads;
    assert.equal(ompt.runtime, 'test double of an OpenMP runtime');
    assert.deepEqual(
      [thread?.type, thread?.parallel?.requested, thread?.parallel?.flags],
      ['initial', 3, ['invoker_runtime', 'league']],
    );
    assert.deepEqual(
      thread?.holds.map(({ kind, waitId }) => [kind, waitId]),
      [['lock', '0x90']],
    );
    // It is in the last target region, which has not ended.
    assert.deepEqual([thread?.waitsFor?.kind, thread?.state], ['target', 'wait_target_update']);
  });
});
