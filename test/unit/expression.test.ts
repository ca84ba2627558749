import assert from 'node:assert/strict';
import { substituteConstants, type Language } from '../../adapter/expressions/expression';
import type { MpiConstant } from '../../plugin-api/mpi/plugin';

const constants: Readonly<Record<string, MpiConstant>> = {
  MPI_COMM_WORLD: { kind: 'handle', handleKind: 'comm', handle: 0n, fortran: 0, symbol: 'ompi_mpi_comm_world' },
  MPI_COMM_SELF: { kind: 'handle', handleKind: 'comm', handle: 0x7f00n, fortran: 1 },
  MPI_ANY_SOURCE: { kind: 'integer', value: -1 },
  MPI_TAG_UB: { kind: 'integer', value: 0x64400001, fortran: 0x64400002 },
  MPI_SOURCE: { kind: 'fortranInteger', value: 3 },
};

function forGdb(source: string, language: Language): string {
  return substituteConstants(source, language, (name) => constants[name]);
}

describe("MPI's own names in expressions for gdb", () => {
  it('are their values in C', () => {
    assert.equal(forGdb('c == MPI_COMM_WORLD', 'c'), 'c == ((MPI_Comm)&ompi_mpi_comm_world)');
    assert.equal(forGdb('c == MPI_COMM_SELF', 'c'), 'c == ((MPI_Comm)0x7f00)');
    assert.equal(forGdb('s.MPI_SOURCE != MPI_ANY_SOURCE', 'c'), 's.MPI_SOURCE != (-1)');
  });

  it('are INTEGERs in Fortran, and so is what is compared with a handle', () => {
    assert.equal(forGdb('ocean == MPI_COMM_WORLD', 'fortran'), '*((integer *)&(ocean)) == (0)');
    assert.equal(forGdb('comms(2) .ne. mpi_comm_self', 'fortran'), '*((integer *)&(comms(2))) .ne. (1)');
    assert.equal(forGdb('MPI_COMM_SELF /= d%comm', 'fortran'), '(1) /= *((integer *)&(d%comm))');
    assert.equal(
      forGdb('n > 2 .and. a%comms(i)%c == MPI_COMM_WORLD', 'fortran'),
      'n > 2 .and. *((integer *)&(a%comms(i)%c)) == (0)',
    );
  });

  it('have in Fortran its own values, and names that C has not', () => {
    assert.equal(forGdb('stat(MPI_SOURCE, 2)', 'fortran'), 'stat(3, 2)');
    assert.equal(forGdb('st%mpi_source + mpi_source', 'fortran'), 'st%mpi_source + 3');
    assert.equal(forGdb('MPI_TAG_UB', 'fortran'), '1681915906');
    assert.equal(forGdb('MPI_TAG_UB', 'c'), '1681915905');
    assert.equal(forGdb('MPI_SOURCE', 'c'), 'MPI_SOURCE');
  });

  it('leave everything else that is compared as it is', () => {
    assert.equal(forGdb('source == MPI_ANY_SOURCE', 'fortran'), 'source == (-1)');
    assert.equal(forGdb('MPI_COMM_SELF == MPI_COMM_WORLD', 'fortran'), '(1) == (0)');
    assert.equal(forGdb("name == 'c == MPI_COMM_WORLD'", 'fortran'), "name == 'c == MPI_COMM_WORLD'");
    assert.equal(forGdb('c == MPI_COMM_OCEAN', 'fortran'), 'c == MPI_COMM_OCEAN');
  });
});
