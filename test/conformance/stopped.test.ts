/**
 * Ranks that wait inside MPI calls: what their memory tells of all their objects is what they told before, and what they
 * wait for is there with the arguments that they passed.
 */
import assert from 'node:assert/strict';
import type { InfoOf } from '../../plugin-api/mpi/plugin';
import type { Document, HandleKind } from '../../plugin-api/mpi/records';
import type { Result } from '../../plugin-api/result';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { add, type Comparison, type Fields } from '../support/comparison';
import type { Library } from '../support/excused';
import { eventually } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { SampleJob, type Mpi } from '../support/sample-job';
import {
  askVariable,
  compareBlocked,
  handleKinds,
  lookAt,
  readVariable,
  requestsIn,
  whileStopped,
  type Sight,
} from '../support/stopped-ranks';
import { questions, type BlockedCall } from '../support/truth';
import { openMpiMajor, ucxOptions } from './programs';

const libraries: { library: Library; mpi: Mpi; launcherArgs: string[]; atLeast: number }[] = [
  { library: 'mpich', mpi: 'mpich', launcherArgs: [], atLeast: 21_300 },
  { library: 'openmpi', mpi: 'openmpi', launcherArgs: [], atLeast: 22_800 },
  { library: 'openmpi with ucx', mpi: 'openmpi', launcherArgs: ucxOptions(), atLeast: 22_400 },
];

const ranks = 3;
const last = ranks - 1;
/** How many threads samples/threads.c has in each rank but the last. */
const threads = 7;

for (const { library, mpi, launcherArgs, atLeast } of libraries) {
  it(`ranks of ${library} that wait in MPI calls tell what they tell outside`, async () => {
    const job = await SampleJob.startWaiting(mpi, 'blocked', { ranks, launcherArgs });
    try {
      const total: Comparison = { facts: 0, differences: [] };
      const steps = Math.max(...job.blocked.map(({ step }) => step));
      assert.ok(steps >= 26, `only ${steps} calls`);
      const before = new Map<string, string[]>();
      for (let step = 1; step <= steps; step++) {
        await enter(job, 'blocked_step', step);
        const waiting = job.blocked.filter((each) => each.step === step);
        assert.equal(
          new Set(waiting.map(({ rank }) => rank)).size,
          last,
          'all ranks but the last tell where they wait',
        );
        const sights = await lookUntilPosted(job, waiting, library);
        for (const { comparison } of sights) add(total, comparison);
        for (const each of waiting) {
          checkLists(each, sights[each.rank]!, before);
          await checkMaking(each, job.pids[each.rank]!, sights[each.rank]!, library);
        }
        if (step < steps) process.kill(job.pids[last]!, 'SIGUSR1');
      }
      assertAgree(total, atLeast);
      await job.finish();
    } finally {
      await job.kill();
    }
  });
}

/** With several threads and a window, UCX 1.18 aborts under Open MPI 5.0 ("check_owner_thread"), debugger or not. */
const abortsWithThreads = (library: Library) => library === 'openmpi with ucx' && openMpiMajor() === 5;

for (const { library, mpi, launcherArgs } of libraries.filter((each) => !abortsWithThreads(each.library))) {
  it(`ranks of ${library} whose threads wait in several MPI calls at once tell the same, stopped by gdb too`, async () => {
    const job = await SampleJob.startWaiting(mpi, 'threads', { ranks, launcherArgs });
    try {
      await enter(job, 'threads_inside', threads);
      const sights = await lookUntilPosted(job, job.blocked, library);
      for (const { comparison } of sights) assertAgree(comparison, 300);
      const target = ['--launcher', String(job.launcherPid), '--json'];
      const shown = await runCli(['show', ...questions(job.truth), ...target]);
      const document = JSON.parse(shown.stdout) as Document;
      const { facts, differences } = compareDocument(job.truth, document, library);
      const listed = JSON.parse((await runCli(['handles', 'request', ...target])).stdout) as Document;
      const result: Comparison = { facts, differences };
      for (const each of job.blocked)
        add(result, compareBlocked(each, requestsOf(listed, each.rank), sights[each.rank]!.library));
      assertAgree(result, 1_000);
      await job.finish();
    } finally {
      await job.kill();
    }
  });
}

function requestsOf({ ranks: entries }: Document, rank: number): Fields[] {
  const entry = entries.find((each) => each.rank === rank);
  const answers = entry !== undefined && 'answers' in entry ? entry.answers : [];
  return answers.flatMap((answer) => (answer.code === 'MPIDBG_SUCCESS' ? [answer.info as object as Fields] : []));
}

/**
 * Requests come and go, datatypes are found where they are used, and groups are made by the program in MPI_Win_wait and
 * left behind by Open MPI 5 in MPI_Intercomm_create.
 */
const changingKinds: readonly HandleKind[] = ['request', 'datatype', 'group'];

