/** Which line of a stack is the program's, and through what it has called MPI. */
import assert from 'node:assert/strict';
import { LibraryCode } from '../../plugin-api/mpi/library-code';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import type { CodeModule, ProcessCode } from '../../adapter/expressions/code-modules';
import type { Frame } from '../../adapter/stacks/frame';
import { callPlace, shortName } from '../../adapter/query/across-ranks/call-place';

const paths = {
  program: '/home/user/heat',
  own: '/home/user/libheat.so',
  hdf5: '/opt/hdf5/lib/libhdf5.so.103',
  mpi: '/usr/lib/x86_64-linux-gnu/libmpi.so.40',
  c: '/usr/lib/x86_64-linux-gnu/libc.so.6',
};
const names = Object.keys(paths) as (keyof typeof paths)[];
const size = 0x1000;
const modules: CodeModule[] = names.map((name, index) => ({
  path: paths[name],
  isExecutable: name === 'program',
  segments: [{ address: BigInt((index + 1) * size), size, fileSize: size, writable: false, executable: true }],
}));

/** Innermost first: "program work", with a source and a line where there is debug information. */
function placeOf(stack: readonly string[], globs: readonly string[] = []): string | undefined {
  const code: ProcessCode = { modules, mpis: shippedMpis, libraries: new LibraryCode(globs) };
  const frames = stack.map((text, level): Frame => {
    const [module, name, source, line] = text.split(' ');
    const file = { file: source, fullName: source, line: line === undefined ? undefined : Number(line) };
    const address = BigInt((names.indexOf(module as keyof typeof paths) + 1) * size + level);
    return { kind: 'native', level, address, function: name, ...file, from: undefined };
  });
  const place = callPlace(frames, code);
  if (place === undefined) return undefined;
  const { frame, through, library } = place;
  return [`${frame.file}:${frame.line}`, through && `through ${through.function}`, library && `in ${library.function}`]
    .filter((part) => part !== undefined)
    .join();
}

const main = 'program main /home/user/heat.cpp 27';

describe('the place of a call', () => {
  it('is the innermost line of the program', () => {
    assert.equal(placeOf(['mpi PMPI_Recv', 'program step /home/user/step.cpp 7', main]), '/home/user/step.cpp:7');
    assert.equal(placeOf(['mpi PMPI_Recv', 'own step /home/user/step.cpp 7', main]), '/home/user/step.cpp:7');
    assert.equal(placeOf(['mpi PMPI_Recv', 'program main']), undefined);
  });

  it('is beyond headers of the system and of libraries', () => {
    for (const header of [
      '/usr/include/c++/12/bits/stl_algo.h',
      '/opt/gcc/include/c++/14/functional',
      '/home/user/spack/include/boost/mpi/communicator.hpp',
      '/home/user/extern/kamping/include/kamping/communicator.hpp',
      '/home/user/build/ompi/mpi/cxx/comm_inln.h',
    ]) {
      const stack = ['mpi PMPI_Recv', `program inner ${header} 3`, `program outer ${header} 10`, main];
      assert.equal(placeOf(stack), '/home/user/heat.cpp:27,through inner', header);
    }
  });

  it('is not through what the standard library of C++ calls for itself', () => {
    const header = '/usr/include/c++/12/future';
    const inner = ['mpi PMPI_Recv', `program __gthread_once ${header} 700`];
    const result = `program std::__basic_future<int>::_M_get_result ${header} 710`;
    const stack = [...inner, result, `program std::future<int>::get ${header} 795`];
    assert.equal(placeOf([...stack, main]), '/home/user/heat.cpp:27');
    const wrapped = 'program mpl::wait_for /home/user/include/mpl/wait.hpp 4';
    assert.equal(placeOf([...stack, wrapped, main], ['**/mpl/**']), '/home/user/heat.cpp:27,through mpl::wait_for');
  });

  it('counts as the program what a setting says', () => {
    const stack = ['mpi PMPI_Recv', 'program get /home/user/wrap/wrap.hpp 3', main];
    assert.equal(placeOf(stack), '/home/user/wrap/wrap.hpp:3');
    assert.equal(placeOf(stack, ['**/wrap/*.hpp']), '/home/user/heat.cpp:27,through get');
    assert.equal(placeOf(stack, ['**/wrap/**', '!**/wrap.hpp']), '/home/user/wrap/wrap.hpp:3');
    const inSystem = ['mpi PMPI_Recv', 'program get /usr/local/include/mine.h 3', main];
    assert.equal(placeOf(inSystem, ['!/usr/local/include/mine.h']), '/usr/local/include/mine.h:3');
  });

  it('names the function of a library that the program has called, with debug information or without', () => {
    const inner = ['mpi PMPI_Allreduce', 'mpi PMPI_File_write_at_all'];
    assert.equal(placeOf([...inner, 'hdf5 H5FD_write', 'hdf5 H5Dwrite', main]), '/home/user/heat.cpp:27,in H5Dwrite');
    const withLines = ['hdf5 H5FD_write /build/src/H5FD.c 80', 'hdf5 H5Dwrite /build/src/H5Dio.c 12'];
    assert.equal(placeOf([...inner, ...withLines, main]), '/home/user/heat.cpp:27,in H5Dwrite');
    const header = 'program write /usr/include/highfive/H5File.hpp 4';
    assert.equal(placeOf([...inner, ...withLines, header, main]), '/home/user/heat.cpp:27,through write,in H5Dwrite');
    const atExit = ['mpi PMPI_Barrier', 'hdf5 H5_term_library', 'c __run_exit_handlers', 'c exit', main];
    assert.equal(placeOf(atExit), '/home/user/heat.cpp:27,in exit');
  });

  it('is in a callback that a library has called', () => {
    const stack = ['mpi PMPI_Recv', 'program visit /home/user/visit.cpp 5', 'hdf5 H5Literate', main];
    assert.equal(placeOf(stack), '/home/user/visit.cpp:5');
  });

  it('is in a library where nothing else has a line', () => {
    assert.equal(placeOf(['mpi PMPI_Recv', 'program get /usr/include/wrap.hpp 3']), '/usr/include/wrap.hpp:3');
  });
});

describe('the short name of a function', () => {
  it('has no arguments of templates', () => {
    assert.equal(shortName('wrap::get<Particle<int> >(int, double)'), 'wrap::get');
    assert.equal(shortName('wrap::vector<int>::operator<(int) const'), 'wrap::vector<int>::operator<');
    assert.equal(shortName('H5Dwrite'), 'H5Dwrite');
    assert.equal(shortName('_ZNK5boost3mpi12communicator7barrierEv'), 'boost::mpi::communicator::barrier');
  });
});
