/** Which call of MPI a thread is in, by its stack. */
import assert from 'node:assert/strict';
import { stateInCall } from '../../plugin-api/hang/waiting-calls';
import { argumentRoles } from '../../plugin-api/hang/argument-roles';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import type { CodeModule, ProcessCode } from '../../adapter/expressions/code-modules';
import type { Frame } from '../../adapter/stacks/frame';
import { activityOf, type Activity } from '../../adapter/query/positions/call-on-stack';

const paths = {
  program: '/home/user/heat',
  tool: '/opt/tool/libtool.so',
  mpi: '/usr/lib/x86_64-linux-gnu/libmpi.so.40',
  fortran: '/usr/lib/x86_64-linux-gnu/libmpi_mpifh.so.40',
  component: '/usr/lib/x86_64-linux-gnu/openmpi/lib/openmpi3/mca_pml_ob1.so',
  c: '/usr/lib/x86_64-linux-gnu/libc.so.6',
};
type Place = keyof typeof paths;
const places = Object.keys(paths) as Place[];
const size = 0x1000;

const modules: CodeModule[] = places.map((place, index) => ({
  path: paths[place],
  isExecutable: place === 'program',
  segments: [{ address: BigInt((index + 1) * size), size, fileSize: size, writable: false, executable: true }],
}));
const code: ProcessCode = { modules, mpis: shippedMpis };
const withMpiInside: ProcessCode = { modules: modules.filter(({ isExecutable }) => isExecutable), mpis: shippedMpis };

/** Innermost first: "program work", with a line where the place is the program's. */
function activity(frames: readonly string[], within = code): Activity {
  return activityOf(
    frames.map((text, level): Frame => {
      const [place, name, line] = text.split(' ') as [Place, string, string | undefined];
      return {
        kind: 'native',
        level,
        address: BigInt((places.indexOf(place) + 1) * size + level),
        function: name === '??' ? undefined : name,
        file: line === undefined ? undefined : 'heat.c',
        fullName: undefined,
        line: line === undefined ? undefined : Number(line),
        from: undefined,
      };
    }),
    within,
  );
}

function callOf(frames: readonly string[], within = code): string {
  const found = activity(frames, within);
  return found.kind === 'call' ? `${found.call} ${found.frames.map(({ level }) => level).join()}` : found.kind;
}

describe('the call on a stack', () => {
  it('is that of C, however deep the library is in it', () => {
    const inside = ['c sched_yield', 'component mca_pml_ob1_recv', 'mpi PMPI_Recv', 'program step 7', 'program main 9'];
    assert.equal(callOf(inside), 'MPI_Recv 2');
  });

  it('is the outermost of calls that the library makes of others', () => {
    assert.equal(callOf(['mpi ??', 'mpi PMPI_Barrier', 'mpi PMPI_File_open', 'program main 9']), 'MPI_File_open 2');
  });

  it('has the frames of the C binding and of the wrapper in Fortran', () => {
    const wrapper = ['mpi ??', 'mpi PMPI_Recv', 'fortran pmpi_recv_', 'program MAIN__ 7'];
    assert.equal(callOf(wrapper), 'MPI_Recv 1,2');
    assert.equal(callOf(['mpi ??', 'mpi PMPI_Recv', 'fortran mpi_recv_f08_', 'program MAIN__ 7']), 'MPI_Recv 1,2');
  });

  it('is MPI_Finalize where the library has jumped to its own function', () => {
    assert.equal(callOf(['c usleep', 'mpi ompi_mpi_finalize', 'program main 9']), 'MPI_Finalize 1');
  });

  it('is none while a function of the program runs that a call has called', () => {
    const handler = ['program keep_larger 3', 'mpi ??', 'mpi PMPI_Allreduce', 'program main 9'];
    assert.equal(callOf(handler), 'program');
    assert.equal(callOf(['c usleep', ...handler]), 'program');
    assert.equal(callOf(['mpi PMPI_Comm_size', ...handler]), 'MPI_Comm_size 0');
  });

  it('is that of the library below a tool which defines the same function', () => {
    assert.equal(callOf(['mpi ??', 'mpi PMPI_Recv', 'tool MPI_Recv', 'program main 9']), 'MPI_Recv 1');
    assert.equal(callOf(['tool MPI_Recv', 'program main 9']), 'program');
  });

  it('does not show where the function has jumped to one without a name', () => {
    const found = activity(['mpi ??', 'mpi ??', 'program step 7', 'program main 9']);
    assert.ok(found.kind === 'library');
    assert.equal(found.level, 1);
    assert.equal(found.caller.function, 'step');
    assert.equal(callOf(['c poll', 'component progress', 'c start_thread']), 'program');
  });

  it('is known in a program that holds its MPI, by the source that only the program has', () => {
    assert.equal(callOf(['program MPID_Progress', 'program PMPI_Recv', 'program main 9'], withMpiInside), 'MPI_Recv 1');
    const handler = ['program keep_larger 3', 'program PMPI_Allreduce', 'program main 9'];
    assert.equal(callOf(handler, withMpiInside), 'program');
  });
});

