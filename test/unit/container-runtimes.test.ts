import assert from 'node:assert/strict';
import { startsContainer } from '../../adapter/launchers/container-runtimes';

describe('a command', () => {
  for (const [command, isOne] of [
    ['mpirun -n 4 apptainer exec heat.sif ./heat', true],
    ['srun /opt/bin/singularity run heat.sif', true],
    ['srun --container-image=heat ./heat', true],
    ['srun --container heat ./heat', true],
    ['mpirun -n 4 ./heat', false],
    ['mpirun -n 4 ./heat apptainer.txt', false],
    ['srun --containers ./heat', false],
  ] as const)
    it(`${isOne ? 'starts a container' : 'starts none'}: ${command}`, () =>
      assert.equal(startsContainer(command.split(' ')), isOne));
});
