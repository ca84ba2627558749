/** What calls of MPI in a source are given: the expressions, and the variables in them. */
import assert from 'node:assert/strict';
import { passedExpressions, type PassedRole } from '../../plugin-api/hang/passed-expressions';
import { passedText } from '../../plugin-api/hang/passed-text';

const all = { first: 1, last: 99 };
const namesInC = (text: string, role: PassedRole): (readonly string[])[] =>
  passedExpressions(text, { form: 'c', ...all }, [role]).map(({ names }) => names);
const inFortran = (form: 'free' | 'fixed', text: string, role: PassedRole): (string | readonly string[])[] =>
  passedExpressions(text, { form, ...all }, [role]).flatMap(({ text: expression, names }) => [expression, names]);

describe('what calls of MPI are given in the source', () => {
  it('is told by the argument, over several lines, without comments and texts', () => {
    const text = `
      // MPI_Recv(b, 1, MPI_INT, 0, other, c, s);
      puts("MPI_Send(b, 1, MPI_INT, 0, none, c)");
      MPI_Irecv(f(a, b), 10, MPI_DOUBLE,
                left, 100 * phase /* of the lap */ + 1, ring, &requests[0]);`;
    const [found, ...others] = passedExpressions(text, { form: 'c', ...all }, ['tag']);
    assert.deepEqual(others, []);
    assert.deepEqual(found, { call: 'MPI_Irecv', line: 4, role: 'tag', text: '100 * phase + 1', names: ['phase'] });
  });

  it('has members and elements, but no functions or constants of MPI', () => {
    const send = (tag: string): string => `MPI_Send(b, 1, MPI_INT, 0, ${tag}, c);`;
    assert.deepEqual(namesInC(send('this->phase_ + own.tags[d] + tagOf(x)'), 'tag'), [
      ['this->phase_', 'own.tags[d]', 'x', 'd'],
    ]);
    assert.deepEqual(namesInC(send('MPI_ANY_TAG'), 'tag'), [[]]);
    assert.deepEqual(namesInC('MPI_Bcast(b, n, MPI_INT, owner, comms[which]);', 'root'), [['owner']]);
    assert.deepEqual(namesInC('MPI_Bcast(b, n, MPI_INT, owner, comms[which]);', 'count'), [['n']]);
    assert.deepEqual(namesInC('MPI_Bcast(b, n, MPI_INT, owner, comms[which]);', 'comm'), [['which']]);
  });

  it('counts only the lines that are asked for', () => {
    const text = 'MPI_Barrier(a);\nMPI_Bcast(b, 1, MPI_INT, r, c);\nMPI_Bcast(b, 1, MPI_INT, q, c);';
    const found = passedExpressions(text, { form: 'c', first: 2, last: 2 }, ['root']);
    assert.deepEqual(
      found.map((each) => each.text),
      ['r'],
    );
  });

  it('follows lines that are continued in Fortran, and keywords', () => {
    const free = 'call MPI_Recv(b, n, MPI_INTEGER, 0, & ! who\n     & 10*grid%phase + 1, comm, status, ierr)';
    assert.deepEqual(inFortran('free', free, 'tag'), ['10*grid%phase + 1', ['grid%phase']]);
    const fixed =
      '      call mpi_send(b, n, MPI_INTEGER, 0,\n     $  itag, comm, ierr)\nc     call mpi_send(b, n, m, 0, no, c, e)';
    assert.deepEqual(inFortran('fixed', fixed, 'tag'), ['itag', ['itag']]);
    assert.deepEqual(inFortran('free', 'call MPI_Bcast(b, n, MPI_REAL, comm=c, root=owner)', 'root'), [
      'owner',
      ['owner'],
    ]);
  });

  it('reads no call whose end is missing', () => {
    assert.deepEqual(namesInC('MPI_Send(b, 1, MPI_INT, 0, tag, c', 'tag'), []);
  });

  it('is told with the values', () => {
    const values = [
      { ranks: '0,2-3', text: '12' },
      { ranks: '1', text: '13' },
    ];
    const told = (text: string): string =>
      passedText({
        where: 'a.c:8',
        expression: { call: 'MPI_Irecv', role: 'tag', text },
        variables: [{ name: 'phase', values }],
      });
    assert.equal(told('phase'), 'the tag of MPI_Irecv (a.c:8) is phase, now 13 in rank 1, 12 in ranks 0,2-3');
    assert.equal(
      told('100 * phase'),
      'the tag of MPI_Irecv (a.c:8) is 100 * phase, where phase is now 13 in rank 1, 12 in ranks 0,2-3',
    );
  });
});
