// Builds the samples for every MPI that is installed here, into samples/build/<mpi>/<name>.
//
//     node scripts/build-samples.mjs [--require] [NAME...]
//
// NAME: only these samples (default: all). A sample newer than its sources is left alone. At least one MPI must be
// there; with --require, both, with their Fortran compilers.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onPath, root } from './process.mjs';

const samples = join(root, 'samples');
const flags = ['-g', '-O0', '-Wall', '-Wno-stringop-overread'];
const jobsAtOnce = 2;

/** The compiler wrappers as Debian and Ubuntu name them, and the package that brings each. */
const implementations = [
  {
    name: 'openmpi',
    c: { command: 'mpicc.openmpi', package: 'libopenmpi-dev' },
    cxx: { command: 'mpicxx.openmpi', package: 'libopenmpi-dev and g++' },
    fortran: {
      command: 'mpifort.openmpi',
      package: 'libopenmpi-dev and gfortran',
      args: withPersistentExtension(),
    },
  },
  {
    name: 'mpich',
    c: { command: 'mpicc.mpich', package: 'libmpich-dev' },
    cxx: { command: 'mpicxx.mpich', package: 'libmpich-dev and g++' },
    fortran: { command: 'mpifort.mpich', package: 'libmpich-dev and gfortran' },
  },
];

/**
 * Both MPIs once more where they have the standard ABI of MPI 5, for samples in C: below /usr/lib/ARCHITECTURE, headers
 * and library as Debian names them. Both libraries have the same SONAME, so that the samples need them from a folder of
 * their own.
 */
const standardAbis = [
  { name: 'openmpi-abi', headers: 'openmpi/include/standard_abi', library: 'openmpi', flags: ['-DOPEN_MPI'] },
  { name: 'mpich-abi', headers: 'mpi_abi_mpich/include', library: 'mpich', flags: [] },
];

/** Those that are here, as the implementations above. */
function findStandardAbis() {
  return standardAbis.flatMap(({ name, headers, library, flags }) => {
    const include = findInLibraries(headers);
    const shared = findInLibraries(`libmpi_abi_${library}.so.1.0.0`);
    if (include === undefined || shared === undefined) return [];
    const directory = join(samples, 'build', name);
    mkdirSync(directory, { recursive: true });
    const link = join(directory, 'libmpi_abi.so.1');
    rmSync(link, { force: true });
    symlinkSync(shared, link);
    const args = ['-DSTANDARD_ABI', ...flags, '-I', include, link, '-Wl,-rpath,$ORIGIN'];
    return [{ name, c: { command: 'gcc', package: 'gcc', args } }];
  });
}

/** The path below a folder of /usr/lib; undefined when it is in none. */
function findInLibraries(path) {
  return readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, path))
    .find(existsSync);
}

const languages = { '.c': 'c', '.cpp': 'cxx', '.f90': 'fortran' };
const support = ['truth-fortran.c', 'truth.f90'];

