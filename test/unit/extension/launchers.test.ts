import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findLaunchers } from '../../../extension/launchers';

describe('running MPI launchers', () => {
  let proc: string;

  before(() => {
    proc = mkdtempSync(path.join(tmpdir(), 'proc-'));
    const processes = {
      20: ['mpirun.openmpi', 'mpirun.openmpi\0-n\x004\0./ring\0', 'S', 500],
      3: ['mpiexec.hydra', 'mpiexec.hydra\0./ring\0', 'R', 700],
      30: ['mpirunner', 'mpirunner\0', 'S', 800],
      40: ['bash', 'bash\0mpirun\0', 'S', 900],
      60: ['mpirun', '', 'Z', 1000],
    };
    for (const [pid, [name, commandLine, state, start]] of Object.entries(processes)) {
      mkdirSync(path.join(proc, pid));
      writeFileSync(path.join(proc, pid, 'comm'), `${name}\n`);
      writeFileSync(path.join(proc, pid, 'cmdline'), String(commandLine));
      const before = '1 1 1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0';
      writeFileSync(path.join(proc, pid, 'stat'), `${pid} (a) b) ${state} ${before} ${start} 0 0\n`);
    }
    mkdirSync(path.join(proc, '50')); // A process that has just ended.
    mkdirSync(path.join(proc, 'self'));
  });

  after(() => rmSync(proc, { recursive: true }));

  it('are recognised by name if they live, the last started first', async () => {
    assert.deepEqual(await findLaunchers(proc), [
      { pid: 3, commandLine: 'mpiexec.hydra ./ring' },
      { pid: 20, commandLine: 'mpirun.openmpi -n 4 ./ring' },
    ]);
  });
});
