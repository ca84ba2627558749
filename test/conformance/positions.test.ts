/** Where ranks are that wait in MPI calls: which call, and what the program has passed to it. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RankPosition } from '../../plugin-api/hang/position';
import { isUnavailable } from '../../plugin-api/result';
import { CoreFolder } from '../support/core-files';
import { HeldJob, positionInCore } from '../support/held-job';
import { eventually } from '../support/process-state';
import { SampleJob, type Mpi } from '../support/sample-job';
import { readVariable } from '../support/stopped-ranks';
import type { BlockedCall } from '../support/truth';
import { ucxOptions } from './programs';

interface Case {
  title: string;
  mpi: Mpi;
  sample: string;
  launcherArgs?: string[];
  /** How many of the arguments are known at least, by release: none may be lost unseen. */
  atLeast: Record<string, number>;
  /** Calls whose core files are opened, too. */
  cores: readonly string[];
}

const coresOf = ['MPI_Recv', 'MPI_Ssend', 'MPI_Waitall', 'MPI_Bcast', 'MPI_Comm_split', 'MPI_Win_fence'];

const inC = { '4.1.4': 177, '5.0.7': 160, '6.0.0rc2': 160, '4.0.2': 172, '4.2.1': 164, '5.0.2': 150 };
const inUcx = { '4.1.4': 158, '5.0.7': 148, '6.0.0rc2': 148 };
const inFortran = { '4.1.4': 54, '5.0.7': 50, '6.0.0rc2': 50, '4.0.2': 54, '4.2.1': 50, '5.0.2': 46 };

const cases: Case[] = [
  { title: 'openmpi', mpi: 'openmpi', sample: 'positions', atLeast: inC, cores: coresOf },
  { title: 'mpich', mpi: 'mpich', sample: 'positions', atLeast: inC, cores: coresOf },
  {
    ...{ title: 'openmpi with ucx', mpi: 'openmpi', sample: 'positions', launcherArgs: ucxOptions() },
    ...{ atLeast: inUcx, cores: [] },
  },
  { title: 'openmpi in Fortran', mpi: 'openmpi', sample: 'positions-mpi', atLeast: inFortran, cores: [] },
  { title: 'mpich in Fortran', mpi: 'mpich', sample: 'positions-mpi', atLeast: inFortran, cores: [] },
  { title: 'openmpi with mpi_f08', mpi: 'openmpi', sample: 'positions-f08', atLeast: inFortran, cores: [] },
  { title: 'mpich with mpi_f08', mpi: 'mpich', sample: 'positions-f08', atLeast: inFortran, cores: [] },
];

const ranks = 3;
const last = ranks - 1;

/** What is known of each call, against what the program has told. */
class Comparison {
  known = 0;
  private readonly lost = new Map<string, number>();
  private readonly wrong: string[] = [];

  add({ rank, call, arguments: passed = {} }: BlockedCall, position: RankPosition, where: string): void {
    assert.equal(position.state, 'blocked', `rank ${rank} ${where} in ${call}`);
    for (const [field, told] of Object.entries(passed)) {
      if (field === 'call') {
        assert.ok(isIn(position, call));
        continue;
      }
      const found = position[field as keyof RankPosition];
      if (isUnavailable(found)) {
        const what = `${call} ${field}: ${found.reason.replace(/0x[0-9a-f]+/g, '0x…')}`;
        this.lost.set(what, (this.lost.get(what) ?? 0) + 1);
      } else if (isTold(found, told)) this.known++;
      else
        this.wrong.push(
          `rank ${rank} ${where} in ${call}: ${field} is ${JSON.stringify(found)}, not ${JSON.stringify(told)}`,
        );
    }
  }

  check(atLeast: number): void {
    const lost = [...this.lost].map(([what, times]) => `\n        ${times} × ${what}`).join('');
    console.log(`      ${this.known} arguments known${lost}`);
    assert.deepEqual(this.wrong, []);
    assert.ok(this.known >= atLeast, `only ${this.known} arguments are known:${lost}`);
  }
}

/** In Fortran a program knows the names of its handles, and how many requests it has. */
function isTold(found: unknown, told: unknown): boolean {
  if (typeof told === 'number' && Array.isArray(found)) return found.length === told;
  if (Array.isArray(told)) return Array.isArray(found) && told.every((each, i) => isTold(found[i], each));
  if (typeof told !== 'object' || told === null) return found === told;
  return Object.entries(told).every(([field, value]) => (found as Record<string, unknown>)[field] === value);
}

/** With UCX, Open MPI 5 waits for the other side in MPI_Win_post already. */
function isIn({ call }: RankPosition, told: string): boolean {
  return call === told || (told === 'MPI_Win_wait' && call === 'MPI_Win_post');
}

/** In its own code, where it may read again and again what the handler of a signal sets. */
function isOutside({ state, call }: RankPosition): boolean {
  return state === 'running' || (state === 'polling' && call === undefined);
}

/** Lets the job go on until these ranks are inside of their call, and the last one outside of any, and holds it there. */
async function enter(job: SampleJob, held: HeldJob, waiting: readonly BlockedCall[]): Promise<RankPosition[]> {
  const { step, call } = waiting[0]!;
  let found: RankPosition[] = [];
  const whereTheyAre = (): string => found.map((each) => `${each.state} ${each.call ?? ''}`).join(', ');
  await eventually(
    () => `the ranks are in ${call}, step ${step}, and not ${whereTheyAre()}`,
    async () => {
      await held.goOn();
      await eventually(`the ranks come to ${call}, step ${step}`, async () => {
        const seen = await Promise.all(waiting.map(({ rank }) => readVariable(job.pids[rank]!, 'positions_step')));
        return seen.every((each) => each === step);
      });
      await held.hold();
      found = await held.positions();
      return waiting.every((each) => isIn(found[each.rank]!, each.call)) && isOutside(found[last]!);
    },
  );
  return found;
}

for (const { title, mpi, sample, launcherArgs = [], atLeast, cores } of cases) {
  it(`positions of ranks of ${title} that wait in MPI calls`, async () => {
    const folder = new CoreFolder();
    const job = await SampleJob.startWaiting(mpi, sample, { ranks, launcherArgs });
    const held = await HeldJob.open({ kind: 'launcher', launcherPid: job.launcherPid });
    const comparison = new Comparison();
    const opened = new Set<string>();
    try {
      const steps = Math.max(...job.blocked.map(({ step }) => step));
      for (let step = 1; step <= steps; step++) {
        const waiting = job.blocked.filter((each) => each.step === step);
        const positions = await enter(job, held, waiting);
        for (const each of waiting) comparison.add(each, positions[each.rank]!, 'live');
        const [first] = waiting;
        if (cores.includes(first!.call) && !opened.has(first!.call)) {
          opened.add(first!.call);
          const core = join(folder.path, `core.${step}`);
          await held.writeCore(first!.rank, core);
          comparison.add(first!, await positionInCore(core), 'from its core');
          rmSync(core);
        }
        process.kill(job.pids[last]!, 'SIGUSR1');
      }
      const version = await held.mpiVersion();
      const expected = atLeast[version];
      assert.ok(expected !== undefined, `how much is known of ${version} has not been measured`);
      comparison.check(expected);
      assert.equal(opened.size, cores.length);
    } finally {
      await held.release();
      await job.kill();
      folder.remove();
    }
  }).timeout(240_000);
}
