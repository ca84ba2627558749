/** Jobs of Slurm by their numbers, as scontrol 22.05 has printed them: a command that prints the same stands in for it. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runningJobs } from '../../adapter/launchers/batch/running-jobs';
import { stepsOf, stepsStartedBy } from '../../adapter/launchers/batch/batch-steps';
import { slurm } from '../../plugin-api/batch/slurm';
import { shippedMpis } from '../../plugin-api/plugins/shipped';

const stepLine = (id: string, { nodes = 'node[1-2]', tasks = 4, name = 'heat', pid = '812' } = {}): string =>
  `StepId=${id} UserId=0 StartTime=2026-11-27T17:47:11 TimeLimit=UNLIMITED State=RUNNING Partition=all NodeList=${nodes} Nodes=2` +
  ` CPUs=4 Tasks=${tasks} Name=${name} Network=(null) TRES=cpu=4,mem=0,node=2 ResvPorts=(null) CPUFreqReq=Default Dist=Block` +
  ` SrunHost:Pid=login:${pid}`;
const script = `StepId=7.batch UserId=0 State=RUNNING Partition=all NodeList=node1 Nodes=1 CPUs=4 Tasks=1 Name=batch SrunHost:Pid=(null):0`;

describe('the steps of a job of Slurm', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** The ids of those that are chosen for this number where the job has these. */
  async function chosen(id: string, steps: readonly string[], state = 'RUNNING'): Promise<string[]> {
    const command = join(folder, 'scontrol');
    const printed = {
      job: `JobId=7 JobName=heat JobState=${state} Reason=None`,
      step: steps.join('\n'),
      hostnames: 'node1\nnode2',
    };
    const cases = Object.entries(printed).map(([what, text]) => `*" ${what} "*) echo '${text}';;`);
    writeFileSync(command, `#!/bin/sh\ncase " $* " in\n${cases.join('\n')}\nesac\n`);
    chmodSync(command, 0o755);
    const found = await stepsOf(id, shippedMpis, { PATH: `${folder}:${process.env.PATH}` });
    assert.deepEqual(found.nodes, ['node1', 'node2']);
    return found.steps.map((step) => step.id);
  }

  it('are those of one launcher, without those of mpidbg itself', async () => {
    assert.deepEqual(await chosen('7', [stepLine('7.0'), stepLine('7.1', { name: 'mpidbg', pid: '99' })]), ['7.0']);
    assert.deepEqual(await chosen('7', [stepLine('7.extern', { pid: '0' }), script, stepLine('7.0')]), ['7.0']);
  });

  it('are the batch script, too, where a launcher in it starts ranks on its own node', async () => {
    assert.deepEqual(await chosen('7', [script, stepLine('7.0', { name: 'orted', nodes: 'node2' })]), [
      '7.0',
      '7.batch',
    ]);
    assert.deepEqual(await chosen('7', [script]), ['7.batch']);
  });

  it('are not those that wait for resources of the job', async () => {
    const waiting = stepLine('7.TDB', { name: '(null)', pid: '900' }).replace('State=RUNNING', 'State=PENDING');
    assert.deepEqual(await chosen('7', [stepLine('7.0'), waiting]), ['7.0']);
  });

  it('have to be named where several programs run', async () => {
    const two = [stepLine('7.0'), stepLine('7.1', { name: 'ocean', tasks: 2, nodes: 'node2', pid: '900' })];
    await assert.rejects(chosen('7', two), {
      name: 'StartError',
      message:
        'several programs run in job 7: name one of the steps 7.0 (heat, 4 ranks on node[1-2]), 7.1 (ocean, 2 ranks on node2)',
    });
    assert.deepEqual(await chosen('7.1', two), ['7.1']);
  });

  it('are those of all parts of a heterogeneous job, which have numbers of their own', async () => {
    const parts = [stepLine('7.0', { nodes: 'node1' }), stepLine('8.0', { nodes: 'node2' })];
    const others = [stepLine('9.0', { pid: '900' }), script.replace('7.batch', '9.batch')];
    for (const id of ['7', '7.0', '8']) assert.deepEqual(await chosen(id, [...parts, ...others]), ['7.0', '8.0']);
  });

  it('are reached by srun under the number of the first part', () => {
    const printed =
      'JobId=12 HetJobId=12 HetJobOffset=0 HetJobIdSet=12-13 JobState=RUNNING\n' +
      'JobId=13 HetJobId=12 HetJobOffset=1 HetJobIdSet=12-13 JobState=RUNNING\n';
    const { partIn } = slurm.tellPart!;
    assert.deepEqual(partIn(printed, '13'), { job: '12', part: 1 });
    assert.deepEqual(partIn('JobId=14 JobName=heat JobState=RUNNING', '14'), { job: '14' });
    assert.ok(slurm.onEachNode!({ job: '12', part: 1 }, ['node2']).includes('--het-group=1'));
    assert.ok(!slurm.onEachNode!({ job: '14' }, ['node2']).some((word) => word.startsWith('--het-group')));
  });

  it('may be missing', async () => {
    await assert.rejects(
      chosen('7.3', [stepLine('7.0')]),
      /job 7 has no step 7\.3: it has 7\.0 \(heat, 4 ranks on node\[1-2\]\)/,
    );
    await assert.rejects(chosen('7', []), /nothing has been started in job 7 yet/);
    await assert.rejects(chosen('7', [], 'PENDING'), /job 7 does not run \(its state is PENDING\)/);
    await assert.rejects(chosen('heat', []), /"heat" is not the number of a job: give JOB or JOB\.STEP, as in 4711\.0/);
  });

  it('may come later, as long as the job has not ended', async () => {
    const nameIn = (state: string): Promise<string> => chosen('7', [], state).then(String, ({ name }: Error) => name);
    for (const state of ['PENDING', 'CONFIGURING', 'RUNNING', 'SUSPENDED'])
      assert.equal(await nameIn(state), 'NotStartedError', state);
    for (const state of ['COMPLETING', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT', 'NODE_FAIL', 'OUT_OF_MEMORY'])
      assert.equal(await nameIn(state), 'StartError', state);
  });

  it('cannot be known without the commands of Slurm, or where these fail', async () => {
    await assert.rejects(
      stepsOf('7', shippedMpis, { PATH: '/var/empty' }),
      /no commands of a batch system \(Slurm, PBS, LSF, Flux, Grid Engine\) are in PATH/,
    );
    writeFileSync(join(folder, 'scontrol'), '#!/bin/sh\necho "slurm_load_jobs error: $MESSAGE" >&2\nexit 1\n');
    const env = (MESSAGE: string): NodeJS.ProcessEnv => ({ PATH: `${folder}:${process.env.PATH}`, MESSAGE });
    await assert.rejects(
      stepsOf('7', shippedMpis, env('Invalid job id specified')),
      /there is no job 7 in Slurm, or it ended a while ago/,
    );
    await assert.rejects(
      stepsOf('7', shippedMpis, env('Unable to contact slurm controller')),
      /scontrol of Slurm failed: slurm_load_jobs error: Unable to contact/,
    );
  });

  it('are not taken from lines that are none', () => {
    assert.deepEqual(slurm.parseSteps('Job step 7.0 not found\n\nStepId=7 NodeList=a\nStepId=x.y NodeList=a\n'), []);
  });

  it('may be reached at the ports that Slurm is set to, or at all of them', () => {
    const printed = (range: string): string =>
      `SlurmSchedLogLevel      = 0\nSrunPortRange           = ${range}\nSrunProlog              = (null)\n`;
    const portsIn = slurm.openPorts!.portsIn;
    assert.deepEqual(portsIn(printed('60001-60100')), { first: 60_001, last: 60_100, setting: 'SrunPortRange' });
    for (const none of [printed('0-0'), printed('60100-60001'), '']) assert.equal(portsIn(none), undefined);
  });

  it('are asked for without the wishes of the job that mpidbg runs in', () => {
    const wishes = ['SLURM_JOB_ID', 'SLURM_NTASKS', 'SRUN_DEBUG', 'PMIX_RANK', 'OMPI_COMM_WORLD_RANK'].filter(
      slurm.isWish,
    );
    assert.equal(wishes.length, 5);
    assert.deepEqual(['SLURM_CONF', 'PATH', 'HOME'].filter(slurm.isWish), []);
  });
});

