/** What mpidbg run says of ranks in Python, which an exception ends without the help of mpi4py. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianPython } from '../support/mpi4py';
import { patienceMs } from '../support/patience';
import { cli } from '../support/run-cli';
import { launchers } from '../support/sample-job';

/** No rank waits for the other, so that the job ends. One exception is caught, and printed. */
const program = `import sys, traceback
from mpi4py import MPI
rank = MPI.COMM_WORLD.Get_rank()
try:
    raise KeyError('caught')
except KeyError:
    traceback.print_exc()
def melt(depth):
    raise ValueError('no ice at %d' % depth)
if rank == 1 and sys.argv[1] == 'dies': melt(7)
def add(a, b, datatype):
    raise ValueError('no sum')
if sys.argv[1] == 'adds':
    MPI.COMM_WORLD.Allreduce(bytearray(4), bytearray(4), MPI.Op.Create(add))
`;

describe('mpidbg run of a program in Python', function () {
  this.timeout(patienceMs);
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
  const file = join(folder, 'ice.py');
  before(() => {
    execFileSync(debianPython, ['-c', 'import mpi4py']);
    writeFileSync(file, program);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const said = (how: string): { status: number | null; own: readonly string[] } => {
    // Debian's mpi4py is of Open MPI.
    const { command, args, env } = launchers.openmpi;
    const words = [cli, 'run', '--', command, ...args, '-n', '2', debianPython, file, how];
    const { status, stderr } = spawnSync(process.execPath, words, {
      ...{ env: { ...process.env, ...env }, encoding: 'utf8', timeout: patienceMs },
    });
    const at = stderr.indexOf('mpidbg: ');
    return { status, own: at < 0 ? [] : stderr.slice(at).trimEnd().split('\n') };
  };

  it('says which exception has ended a rank that waits in MPI_Finalize', () => {
    const { status, own } = said('dies');
    assert.equal(status, 1);
    assert.equal(own[0], 'mpidbg: rank 1 ended after an exception of Python: ValueError: no ice at 7');
    assert.equal(own[1], '  at ice.py:9 in melt, called by <module> (ice.py:10)');
    assert.match(own[2]!, /^ {2}Python then goes on to MPI_Finalize, /);
  });

  it('says which exception in an operation has made mpi4py call MPI_Abort', () => {
    const { status, own } = said('adds');
    assert.equal(status, 1);
    const told = 'after an exception of Python in a user-defined reduction operation: ValueError: no sum';
    const begin = /^mpidbg: ranks? [01](-1)? called MPI_Abort\(MPI_COMM_WORLD, 1\) /;
    assert.match(own[0]!, begin);
    assert.ok(own[0]!.replace(begin, '').startsWith(told), own[0]);
    assert.equal(own[1], '  at ice.py:12 in add, called by <module> (ice.py:14)');
  });

  it('says nothing of exceptions that are caught and printed', () => {
    assert.deepEqual(said('lives'), { status: 0, own: [] });
  });
});
