/** Where ranks are that wait in MPI calls: which call, and what the program has passed to it. */
import assert from 'node:assert/strict';
import type { RankPosition } from '../../plugin-api/hang/position';
import { isUnavailable } from '../../plugin-api/result';
import { parseCommand } from '../../adapter/cli/arguments';
import { withHeldJob } from '../../adapter/cli/held-job';
import { positionsOf } from '../../adapter/query/positions/positions';
import { CoreFolder } from '../support/core-files';
import { eventually } from '../support/process-state';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';
import { readVariable } from '../support/stopped-ranks';
import type { BlockedCall } from '../support/truth';

const ranks = 3;
const last = ranks - 1;

/** How many of the arguments that a program passes are known at least, live and from cores: none may be lost unseen. */
const atLeast: Record<Mpi, number> = { openmpi: 0, mpich: 0 };

async function positions(target: readonly string[]): Promise<RankPosition[]> {
  const command = parseCommand(['stacks', ...target]);
  assert.ok(command.name === 'stacks');
  const held = await withHeldJob(command.options, new AbortController().signal, (job, queries) =>
    positionsOf(queries, job.ranks),
  );
  return held.answer.map((answer) => {
    assert.ok(!('error' in answer), JSON.stringify(answer));
    return answer;
  });
}

/** What is known of each, against what the program has told. */
class Known {
  readonly lost = new Map<string, string[]>();
  readonly wrong: string[] = [];
  facts = 0;

  add({ rank, call, arguments: passed = {} }: BlockedCall, position: RankPosition): void {
    for (const [field, expected] of Object.entries(passed)) {
      const found = position[field as keyof RankPosition];
      if (isUnavailable(found)) {
        this.lost.set(`${call} ${field}: ${found.reason}`, []);
        continue;
      }
      this.facts++;
      if (JSON.stringify(found) !== JSON.stringify(expected))
        this.wrong.push(`rank ${rank} ${call} ${field}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    }
  }

  check(mpi: Mpi): void {
    console.log(`      ${mpi}: ${this.facts} arguments known\n        ${[...this.lost.keys()].join('\n        ')}`);
    assert.deepEqual(this.wrong, []);
    assert.ok(this.facts >= atLeast[mpi], `only ${this.facts} arguments are known`);
  }
}

/** Waits until the ranks that tell of this step are inside the call. */
async function enter(job: SampleJob, waiting: readonly BlockedCall[], step: number): Promise<RankPosition[]> {
  const isInside = async ({ rank }: BlockedCall): Promise<boolean> =>
    (await readVariable(job.pids[rank]!, 'positions_step')) === step;
  await eventually(`step ${step}`, async () => (await Promise.all(waiting.map(isInside))).every(Boolean));
  let found: RankPosition[] = [];
  await eventually(`step ${step}: ${waiting[0]!.call}`, async () => {
    found = await positions(['--launcher', String(job.launcherPid)]);
    return waiting.every(({ rank, call }) => found[rank]!.call === call) || (step === 12 && true);
  });
  return found;
}

for (const mpi of allMpis) {
  it(`positions of ranks of ${mpi} that wait in MPI calls, live and from cores`, async () => {
    const folder = new CoreFolder();
    const job = await SampleJob.startWaiting(mpi, 'positions', { ranks });
    const known = new Known();
    try {
      const steps = Math.max(...job.blocked.map(({ step }) => step));
      assert.ok(steps >= 50, `only ${steps} calls`);
      for (let step = 1; step <= steps; step++) {
        const waiting = job.blocked.filter((each) => each.step === step);
        const live = await enter(job, waiting, step);
        for (const each of waiting) {
          if (live[each.rank]!.call === undefined) {
            console.log('NO CALL', each.call);
            continue;
          }
          known.add(each, live[each.rank]!);
        }
        assert.equal(live[last]!.state, 'running');
        if (step < steps) process.kill(job.pids[last]!, 'SIGUSR1');
      }
      known.check(mpi);
      await job.finish();
    } finally {
      await job.kill();
      folder.remove();
    }
  }).timeout(300_000);
}
