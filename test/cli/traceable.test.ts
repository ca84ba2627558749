/** Where the kernel lets only ancestors attach, the agent that becomes the program lets our gdbs do so, and nobody else. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { agentScript as agent } from '../../adapter/agent/agent-text';
import { carried } from '../../adapter/cli/run/traceable';
import { beforePrograms, programWords } from '../../adapter/launchers/program-words';
import { launchers as ofMpich } from '../../plugin-api/plugins/mpich/launcher';
import { launchers as ofOpenmpi } from '../../plugin-api/plugins/openmpi/launcher';
import { schedulers } from '../../plugin-api/plugins/schedulers';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { allMpis, launchers } from '../support/sample-job';

describe('the programs in the words of a launcher', () => {
  function programsOf(facts: (typeof ofMpich)[number], line: string): string[] {
    const words = line.split(' ');
    return programWords(words, facts, '/', process.env.PATH).map((at) => words.slice(at, at + 2).join(' '));
  }

  it('give the job of srun its name, unless the user has named it', () => {
    const srun = schedulers.flatMap(({ launchers: known = [] }) => known).find(({ names }) => names[0] === 'srun')!;
    const before = (line: string, env = {}): string =>
      beforePrograms(['agent'], line.split(' '), srun, { cwd: '/', env: { PATH: process.env.PATH, ...env } }).join(' ');
    assert.equal(
      before('-n 2 /bin/sort -J : /bin/ls'),
      '-n 2 --job-name=sort agent /bin/sort -J : --job-name=ls agent /bin/ls',
    );
    for (const named of ['-J heat', '-Jheat', '--job-name heat', '--job-name=heat'])
      assert.equal(before(`${named} sort`), `${named} agent sort`);
    assert.equal(before('sort', { SLURM_JOB_NAME: 'heat' }), 'agent sort');
    assert.equal(before('sort', { SLURM_JOB_NAME: 'batch', SLURM_JOB_ID: '7' }), '--job-name=sort agent sort');
  });

  it('are behind its options and their values', () => {
    const [openmpi] = ofOpenmpi as [(typeof ofMpich)[number]];
    for (const line of [
      '-n 4 sort -r',
      '--mca btl self -x env -np 4 sort -r',
      '--oversubscribe --host=a -H perl sort -r',
    ])
      assert.deepEqual(programsOf(openmpi, line), ['sort -r'], line);
    assert.deepEqual(programsOf(openmpi, '-n 1 sort -r : -n 2 perl sort'), ['sort -r', 'perl sort']);
    const srun = schedulers.flatMap(({ launchers: known = [] }) => known).find(({ names }) => names[0] === 'srun')!;
    for (const line of ['-n 4 sort -r', '-J test -p perl -n4 --overlap sort -r', '--account users -K --label sort -r'])
      assert.deepEqual(programsOf(srun, line), ['sort -r'], line);
    const [hydra] = ofMpich as [(typeof ofMpich)[number]];
    for (const line of ['-n 4 sort -r', '-genv env perl -l -ppn 2 sort -r', '-bind-to core sort -r'])
      assert.deepEqual(programsOf(hydra, line), ['sort -r'], line);
  });

  it('are not there where nothing can be run', () => {
    assert.deepEqual(programsOf(ofOpenmpi[0]!, '--app no-such-file'), []);
  });
});

describe('a carried rank', () => {
  for (const mpi of allMpis)
    it(`of ${mpi} is started by the agent, in each part of the command`, async () => {
      const { command, args } = launchers[mpi];
      const words = await carried([command, ...args, '-n', '1', 'sort', 'a', ':', '-n', '1', 'true'], shippedMpis);
      const text = words.join(' ');
      assert.match(text, new RegExp(` -n 1 perl \\S+agent\\.pl traceable ${process.pid} \\d+ sort a : `));
      assert.match(text, new RegExp(` : -n 1 perl \\S+agent\\.pl traceable ${process.pid} \\d+ true$`));
    });

  it('is not where the launcher is unknown, or other hosts are named', async () => {
    const { command } = launchers.openmpi;
    for (const words of [
      ['sh', '-c', 'true'],
      ['no-such-launcher', 'true'],
      [command, '--host', 'node1.invalid', 'true'],
    ])
      assert.deepEqual(await carried(words, shippedMpis), words);
  });

  /** What the kernel is asked, as gdb sees it; in the end the agent is the program. */
  function asked(debugger_: string, start: string): { calls: string[]; agent: string; program: string } {
    const { stdout } = spawnSync(
      'gdb',
      [
        ...['-nx', '-batch', '-ex', 'catch syscall prctl'],
        ...['-ex', 'run', '-ex', 'info inferiors', '-ex', 'printf "asks %ld %ld\\n", $rdi, $rsi'],
        ...['-ex', 'delete', '-ex', 'continue', '--args'],
        ...['perl', agent, 'traceable', debugger_, start, 'true'],
      ],
      { encoding: 'utf8', timeout: 60_000 },
    );
    return {
      calls: [...stdout.matchAll(/^asks (.*)$/gm)].map(([, call = '']) => call),
      agent: /^\* 1 +process (\d+)/m.exec(stdout)?.[1] ?? stdout,
      program: /process (\d+) is executing new program: \S+true\n/.exec(stdout)?.[1] ?? stdout,
    };
  }

  it('lets this process and those below it attach, and becomes the program', () => {
    const stat = execFileSync('cat', [`/proc/${process.pid}/stat`], { encoding: 'utf8' });
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!;
    const { calls, agent: carrier, program } = asked(String(process.pid), start);
    assert.deepEqual(calls, [`${0x59616d61} ${process.pid}`], 'PR_SET_PTRACER');
    assert.equal(program, carrier);
  });

  it('lets nobody attach where this process is another one', () => {
    assert.deepEqual(asked(String(process.pid), '1').calls, []);
  });
});
