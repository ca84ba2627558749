/** How a program is built and started with each MPI. */
export const launchers = {
  openmpi: { compiler: 'mpicc.openmpi', launcher: 'mpirun.openmpi', launcherArgs: ['--oversubscribe'] },
  mpich: { compiler: 'mpicc.mpich', launcher: 'mpiexec.mpich', launcherArgs: [] as string[] },
};
