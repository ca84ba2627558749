/**
 * Jobs of PBS, LSF, Flux and Grid Engine, none of which is here. The jobs of PBS and the records of LSF have the form of outputs that users of them have
 * published (PBS 20.0.1 and 2021.1, LSF 10.1, Grid Engine 6.2 and 8.1), shortened; LSF's hosts and times, and the lines of Flux, are written as
 * these systems are thought to print them: they show how these are read, not what is printed.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodesOfAllocation, stepsOf } from '../../adapter/launchers/batch/batch-steps';
import { rootsOn } from '../../adapter/launchers/batch/step-processes';
import { ranksBelow } from '../../adapter/launchers/launcher-tree';
import { localHost } from '../../adapter/hosts/local-host';
import { runningJobs } from '../../adapter/launchers/batch/running-jobs';
import { flux } from '../../plugin-api/batch/flux';
import { gridEngine } from '../../plugin-api/batch/grid-engine';
import { hostsIn } from '../../plugin-api/batch/host-list';
import { lsf } from '../../plugin-api/batch/lsf';
import { pbs } from '../../plugin-api/batch/pbs';
import { shippedMpis } from '../../plugin-api/plugins/shipped';

const pbsJobs = {
  timestamp: 1618432467,
  pbs_version: '20.0.1',
  pbs_server: 'calc0',
  Jobs: {
    '1008.calc0': {
      Job_Name: 'heat',
      Job_Owner: 'ann@login01.example.com',
      resources_used: { cpupercent: 0, cput: '00:00:00', mem: '0kb', ncpus: 5, vmem: '0kb', walltime: '24:05:32' },
      job_state: 'R',
      server: 'calc0',
      exec_host: 'node1/0*4+node1/4+node2/0*4',
      exec_vnode: '(node1:ncpus=4)+(node1:ncpus=1)+(node2:ncpus=4)',
      Resource_List: { ncpus: 9, nodect: 2, place: 'free', walltime: '48:00:00' },
    },
    '1009.calc0': { Job_Name: 'STDIN', Job_Owner: 'bob@login01', job_state: 'R', exec_host: 'node3/0' },
    '1010.calc0': { Job_Name: 'STDIN', Job_Owner: 'ann@login01', job_state: 'Q' },
  },
};
const lsfRecord = {
  JOBID: '22005',
  JOB_NAME: 'heat',
  STAT: 'RUN',
  EXEC_HOST: '4*node1:4*node2',
  RUN_TIME: '17 second(s)',
};
const gridJob = (id: number, content: string, { name = 'heat', owner = 'ann', state = 'r' } = {}): string =>
  `    <job_list state="${state === 'qw' ? 'pending' : 'running'}">
      <JB_job_number>${id}</JB_job_number>
      <JAT_prio>0.60500</JAT_prio>
      <JB_name>${name}</JB_name>
      <JB_owner>${owner}</JB_owner>
      <state>${state}</state>
      <JAT_start_time>2019-05-15T13:16:51</JAT_start_time>
${content}
    </job_list>`;
const gridSlot = (queue: string, part: string): string =>
  `      <queue_name>${queue}</queue_name>\n      <master>${part}</master>\n      <slots>1</slots>`;
const gridJobs = [
  '<?xml version="1.0"?>',
  '<job_info  xmlns:xsd="http://www.w3.org/2001/XMLSchema">\n  <queue_info>',
  gridJob(4187, gridSlot('all.q@node1.site', 'MASTER'), { name: 'a&lt;b&amp;lt;' }),
  gridJob(4187, gridSlot('all.q@node1.site', 'SLAVE'), { name: 'a&lt;b&amp;lt;' }),
  gridJob(4187, gridSlot('all.q@node2.site', 'SLAVE'), { name: 'a&lt;b&amp;lt;' }),
  gridJob(4188, gridSlot('all.q@node3.site', 'MASTER'), { owner: 'bob' }),
  gridJob(4189, `${gridSlot('all.q@node3.site', 'MASTER')}\n      <tasks>2</tasks>`),
  '  </queue_info>\n  <job_info>',
  gridJob(4190, '      <queue_name></queue_name>\n      <slots>4</slots>', { state: 'qw' }),
  '  </job_info>\n</job_info>',
].join('\n');
const lsfJobs = (...records: object[]) => ({ COMMAND: 'bjobs', JOBS: records.length, RECORDS: records });

describe('other batch systems', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** An environment with these commands alone: what each prints, or its complaint. */
  function having(commands: Record<string, string | { complaint: string }>, variables = {}): NodeJS.ProcessEnv {
    const bin = mkdtempSync(join(folder, 'bin-'));
    for (const [name, says] of Object.entries(commands)) {
      const [text, rest] = typeof says === 'string' ? [says, ''] : [says.complaint, ' >&2; exit 1'];
      writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' '${text}'${rest}\n`, { mode: 0o755 });
    }
    return { PATH: bin, USER: 'ann', ...variables };
  }
  const withPbs = (text: string | { complaint: string }) => having({ pbsnodes: '', qstat: text });

  it('PBS: the jobs of the user that run, with their hosts once each', async () => {
    const [found] = await runningJobs([pbs], withPbs(JSON.stringify(pbsJobs)));
    assert.deepEqual(found?.jobs, [
      { id: '1008.calc0', name: 'heat', nodeList: 'node1,node2', time: '24:05:32', timeLeft: '23:54:28' },
    ]);
  });

  it('PBS: the processes of a job are those that have its number, with the name of the server', async () => {
    const { '1008.calc0': job } = pbsJobs.Jobs;
    const printed = JSON.stringify({ ...pbsJobs, Jobs: { '1008.calc0': job } });
    const { system, steps, nodes } = await stepsOf('1008', shippedMpis, withPbs(printed));
    assert.deepEqual(nodes, ['node1', 'node2']);
    assert.deepEqual(steps.map(system.mark), [{ kind: 'variable', name: 'PBS_JOBID', values: ['1008.calc0'] }]);
  });

  it('PBS: a job that waits, and one that is not known', async () => {
    const queued = JSON.stringify({ Jobs: { '1010.calc0': pbsJobs.Jobs['1010.calc0'] } });
    await assert.rejects(stepsOf('1010', shippedMpis, withPbs(queued)), { name: 'NotStartedError' });
    const unknown = withPbs({ complaint: 'qstat: Unknown Job Id 9999.calc0' });
    await assert.rejects(stepsOf('9999', shippedMpis, unknown), /there is no job 9999 in PBS, or it ended a while ago/);
  });

  it('PBS: what is no JSON has no jobs', () => {
    assert.deepEqual(pbs.parseJobs('{"Jobs":{', 'ann'), []);
    assert.deepEqual(pbs.parseSteps('{"Jobs":{"1.a":null,"2.a":{"job_state":"R","exec_host":7}}}'), []);
    assert.deepEqual(pbs.parseJobs(JSON.stringify(pbsJobs), undefined), []);
  });

  it('LSF: the jobs that run, with their hosts once each', async () => {
    const [found] = await runningJobs([lsf], having({ bjobs: JSON.stringify(lsfJobs(lsfRecord)) }));
    assert.deepEqual(found?.jobs, [
      { id: '22005', name: 'heat', nodeList: 'node1,node2', time: '17 second(s)', timeLeft: undefined },
    ]);
    const { nodes } = await stepsOf('22005', shippedMpis, having({ bjobs: JSON.stringify(lsfJobs(lsfRecord)) }));
    assert.deepEqual(nodes, ['node1', 'node2']);
    assert.deepEqual(lsf.nodesIn('tbi-cn019:tbi-cn019'), { kind: 'names', names: ['tbi-cn019'] });
  });

  it('LSF: no element of an array is taken for the whole of it', () => {
    const elements = [1, 2].map((index) => ({ ...lsfRecord, JOB_NAME: `heat[${index}]` }));
    assert.deepEqual(lsf.parseSteps(JSON.stringify(lsfJobs(...elements))), []);
  });

  const withGridEngine = (text: string | { complaint: string }) => having({ qhost: '', qstat: text });

  it('Grid Engine: the jobs of the user that run, with their hosts once each, and no elements of arrays', async () => {
    const [found] = await runningJobs([gridEngine], withGridEngine(gridJobs));
    assert.deepEqual(found?.jobs, [
      { id: '4187', name: 'a<b&lt;', nodeList: 'node1.site,node2.site', time: '?', timeLeft: undefined },
    ]);
    const { system, steps, nodes } = await stepsOf('4187', shippedMpis, withGridEngine(gridJobs));
    assert.deepEqual(nodes, ['node1.site', 'node2.site']);
    assert.deepEqual(steps.map(system.mark), [{ kind: 'variable', name: 'JOB_ID', values: ['4187'] }]);
    assert.deepEqual(gridEngine.parseSteps('<job_list><JB_job_number>1</JB_job_number></job_list>'), []);
  });

  it('Grid Engine: a job that waits, an array, and one that is not known', async () => {
    await assert.rejects(stepsOf('4190', shippedMpis, withGridEngine(gridJobs)), { name: 'NotStartedError' });
    assert.deepEqual(gridEngine.parseSteps(gridJobs, '4189'), []);
    const unknown = withGridEngine({ complaint: 'Following jobs do not exist: 9999' });
    await assert.rejects(stepsOf('9999', shippedMpis, unknown), /there is no job 9999 in Grid Engine/);
  });

  it('Flux: jobs by their ids, with either first letter', async () => {
    const lines = 'ƒ38rBqEWT|RUNNING|4|node[1-2]|0:00:16|0:59:44|a|b\nƒ3ETxsR9H|PENDING|1|-|-|-|io';
    const [found] = await runningJobs([flux], having({ flux: lines }));
    assert.deepEqual(found?.jobs, [
      { id: 'ƒ38rBqEWT', name: 'a|b', nodeList: 'node[1-2]', time: '0:00:16', timeLeft: '0:59:44' },
    ]);
    const { system, steps, nodes } = await stepsOf('f38rBqEWT', shippedMpis, having({ flux: lines.split('\n')[0]! }));
    assert.deepEqual(nodes, ['node1', 'node2']);
    assert.deepEqual(steps.map(system.mark), [
      { kind: 'variable', name: 'FLUX_JOB_ID', values: ['ƒ38rBqEWT', 'f38rBqEWT'] },
    ]);
  });

  it('a number is of the system around, or of the first one here that knows it', async () => {
    const unknown = { complaint: 'qstat: Unknown Job Id 22005.calc0' };
    const both = { pbsnodes: '', qstat: unknown, bjobs: JSON.stringify(lsfJobs(lsfRecord)) };
    assert.equal((await stepsOf('22005', shippedMpis, having(both))).system.title, 'LSF');
    const failing = { ...both, qstat: { complaint: 'qstat: cannot connect to server calc0' } };
    assert.equal((await stepsOf('22005', shippedMpis, having(failing))).system.title, 'LSF');
    const neither = having({ ...failing, bjobs: { complaint: 'Job <22005> is not found' } });
    await assert.rejects(stepsOf('22005', shippedMpis, neither), /qstat of PBS failed: .*cannot connect to server/);
    const inside = having(both, { PBS_JOBID: '22006.calc0' });
    await assert.rejects(stepsOf('22005', shippedMpis, inside), /there is no job 22005 in PBS/);
    // Grid Engine has a qstat, too.
    await assert.rejects(stepsOf('22005', shippedMpis, having({ qstat: '' })), /no commands of a batch system/);
  });

  it('the hosts of an allocation are in a variable, or in a file', async () => {
    const file = join(folder, 'nodes');
    writeFileSync(file, 'node1.example.com\nnode1.example.com\nnode2.example.com\n');
    const slots = join(folder, 'slots');
    writeFileSync(slots, ['node1', 'node2'].map((name) => `${name} 4 all.q@${name} UNDEFINED\n`).join(''));
    assert.deepEqual(await nodesOfAllocation(gridEngine, { PE_HOSTFILE: slots }), ['node1', 'node2']);
    const hosts = ['node1.example.com', 'node2.example.com'];
    assert.deepEqual(await nodesOfAllocation(pbs, { PBS_NODEFILE: file }), hosts);
    assert.deepEqual(await nodesOfAllocation(lsf, { LSB_MCPU_HOSTS: 'node1 4 node2 4' }), ['node1', 'node2']);
    assert.equal(await nodesOfAllocation(pbs, {}), undefined);
  });

  it('the ranks on a host are those with the number of the job, whatever started them', async () => {
    const start = (FLUX_JOB_ID: string, PMI_RANK: string) =>
      spawn('sleep', ['60'], { env: { ...process.env, FLUX_JOB_ID, PMI_RANK, PMI_SIZE: '2' }, stdio: 'ignore' });
    const id = `f${process.pid}`;
    const started = [start(id, '1'), start(id, '0'), start(`${id}x`, '0')];
    try {
      await Promise.all(started.map((each) => once(each, 'spawn')));
      const step = { ...{ id, job: id, name: '', nodeList: '', tasks: 2, starter: undefined }, isScript: false };
      const roots = await rootsOn(localHost, { system: flux, env: {}, steps: [step], nodes: [] });
      assert.deepEqual(
        roots.map(({ pid }) => pid),
        [process.pid],
      );
      const { ranks } = await ranksBelow(localHost, process.pid, shippedMpis, roots[0]!.members);
      assert.deepEqual(ranks, [started[1]!.pid, started[0]!.pid]);
    } finally {
      for (const each of started) each.kill();
    }
  });

  it('a list of hosts is expanded, and what is none has no hosts', () => {
    assert.deepEqual(hostsIn('login,node[1-3,007]-ib'), ['login', 'node1-ib', 'node2-ib', 'node3-ib', 'node007-ib']);
    assert.deepEqual(hostsIn('r[1-2]n[08-09]'), ['r1n08', 'r1n09', 'r2n08', 'r2n09']);
    assert.deepEqual(hostsIn('node[1-999999999]'), []);
    assert.deepEqual(hostsIn('node[x]'), []);
  });
});