describe('a launcher of Slurm that has started nothing yet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** What is said of a process with this name, where the commands print this. */
  async function said(
    name: string,
    { steps = () => '', queue = '', env = {} }: { steps?: (pid: number) => string; queue?: string; env?: object },
  ): Promise<string> {
    if (!existsSync(join(folder, name))) symlinkSync('/bin/sleep', join(folder, name));
    const there = { PATH: `${folder}:${process.env.PATH}`, ...env };
    const launcher = spawn(join(folder, name), ['60'], { env: there });
    try {
      await once(launcher, 'spawn');
      const session = execFileSync('ps', ['-o', 'sid=', '-p', String(launcher.pid)], { encoding: 'utf8' }).trim();
      const host = hostname().replace(/\..*/, '');
      const print = (command: string, text: string): void =>
        writeFileSync(
          join(folder, command),
          `#!/bin/sh\necho '${text.replaceAll('SESSION', session).replaceAll('HOST', host)}'\n`,
          { mode: 0o755 },
        );
      print('scontrol', steps(launcher.pid!));
      print('squeue', queue);
      return await stepsStartedBy(launcher.pid!, { batchSystems: [slurm] }).then(
        (found) => found?.steps.map(({ id }) => id).join() ?? 'nothing',
        (error: Error) => error.message.replace(String(launcher.pid), 'PID'),
      );
    } finally {
      launcher.kill();
    }
  }

  // As squeue 22.05 prints them, with shorter columns.
  const queued = (id: string, { batch = '0', session = 'SESSION', host = 'HOST', reason = 'Resources' } = {}): string =>
    `${id}        ${batch}     ${session}          ${host}          ${reason}       `;

  it('waits in the queue', async () => {
    for (const name of ['srun', 'salloc'])
      assert.equal(
        await said(name, { queue: queued('15') }),
        `process PID (${name}) waits in the queue of Slurm (job 15: Resources): nothing has been started yet`,
      );
    assert.equal(
      await said('srun', { queue: `${queued('15')}\n${queued('16', { reason: 'Priority' })}` }),
      'process PID (srun) waits in the queue of Slurm: nothing has been started yet',
    );
  });

  it('does not wait where only others do', async () => {
    const others = [{ batch: '1' }, { session: '1' }, { host: 'elsewhere' }].map((other) => queued('15', other));
    assert.equal(await said('srun', { queue: others.join('\n') }), 'nothing');
    assert.equal(await said('srun', { queue: queued('15'), env: { SLURM_JOB_ID: '14' } }), 'nothing');
  });

  it('waits for resources of its job, in which others run', async () => {
    const waiting = (pid: number): string =>
      `StepId=14.TDB UserId=0 StartTime=Unknown TimeLimit=UNLIMITED State=PENDING Partition=all NodeList=node1 Nodes=1 CPUs=1` +
      ` Tasks=1 Name=(null) Network=(null) TRES=(null) ResvPorts=(null) CPUFreqReq=Default Dist=Unknown SrunHost:Pid=HOST:${pid}`;
    const other = stepLine('14.0', { nodes: 'node1', tasks: 1 });
    assert.equal(
      await said('srun', { steps: (pid) => `${other}\n${waiting(pid)}`, env: { SLURM_JOB_ID: '14' } }),
      'process PID (srun) waits for resources of job 14: nothing has been started yet',
    );
  });
});