/** In every call the rank lists what it listed in the first: nothing that a call is making. */
function checkLists({ rank, call }: BlockedCall, { answers }: Sight, before: Map<string, string[]>): void {
  for (const kind of handleKinds) {
    if (changingKinds.includes(kind)) continue;
    const listed = (answers.get(kind) ?? []).flatMap(({ handle, answer }) =>
      answer.ok && hasFlag(answer.value, 'internal') ? [] : [`0x${handle.toString(16)}`],
    );
    const first = before.get(`${rank} ${kind}`) ?? listed.sort();
    before.set(`${rank} ${kind}`, first);
    assert.deepEqual(listed.sort(), first, `rank ${rank} in ${call}: ${kind}`);
  }
}

/** What the call makes is told as being made, and not listed. */
async function checkMaking({ rank, call, making }: BlockedCall, pid: number, sight: Sight, library: Library) {
  if (making === undefined) return;
  const { variable, kind } = making;
  const where = `rank ${rank} in ${call}: ${variable}`;
  const { handle, answer } = await askVariable(pid, variable, kind);
  assert.ok(
    !sight.answers.get(kind)!.some((each) => each.handle === handle && !isNull(each.answer)),
    `${where} is listed`,
  );
  // The message layer ucx and MPICH take a message when it is there: until then the variable is what it was.
  if (kind === 'message' && library !== 'openmpi') assert.ok(!answer.ok || isNull(answer), where);
  else assert.match(answer.ok ? 'a live object' : `${answer.code} ${answer.reason}`, makingReasons[kind]!, where);
}

const makingReasons: Partial<Record<HandleKind, RegExp>> = {
  message: /^MPIDBG_ERR_NOT_FOUND being made by MPI_Mprobe, or overwritten$/,
  comm: /^MPIDBG_ERR_NOT_FOUND being made by (MPI_Comm_idup(, or overwritten)?|a call that makes communicators, or overwritten)$/,
};

function isNull(answer: Result<InfoOf[HandleKind]>): boolean {
  return answer.ok && hasFlag(answer.value, 'predefined');
}

function hasFlag(info: object, flag: string): boolean {
  return (info as { flags?: readonly string[] }).flags?.includes(flag) === true;
}

/** Waits until the variable says that all ranks but the last are inside. */
async function enter(job: SampleJob, variable: string, inside: number): Promise<void> {
  const look = async () => {
    const seen = await Promise.all(job.pids.map((pid) => readVariable(pid, variable)));
    return seen.every((found, rank) => found === (rank === last ? 0 : inside));
  };
  await eventually(`${variable} is ${inside} in all ranks but the last`, look);
}

/**
 * A rank that has entered a call may not have made its request yet: only that may take more than one look. The facts that
 * were compared are those of the last one.
 */
async function lookUntilPosted(job: SampleJob, waiting: BlockedCall[], library: Library): Promise<Sight[]> {
  let sights: Sight[] = [];
  let posted: Comparison = { facts: 0, differences: ['not looked at'] };
  const look = async () => {
    sights = await whileStopped(job.pids, () =>
      Promise.all(
        job.pids.map((pid, rank) =>
          lookAt(
            pid,
            job.truth.filter((each) => each.rank === rank),
            library,
          ),
        ),
      ),
    );
    const where = [...new Set(waiting.map(({ call }) => call))].join(', ');
    sights.forEach((sight, rank) => checkSight(`${where}, rank ${rank}`, sight, sights[last]!));
    const isWhole = library !== 'openmpi with ucx';
    for (const { gaps } of sights) {
      // Open MPI has no list of requests that no call makes here.
      const lists = gaps.filter((gap) => !gap.startsWith('Open MPI lists no requests of MPI_Rput'));
      assert.equal(lists.length === 0, isWhole, `${where}: ${gaps.join(', ')}`);
    }
    posted = { facts: 0, differences: [] };
    for (const each of waiting)
      add(posted, compareBlocked(each, requestsIn(sights[each.rank]!), sights[each.rank]!.library));
    return posted.differences.length === 0;
  };
  await eventually(() => posted.differences.join('\n'), look);
  add(sights[0]!.comparison, posted);
  return sights;
}

/** What a rank outside MPI lists is listed in one inside, too; each answer is one, or has a reason. */
function checkSight(where: string, sight: Sight, outside: Sight): void {
  assert.deepEqual(sight.comparison.differences, [], where);
  for (const kind of handleKinds) {
    const list = sight.lists.get(kind)!;
    assert.ok(list.ok || !outside.lists.get(kind)!.ok, `${where}: no list of ${kind}: ${list.ok ? '' : list.reason}`);
    if (list.ok) assert.equal(new Set(list.value).size, list.value.length, `${where}: a ${kind} is listed twice`);
    for (const { handle, answer } of sight.answers.get(kind)!)
      assert.ok(
        answer.ok ? isSensible(answer.value) : answer.reason !== '',
        `${where}: ${kind} 0x${handle.toString(16)}`,
      );
  }
}

/** An object that a call is still making is told as such: of all others, the numbers are sensible. */
function isSensible(info: object): boolean {
  const { contextId = 0, flavor = '' } = info as { contextId?: unknown; flavor?: unknown };
  return typeof contextId === 'number' && contextId >= 0 && contextId < 2 ** 31 && typeof flavor === 'string';
}
