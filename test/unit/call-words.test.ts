/** The words of conditions on MPI's functions. Expected: the arguments in MPI's standard. */
import assert from 'node:assert/strict';
import { callConditionInC, callExpression } from '../../adapter/dap/breakpoints/call-conditions';
import { callWords, hasWord, mpiFunction } from '../../plugin-api/fortran/call-words';

function wordsOf(name: string): string {
  const called = mpiFunction(name)!;
  const places = callWords.filter((word) => hasWord(called, word) && word !== 'nth');
  return places
    .map((word) => (word === 'bytes' ? word : `${word} ${called.arguments[word as 'tag']!.index}`))
    .join(', ');
}

describe('words of calls', () => {
  it('are arguments of the function', () => {
    const expected = {
      MPI_Send: 'comm 5, datatype 2, tag 4, peer 3, count 1, bytes',
      mpi_recv: 'comm 5, datatype 2, tag 4, peer 3, count 1, bytes',
      MPI_Sendrecv: 'comm 10, datatype 2, tag 4, peer 3, count 1, bytes',
      MPI_Gather: 'comm 7, datatype 2, root 6, count 1, bytes',
      MPI_Scatterv: 'comm 8, datatype 6, root 7, count 5, bytes',
      MPI_Alltoallv: 'comm 8, datatype 3',
      MPI_Psend_init: 'comm 6, datatype 3, tag 5, peer 4, count 2',
      MPI_Barrier: 'comm 0',
      MPI_Waitall: 'count 0',
      MPI_Win_lock: 'peer 1',
      MPI_Get_count: 'datatype 1',
      MPI_Comm_free: 'comm 0',
    };
    for (const [name, words] of Object.entries(expected)) assert.equal(wordsOf(name), words, name);
    assert.equal(mpiFunction('MPI_Comm_free')?.arguments.comm?.isAddress, true);
    for (const none of ['PMPI_Send', 'mpi_send_', 'mpi_sent', 'main']) assert.equal(mpiFunction(none), undefined);
  });

  it('stand in conditions of C and Fortran', () => {
    const send = mpiFunction('MPI_Send')!;
    const none = (): undefined => undefined;
    const condition = callConditionInC("$tag /= 3 .and. .not. ($comm == 'it''s')");
    assert.equal(condition.replace(/ +/g, ' '), '$tag != 3 && ! ($comm == "it\'s")');
    assert.equal(callExpression('$tag == 3', send, none, 'condition'), '$_mpidbg_call_tag() == 3');
    assert.equal(callExpression('$comm == "ab"', send, none, 'condition'), '$_mpidbg_call_name_of_comm(0, 97, 98)');
    assert.throws(() => callExpression('$root == 3', send, none, 'condition'), /MPI_Send is not passed one root/);
  });
});
