/** MPI_T events on MPIs that have none, from a double that raises them: what a copy is refused of, and registrations that end. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isUnavailable } from '../../plugin-api/result';
import { openWorkshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';
import { askEvents, eventsOf } from '../support/tool-events';

/** The communicators that a rank of told-calls has freed without a name, as it says itself. */
function freedOf(printed: readonly string[], rank: number): number {
  const prefix = `CALLS {"rank":${rank},`;
  const line = printed.find((each) => each.startsWith(prefix)) ?? '{"calls":[]}';
  const { calls } = JSON.parse(line.replace('CALLS ', '')) as { calls: { name: string; comm?: string }[] };
  return calls.filter(({ name, comm }) => name === 'MPI_Comm_free' && comm === '').length;
}

for (const mpi of allMpis) {
  it(`tells the events of a double, and how registrations end with their communicators, with ${mpi}`, async () => {
    const workshop = openWorkshop();
    const source = readFileSync(join(__dirname, '..', 'support', 'event-double.c'), 'utf8');
    const double = workshop.compile('event-double.so', source, `mpicc.${mpi}`, ['-shared', '-fPIC']);
    const { stdout } = await runCli(['collector', '--collect', 'events']);
    const through = stdout.trim().replace(/LD_PRELOAD=\S+/, `$&:${double}`);
    const job = await SampleJob.startWaiting(mpi, 'told-calls', { ranks: 2, through: through.split(' ') });
    try {
      for (const overlay of await askEvents(['--last', '1000', '--launcher', String(job.launcherPid)])) {
        const told = eventsOf(overlay).map(({ type, payload, elements, source: raiser, ticks }) => {
          assert.deepEqual([raiser, ticks], ['double', elements[1]?.value]);
          return [type, payload, elements.map(({ value }) => value)];
        });
        // The program calls MPI_Pcontrol(2) and MPI_Pcontrol(0).
        const each = (type: string, payload: string) => [
          [type, payload, [2, 0]],
          [type, payload, [0, 1]],
        ];
        const ofType = (name: string) => told.filter(([type]) => type === name);
        assert.deepEqual(ofType('copied'), each('copied', 'copied'));
        assert.deepEqual(ofType('refused'), each('refused', 'read'));
        assert.deepEqual(ofType('far'), each('far', 'read'));

        const { eventTypes } = overlay;
        assert.ok(eventTypes !== undefined && !isUnavailable(eventTypes), JSON.stringify(eventTypes));
        const bound = eventTypes.find(({ name }) => name === 'of_comm')!;
        const namesOf = (isFreed: boolean) =>
          bound.registrations
            .filter(({ freed = false }) => freed === isFreed)
            .map(({ object }) => object?.name ?? '')
            .toSorted();
        assert.deepEqual(namesOf(false), ['MPI_COMM_SELF', 'MPI_COMM_WORLD', 'ocean']);
        // MPI has refused to free MPI_COMM_WORLD after the collector had freed what was registered on it.
        const briefs = Array.from({ length: freedOf(job.printed, overlay.rank!) }, () => '');
        assert.ok(briefs.length >= 2);
        assert.deepEqual(namesOf(true), [...briefs, 'MPI_COMM_WORLD']);
        // Each time raised on as many communicators as there were.
        assert.equal(bound.raised, 2 * 3);
      }
      await job.finish();
    } finally {
      await job.kill();
      workshop.close();
    }
  });
}
