/** The kinds of Fortran handles in C sources. */
import assert from 'node:assert/strict';
import { CSource } from '../../plugin-api/fortran/c-sources';

const text = `void set_(MPI_Fint *f, MPI_Fint *n, MPI_Fint *out) {
  MPI_Comm c = MPI_Comm_f2c(*f); /* MPI_Win_f2c(*n) */
  const char *s = "MPI_Win_f2c(n)";
  *out = (MPI_Fint)MPI_Comm_c2f(c);
}
int use(int f, long k, int *list)
{
  MPI_Comm d = MPI_Comm_f2c((MPI_Fint) f), e = MPI_Comm_f2c(*(MPI_Fint *)k);
  MPI_Request r = MPI_Request_f2c( list[3] );
  int g = MPI_Group_c2f(MPI_GROUP_NULL);
  return MPI_Comm_f2c(list[0]) == d;
}
`;

describe('C sources', () => {
  it('show which variables are passed to MPI_Comm_f2c or returned by MPI_Comm_c2f, by function', () => {
    const source = new CSource('a.c', text);
    const kindOf = (line: number, name: string): string => {
      const inference = source.inferenceAt(line, name);
      return inference === undefined ? 'none' : (inference.kind ?? 'conflict');
    };
    const first = Object.fromEntries(['f', 'n', 'out', 'g'].map((name) => [name, kindOf(2, name)]));
    assert.deepEqual(first, { f: 'comm', n: 'none', out: 'comm', g: 'none' });
    const second = Object.fromEntries(['f', 'k', 'list', 'g', 'out'].map((name) => [name, kindOf(8, name)]));
    assert.deepEqual(second, { f: 'comm', k: 'comm', list: 'conflict', g: 'group', out: 'none' });
  });
});