describe('a thread inside of a call', () => {
  const states: Record<string, string> = {
    MPI_Recv: 'blocked',
    MPI_Send_c: 'blocked',
    MPI_Waitsome: 'blocked',
    MPI_Neighbor_alltoallw: 'blocked',
    MPI_Comm_split_type: 'blocked',
    MPI_Win_flush_local_all: 'blocked',
    MPI_File_write_at_all_end: 'blocked',
    MPI_Testsome: 'polling',
    MPI_Improbe: 'polling',
    MPI_Win_test: 'polling',
    MPI_Isend: 'running',
    MPI_Comm_rank: 'running',
    MPI_File_read: 'running',
    MPI_Finalize: 'finalizing',
  };
  for (const [call, state] of Object.entries(states))
    it(`is ${state} in ${call}`, () => assert.equal(stateInCall(call), state));
});

describe('the arguments of a call', () => {
  const fields = (call: string): string =>
    argumentRoles(call)
      .map((role) => `${role.field} ${role.index}${'isPointer' in role && role.isPointer ? '*' : ''}`)
      .join(', ');
  it('are those by which it waits', () => {
    assert.equal(fields('MPI_Recv'), 'peer 3, tag 4, comm 5');
    assert.equal(fields('MPI_Sendrecv'), 'peer 3, tag 4, source 8, receiveTag 9, comm 10');
    assert.equal(fields('MPI_Bcast_c'), 'amount 1, root 3, comm 4');
    assert.equal(fields('MPI_Waitall'), 'requests 1');
    assert.equal(fields('MPI_Wait'), 'requests 0*');
    assert.equal(fields('MPI_Isend'), 'peer 3, tag 4, comm 5', 'what a call makes is none');
    assert.equal(fields('MPI_Comm_dup'), 'comm 0');
    assert.equal(fields('MPI_Comm_free'), 'comm 0*');
    assert.equal(fields('MPI_Win_create'), 'comm 4');
    assert.equal(fields('MPI_Win_lock'), 'peer 1, win 3');
    assert.equal(fields('MPI_File_close'), 'file 0*');
    assert.equal(fields('MPI_Intercomm_create'), 'comm 0, leader 1, peerComm 2, peer 3, tag 4');
    assert.equal(fields('MPI_Comm_create_group'), 'comm 0, members 1, tag 2');
    assert.equal(fields('MPI_Comm_create'), 'comm 0');
    assert.equal(fields('MPI_Gatherv'), 'gives 1, takes 4, root 7, comm 8');
    assert.equal(fields('MPI_Alltoallw'), 'gives 1, takes 5, comm 8');
    assert.equal(fields('MPI_Bcast'), 'amount 1, root 3, comm 4');
  });
});
