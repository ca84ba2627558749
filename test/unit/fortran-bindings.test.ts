/**
 * Checks the table of MPI's Fortran routines against MPI 4.1's list of changes and the installed MPIs' C prototypes.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mpiCallback, mpiRoutine } from '../../plugin-api/fortran/bindings';

/** Routines added in MPI 4.1 (annex B.1.2), with their arguments. */
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

/** The mpi.h of each installed MPI, at Debian's paths. */
function headers(): string[] {
  const places = ['openmpi/include/mpi.h', 'openmpi/mpi.h', 'mpich/mpi.h', 'mpich/include/mpi.h', 'mpich/mpi_proto.h'];
  return ['/usr/lib', '/usr/include']
    .flatMap((top) => readdirSync(top).flatMap((folder) => places.map((location) => join(top, folder, location))))
    .filter(existsSync);
}

/**
 * Routine → kinds of the handles in its arguments, in order. Without those that only C has: conversions, the macro
 * MPI_DUP_FN, and names ending in _c.
 */
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

/** The libraries that mpif.h programs are linked with. */
function libraries(): string[] {
  const names = ['openmpi/lib/libmpi_mpifh.so', 'libmpi_mpifh.so', 'libmpichfort.so'];
  return readdirSync('/usr/lib')
    .flatMap((folder) => names.map((name) => join('/usr/lib', folder, name)))
    .filter(existsSync);
}

/**
 * The MPI routines in a library's symbol table, where a name may be stored only as the tail of its profiling name.
 * Without variables and internal functions.
 */
function entryPoints(library: string): string[] {
  const text = readFileSync(library, 'latin1');
  const names = [...text.matchAll(/\0p?(mpi_[a-z0-9_]*?[a-z0-9])__?(?=\0)/g)].map(({ 1: name = '' }) => name);
  return [...new Set(names)].filter((name) => !/_f08|_cptr$|^mpi_sizeof_|^mpi_fortran_|_fn$|_fn_null$/.test(name));
}

const kindsOf = (name: string): string[] | undefined => mpiRoutine(name)?.flatMap(({ kind }) => kind ?? []);

describe('the table of Fortran routines', () => {
  it('has the additions of MPI 4.1', () => {
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

  it('has every routine of the Fortran libraries here', () => {
    const found = libraries();
    assert.ok(found.length > 0, 'libmpi_mpifh or libmpichfort is missing: install libopenmpi-dev or libmpich-dev');
    for (const library of found) {
      const names = entryPoints(library);
      assert.ok(names.length > 300, `only ${names.length} routines in ${library}`);
      const missing = names.filter((name) => mpiRoutine(name) === undefined);
      assert.deepEqual(missing, [], library);
    }
  });

  it('has the arguments of routines that MPI 3.0 removed', () => {
    // MPI 2.2, chapter 15 and 16.
    assert.deepEqual(kindsOf('mpi_attr_get'), ['comm']);
    assert.deepEqual(kindsOf('mpi_errhandler_create'), ['errhandler']);
    assert.deepEqual(kindsOf('mpi_errhandler_set'), ['comm', 'errhandler']);
    assert.deepEqual(kindsOf('mpi_type_struct'), ['datatype', 'datatype']);
    assert.deepEqual(kindsOf('mpi_type_hindexed'), ['datatype', 'datatype']);
    assert.equal(mpiCallback('mpi_copy_function')?.[0]?.kind, 'comm');
    assert.equal(mpiRoutine('mpi_keyval_create')?.[0]?.callback, 'mpi_copy_function');
  });
});
