/** The MPI constants that name a number in a C or C++ source. */
import assert from 'node:assert/strict';
import { CSource } from '../../plugin-api/fortran/c-sources';
import { numberNames } from '../../plugin-api/fortran/number-names';

const text = `namespace halo {
class Exchange {
  void up(int to) const { MPI_Send(data(), n, MPI_INT, to, tag_, comm_); }
  auto down(int to) noexcept -> int { return to; }
};
#ifdef TWICE
void swap(int left) {
#else
void swap(int left, int right) {
#endif
  PMPI_Sendrecv(a, f(1, 2), MPI_INT, left, 0, b, 1, MPI_INT, (right), 0, c, s);
}
}
int main()
{
  int left = f(right, 1), right = 0;
  const char *text = "MPI_Send(0, 0, 0, level, 0, 0)"; // MPI_Send(0, 0, 0, level, 0, 0)
  if (left) {
    MPI_Cart_shift(comm, 0, 1, &left, & right );
    MPI_Recv(p, 1, t, peers[2], grid->tag, comm, &status);
    MPI_Recv(p, 1, t, peers[i], my_tag(left), comm, &status);
  }
  for (int k = 0; k < 2; k++)
    MPI_Bcast(p, 1, t, k, comm);
  int k = 3;
  MPI_Reduce(p, q, 1, t, op, root, inter); MPI_Send(p, both, t, both, 0, comm);
}
`;

describe('MPI’s names for numbers', () => {
  const source = new CSource('a.cpp', text);
  const lineOf = (words: string): number => text.split('\n').findIndex((line) => line.includes(words)) + 1;
  const names = (words: string, name: string): string =>
    numberNames(source.uses.at(lineOf(words), name))
      .map((each) => each.replace('MPI_', ''))
      .join(' ');

  it('follow from the arguments that a variable is passed as in its function', () => {
    assert.equal(names('MPI_Cart_shift', 'left'), 'PROC_NULL');
    assert.equal(names('MPI_Cart_shift', '*right'), 'PROC_NULL');
    assert.equal(names('int main', 'peers[2]'), 'PROC_NULL ANY_SOURCE');
    assert.equal(names('int main', 'grid -> tag'), 'ANY_TAG');
    assert.equal(names('int main', 'root'), 'ROOT PROC_NULL');
    assert.equal(names('PMPI_Sendrecv', 'right'), 'PROC_NULL ANY_SOURCE');
    assert.equal(names('void up', 'to'), 'PROC_NULL');
    assert.equal(names('void up', 'tag_'), 'ANY_TAG');
  });

  it('are not used without evidence', () => {
    for (const name of ['level', 'peers[i]', 'peers[0]', 'i', 'left + 1', 'status', 'comm'])
      assert.equal(names('int main', name), '', name);
    // Also used as a count; two variables; another function; outside all functions.
    assert.equal(names('int main', 'both'), '');
    assert.equal(names('int main', 'k'), '');
    assert.equal(names('auto down', 'to'), '');
    assert.equal(names('class Exchange', 'to'), '');
  });
});