describe('the jobs of a user of Slurm that run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const printing = async (script: string) => {
    for (const name of ['squeue', 'scontrol'])
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const [found] = await runningJobs([slurm], { PATH: `${folder}:${process.env.PATH}` });
    return { jobs: found?.jobs, failure: found?.failure };
  };

  it('are listed with what a user knows them by; lines that are none are left out', async () => {
    const lines = [
      '4711|node[1-2]|12:07|47:53|a|b',
      '4712|node3|1-03:00:00|UNLIMITED|',
      'slurm_load_jobs|x',
      '5_1|a|b|c|d',
    ];
    const { jobs, failure } = await printing(lines.map((line) => `echo '${line}'`).join('\n'));
    assert.equal(failure, undefined);
    assert.deepEqual(jobs, [
      { id: '4711', name: 'a|b', nodeList: 'node[1-2]', time: '12:07', timeLeft: '47:53' },
      { id: '4712', name: '', nodeList: 'node3', time: '1-03:00:00', timeLeft: undefined },
    ]);
  });

  it('are none, with the reason, where it cannot list them, and nothing where it is not there', async () => {
    const failing = await printing('echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1');
    assert.deepEqual(failing.jobs, []);
    assert.match(failing.failure!, /^squeue of Slurm failed: slurm_load_jobs error: Unable to contact/);
    assert.deepEqual(await runningJobs([slurm], { PATH: '/var/empty' }), []);
  });
});
