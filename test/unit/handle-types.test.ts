import assert from 'node:assert/strict';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { HandleTypes } from '../../adapter/expressions/handle-types';

const typedefs = new Map([
  ['OceanComm', 'MPI_Comm'],
  ['Chain', 'OceanComm'],
  ['Requests', 'MPI_Request [4]'],
  ['Circle', 'Ring'],
  ['Ring', 'Circle'],
  ['MyInt', 'int'],
]);

const types = new HandleTypes((type) => Promise.resolve(typedefs.get(type) ?? type), shippedMpis.handleStructs);

const cases: [string, object][] = [
  ['MPI_Comm', { form: 'handle', kind: 'comm' }],
  ['const MPI_Comm', { form: 'handle', kind: 'comm' }],
  ['MPI_Comm &', { form: 'handle', kind: 'comm' }],
  ['OceanComm', { form: 'handle', kind: 'comm' }],
  ['Chain', { form: 'handle', kind: 'comm' }],
  ['Chain [2]', { form: 'array', kind: 'comm' }],
  ['Requests', { form: 'array', kind: 'request' }],
  ['MPI_Request *', { form: 'pointer', kind: 'request' }],
  ['const MPI_Win *', { form: 'pointer', kind: 'win' }],
  ['MPI_Comm [2][3]', { form: 'array', kind: 'comm' }],
  ['MPI_Status', { form: 'handle', kind: 'status' }],
  ['Type mpi_comm', { form: 'fortranHandle', kind: 'comm' }],
  ['Type mpi_comm (2,2)', { form: 'array', kind: 'comm' }],
  ['Type mpi_comm, allocatable (2)', { form: 'array', kind: 'comm' }],
  ['PTR TO -> ( Type mpi_comm )', { form: 'fortranHandle', kind: 'comm' }],
  ['struct mpi_comm', { form: 'fortranHandle', kind: 'comm' }],
  ['struct mpi_comm [2]', { form: 'array', kind: 'comm' }],
  ['Type mpi_status', { form: 'handle', kind: 'status' }],
  ['MPI::Cartcomm', { form: 'object', kind: 'comm' }],
  ['const MPI::Comm &', { form: 'object', kind: 'comm' }],
  ['MPI::Prequest *', { form: 'objectPointer', kind: 'request' }],
  ['class MPI::Request [2]', { form: 'array', kind: 'request' }],
  ['MPI::Request [2]', { form: 'array', kind: 'request' }],
  ['MPI::Comm **', { form: 'other' }],
  ['ompi_communicator_t *', { form: 'handle', kind: 'comm' }],
  ['ompi_request_t *const', { form: 'handle', kind: 'request' }],
  ['struct ompi_win_t **', { form: 'pointer', kind: 'win' }],
  ['ompi_communicator_t *[2]', { form: 'array', kind: 'comm' }],
  ['ompi_communicator_t', { form: 'other' }],
  ['ompi_proc_t *', { form: 'other' }],
  ['MPI_Comm **', { form: 'other' }],
  ['MPI_Comm (*)(int)', { form: 'other' }],
  ['struct Domain', { form: 'other' }],
  ['MyInt', { form: 'other' }],
  ['Circle', { form: 'other' }],
  ['integer(kind=4)', { form: 'other' }],
  ['std::vector<MPI_Comm, std::allocator<MPI_Comm> >', { form: 'other' }],
];

/** Names that every object of JavaScript knows. */
const namesOfObjects = ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'class valueOf'];

describe('the meaning of a declared type', () => {
  it('is none for types of the program that are named like something of JavaScript', async () => {
    for (const name of namesOfObjects)
      for (const type of [name, `${name} *`, `${name} [2]`, `struct ${name}`])
        assert.deepEqual(await types.meaning(type), { form: 'other' }, type);
  });

  for (const [type, meaning] of cases) {
    it(type, async () => assert.deepEqual(await types.meaning(type), meaning));
  }
});