/** What is built otherwise than by `compiler source -o name`. mpis: only under these (default: all). */
const variants = [
  // MPICH inside the executable; Debian ships no static Open MPI.
  { name: 'communicators-static', source: 'communicators.c', mpis: ['mpich'], options: withMpichInside() },
  { name: 'topologies-static', source: 'topologies.c', mpis: ['mpich'], options: withMpichInside() },
  { name: 'topologies-stripped', source: 'topologies.c', mpis: ['mpich'], options: [...withMpichInside(), '-s'] },
  // MPICH 4.0.2 of Debian 12 refuses to spawn.
  { name: 'spawn', source: 'spawn.c', mpis: ['openmpi'], options: [] },
  // Open MPI 4 is of MPI 3, which has no sessions.
  { name: 'sessions', source: 'sessions.c', mpis: ['mpich'], options: [] },
  { name: 'two-models', source: 'two-models.c', mpis: ['mpich'], options: [] },
  { name: 'two-models-mpi', source: 'two-models-mpi.f90', mpis: ['mpich'], options: constantsOptions() },
  { name: 'two-models-f08', source: 'two-models-mpi.f90', mpis: ['mpich'], options: constantsOptions('-DF08') },
  // MPI 3 has no C++ bindings; libraries kept them for long.
  { name: 'cxx-objects', source: 'cxx-objects.cpp', mpis: withCxxBindings(), options: ['-Wno-cast-function-type'] },
  // The program itself does not need the wrapper's MPI library, which is dropped; what the program loads does.
  { name: 'dlopened', source: 'dlopened.c', options: ['-Wl,--as-needed', '-ldl'] },
  // Wrappers take buffers of any type, which gfortran would refuse where it sees the whole program.
  { name: 'constants', source: 'constants.f90', options: constantsOptions() },
  { name: 'constants-mpif', source: 'constants.f90', options: constantsOptions('-DMPIF') },
  { name: 'constants-f08', source: 'constants.f90', options: constantsOptions('-DF08') },
  { name: 'positions-mpi', source: 'positions-mpi.f90', options: ['-cpp'] },
  { name: 'positions-f08', source: 'positions-mpi.f90', options: ['-cpp', '-DF08'] },
  { name: 'told-calls-mpif', source: 'told-calls-mpi.f90', options: constantsOptions('-DMPIF') },
  { name: 'told-calls-mpi', source: 'told-calls-mpi.f90', options: constantsOptions() },
  { name: 'told-calls-f08', source: 'told-calls-mpi.f90', options: constantsOptions('-DF08') },
  { name: 'ompt-double', source: 'ompt-double.c', options: [...withOmptHeader(), '-ldl'] },
  { name: 'nans', source: 'nans.c', options: ['-pthread', '-lm', '-fno-builtin-log'] },
  { name: 'openmp', source: 'openmp.c', options: ['-fopenmp'] },
  { name: 'locked', source: 'locked.c', options: ['-fopenmp'] },
  { name: 'callbacks', source: 'callbacks.cpp', options: ['-fopenmp'] },
  { name: 'histories-mpif', source: 'histories-mpi.f90', options: constantsOptions('-DMPIF') },
  { name: 'histories-mpi', source: 'histories-mpi.f90', options: constantsOptions() },
  { name: 'histories-f08', source: 'histories-mpi.f90', options: constantsOptions('-DF08') },
  { name: 'dlopened-part.so', source: 'dlopened-part.c', options: ['-shared', '-fPIC'] },
];

/** Open MPI 4 has persistent collectives as an extension, under other names than MPI 4. */
function withPersistentExtension() {
  const header = findInLibraries('openmpi/include/mpif-ext.h');
  const isThere = header !== undefined && readFileSync(header, 'utf8').includes('pcollreq');
  return isThere ? ['-DPERSISTENT_IS_EXTENSION'] : [];
}

/** The header of OMPT, which Debian's libomp-dev has among clang's: these are not to come before those of gcc. */
function withOmptHeader() {
  const folders = readdirSync('/usr/lib').filter((name) => name.startsWith('llvm-'));
  const clangs = folders.map((name) => join('/usr/lib', name, 'lib', 'clang')).filter(existsSync);
  const found = clangs
    .flatMap((clang) => readdirSync(clang).map((version) => join(clang, version, 'include')))
    .find((folder) => existsSync(join(folder, 'omp-tools.h')));
  return found === undefined ? [] : ['-idirafter', found];
}

function constantsOptions(...definitions) {
  return ['-cpp', '-fallow-argument-mismatch', '-w', ...definitions];
}

/** MPIs whose headers declare them. */
function withCxxBindings() {
  const headers = { openmpi: 'openmpi/include/openmpi/ompi/mpi/cxx/mpicxx.h', mpich: 'mpich/mpicxx.h' };
  const folders = ['/usr/lib', '/usr/include'].flatMap((top) => readdirSync(top).map((folder) => join(top, folder)));
  return Object.keys(headers).filter((mpi) => folders.some((folder) => existsSync(join(folder, headers[mpi]))));
}

function withMpichInside() {
  return ['-Wl,-Bstatic', '-lmpich', '-Wl,-Bdynamic', ...neededByMpich()];
}

/** The libraries behind a static libmpich, which differ from release to release. */
function neededByMpich() {
  const description = findInLibraries('pkgconfig/mpich.pc');
  if (description === undefined) return [];
  const [, libraries = ''] = /^Libs:(.*)$/m.exec(readFileSync(description, 'utf8')) ?? [];
  return libraries.split(/\s+/).filter((word) => /^-l(?!mpich)/.test(word));
}

/** communicators.c and communicators.f90 become two programs: a Fortran one whose name is taken by C gets "-f90". */
function findPrograms() {
  const twoMpis = implementations.map(({ name }) => name);
  const all = [...twoMpis, ...standardAbis.map(({ name }) => name)];
  const sources = readdirSync(samples).filter((file) => extension(file) in languages && !support.includes(file));
  // A source that is built in a special way only is not built as an ordinary program too.
  const isVariant = (source) => variants.some(({ name }) => name.replace('.so', '') + extension(source) === source);
  const ordinary = sources
    .filter((source) => !isVariant(source))
    .map((source) => {
      const base = source.slice(0, -extension(source).length);
      const isTaken = languages[extension(source)] === 'fortran' && sources.includes(`${base}.c`);
      return { source, name: isTaken ? `${base}-f90` : base, mpis: all };
    });
  return [...ordinary, ...variants].map((program) => ({
    mpis: twoMpis,
    options: [],
    ...program,
    language: languages[extension(program.source)],
  }));
}

