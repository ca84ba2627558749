/** The table of MPI's Fortran routines, held against MPI 4.1's list of changes and the C prototypes of the MPIs here. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mpiRoutine } from '../../plugin-api/fortran/bindings';

/** Added in MPI 4.1 (its annex B.1.2), with what they take. */
const addedInMpi41: Record<string, string> = {
  mpi_buffer_iflush: 'request',
  mpi_comm_attach_buffer: 'comm',
  mpi_comm_detach_buffer: 'comm',
  mpi_comm_flush_buffer: 'comm',
  mpi_comm_iflush_buffer: 'comm request',
  mpi_get_hw_resource_info: 'info',
  mpi_request_get_status_all: 'request status',
  mpi_request_get_status_any: 'request status',
  mpi_request_get_status_some: 'request status',
  mpi_session_attach_buffer: 'session',
  mpi_session_detach_buffer: 'session',
  mpi_session_flush_buffer: 'session',
  mpi_session_iflush_buffer: 'session request',
  mpi_status_get_error: 'status',
  mpi_status_get_source: 'status',
  mpi_status_get_tag: 'status',
  mpi_status_set_error: 'status',
  mpi_status_set_source: 'status',
  mpi_status_set_tag: 'status',
  mpi_type_get_value_index: 'datatype datatype datatype',
};

const handleTypes = /\bMPI_(Comm|Datatype|Errhandler|File|Group|Info|Message|Op|Request|Session|Status|Win)\b/g;

/** mpi.h as Debian places it, of each MPI that is installed. */
function headers(): string[] {
  const places = ['openmpi/include/mpi.h', 'openmpi/mpi.h', 'mpich/mpi.h', 'mpich/include/mpi.h', 'mpich/mpi_proto.h'];
  return ['/usr/lib', '/usr/include']
    .flatMap((top) => readdirSync(top).flatMap((folder) => places.map((place) => join(top, folder, place))))
    .filter(existsSync);
}

/** Names with the kinds of handles in their arguments, in order. C alone has conversions, MPI_DUP_FN as a macro, and those with _c. */
function prototypes(header: string): { name: string; kinds: string[] }[] {
  const text = readFileSync(header, 'utf8').replace(/\/\*[^]*?\*\//g, '');
  return [...text.matchAll(/\bint\s+(MPI_[A-Z]\w+)\s*\(([^;{]*?)\)[^;(){}]*;/g)].flatMap(
    ({ 1: name = '', 2: list = '' }) => {
      if (/^MPI_T_|^MPI_DUP_FN$|_(f2c|c2f|f082c|c2f08|f082f|f2f08|c)$|^MPI_Status_/.test(name)) return [];
      const kinds = [...list.matchAll(handleTypes)].map(({ 1: kind = '' }) => kind.toLowerCase());
      return kinds.length === 0 ? [] : [{ name: name.toLowerCase(), kinds }];
    },
  );
}

const kindsOf = (name: string): string[] | undefined => mpiRoutine(name)?.flatMap(({ kind }) => kind ?? []);

describe('the table of Fortran routines', () => {
  it('has what MPI 4.1 added', () => {
    for (const [name, kinds] of Object.entries(addedInMpi41)) assert.equal(kindsOf(name)?.join(' '), kinds, name);
    for (const name of [
      'mpi_remove_error_class',
      'mpi_remove_error_code',
      'mpi_remove_error_string',
      'mpi_buffer_flush',
    ])
      assert.deepEqual(kindsOf(name), [], name);
  });

  it('has every routine that takes or returns a handle in C, with the same handles in the same order', () => {
    const found = headers();
    assert.ok(found.length > 0, 'mpi.h is missing: install libopenmpi-dev or libmpich-dev');
    const all = found.flatMap(prototypes);
    assert.ok(all.length > 300, `only ${all.length} prototypes in ${found.join(', ')}`);
    const wrong = all.flatMap(({ name, kinds }) => {
      const own = kindsOf(name);
      return own?.join(' ') === kinds.join(' ')
        ? []
        : [`${name}: ${own?.join(' ') ?? 'missing'}, in C ${kinds.join(' ')}`];
    });
    assert.deepEqual(wrong, []);
  });
});