function extension(file) {
  return file.slice(file.lastIndexOf('.'));
}

function isUpToDate(target, sources) {
  return existsSync(target) && sources.every((source) => statSync(target).mtimeMs >= statSync(source).mtimeMs);
}

/**
 * If a compiler fails, the user sees its messages. Two builds at a time do not collide: a target is complete or
 * absent.
 */
async function compile(command, args, target) {
  const unfinished = `${target}.${process.pid}`;
  const all = [...flags, ...args, '-o', unfinished];
  try {
    await promisify(execFile)(command, all, { cwd: samples });
    renameSync(unfinished, target);
  } catch (error) {
    throw new Error(`${command} ${all.join(' ')}\n${error.stderr || error.message}`, { cause: error });
  }
}

/** By language: what its samples are compiled and linked with, so that they print their truth through code in C. */
async function buildTruth(mpi, directory, compilers) {
  const modules = join(directory, 'modules');
  mkdirSync(modules, { recursive: true });
  const sources = readdirSync(samples).filter((file) => file.startsWith('truth'));
  const build = async (file, command, args) => {
    const object = join(modules, file.replace(/\.\w+$/, '.o'));
    const inputs = sources.map((source) => join(samples, source));
    if (!isUpToDate(object, inputs)) await compile(command, [...args, '-c', file], object);
    return object;
  };
  const truth = {};
  if (!compilers.has('cxx') && !compilers.has('fortran')) return truth;
  const objects = [await build('truth-fortran.c', mpi.c.command, [])];
  truth.cxx = { args: objects, objects };
  if (!compilers.has('fortran')) return truth;
  const all = [...objects, await build('truth.f90', mpi.fortran.command, ['-J', modules])];
  truth.fortran = { args: ['-J', modules, ...all], objects: all };
  return truth;
}

async function buildProgram(mpi, directory, program, truth) {
  const target = join(directory, program.name);
  const inputs = [
    join(samples, program.source),
    ...readdirSync(samples)
      .filter((file) => file.endsWith('.h'))
      .map((file) => join(samples, file)),
    import.meta.filename,
    ...(truth?.objects ?? []),
  ];
  if (isUpToDate(target, inputs)) return false;
  const { command, args = [] } = mpi[program.language];
  await compile(command, [program.source, ...args, ...(truth?.args ?? []), ...program.options], target);
  return true;
}

/** Runs the tasks, a few at a time; stops at the first failure. */
async function runAll(tasks) {
  const waiting = [...tasks];
  const worker = async () => {
    for (let task = waiting.shift(); task; task = waiting.shift()) await task();
  };
  await Promise.all(Array.from({ length: jobsAtOnce }, worker));
}

async function main(args) {
  const isRequired = args.includes('--require');
  const names = args.filter((argument) => argument !== '--require');
  const programs = findPrograms();
  const unknown = names.filter((name) => !programs.some((program) => program.name === name));
  if (unknown.length > 0)
    throw new Error(
      `no sample is named ${unknown.join(', ')}; there are ${programs.map((program) => program.name).join(', ')}`,
    );

  const wanted = programs.filter((program) => names.length === 0 || names.includes(program.name));
  const missing = [];
  const tasks = [];
  let built = 0;
  for (const mpi of [...implementations, ...findStandardAbis()]) {
    const directory = join(samples, 'build', mpi.name);
    const compilers = new Set(wanted.map((program) => program.language).filter((language) => language in mpi));
    for (const language of compilers) {
      const { command, package: needed } = mpi[language];
      if (onPath(command)) continue;
      missing.push(`${command} is missing: install ${needed}`);
      compilers.delete(language);
    }
    mkdirSync(directory, { recursive: true });
    const truth = await buildTruth(mpi, directory, compilers);
    for (const program of wanted) {
      if (!compilers.has(program.language) || !program.mpis.includes(mpi.name)) continue;
      tasks.push(async () => {
        if (await buildProgram(mpi, directory, program, truth[program.language])) built++;
      });
    }
  }
  if (missing.length > 0 && (isRequired || tasks.length === 0)) throw new Error(missing.join('\n'));
  await runAll(tasks);
  for (const line of missing) console.error(`${line} (its samples were left out)`);
  console.log(`samples: ${built} built, ${tasks.length - built} up to date`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
