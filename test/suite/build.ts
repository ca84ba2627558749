/** Builds programs of the suite, and the library that goes before them, with one MPI; in a cache outside the checkout. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Mpi } from '../support/sample-job';
import { cacheFolder } from './cache-folder';
import type { SuiteProgram } from './programs';
import { readFunctions, writeWrappers } from './wrappers';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');

/** What the suite's configure would find, as far as its programs in C ask. */
const configuration = [
  ...['STRING_H', 'STRINGS_H', 'UNISTD_H', 'STDLIB_H', 'STDINT_H', 'STDARG_H', 'MEMORY_H', 'PTHREAD_H'],
  ...['SYS_TIME_H', 'SYS_RESOURCE_H', 'GETRUSAGE', 'LONG_DOUBLE', 'LONG_LONG', 'LONG_LONG_INT', '_BOOL'],
  ...['FLOAT__COMPLEX', 'DOUBLE__COMPLEX', 'LONG_DOUBLE__COMPLEX', 'MPI_WIN_CREATE', 'MPI_TYPE_CREATE_STRUCT'],
  ...['MPI_INIT_THREAD', 'MPI2_COMBINERS', 'MPI_IO', 'MPI_INTEGER16', 'PTHREAD_BARRIER_INIT'],
];

/** Calls that MPI 3 removed and Open MPI does not declare. */
const removed = { hvector: 'create_hvector', hindexed: 'create_hindexed', struct: 'create_struct' };

export class SuiteBuild {
  private constructor(
    private readonly suite: string,
    private readonly compiler: string,
    private readonly folder: string,
    private readonly flags: string[],
    private readonly objects: { single: string[]; threaded: string[] },
    /** To be loaded before the MPI library. */
    readonly library: string,
  ) {}

  /** `suite`: the folder test/mpi. Throws what the compiler says. */
  static async prepare(mpi: Mpi, suite: string): Promise<SuiteBuild> {
    const compiler = `mpicc.${mpi}`;
    const { stdout: declarations } = await preprocessMpiHeader(compiler);
    const key = createHash('sha256').update(declarations).update(suite).digest('hex').slice(0, 12);
    const folder = join(cacheFolder(), `${mpi}-${key}`);
    const include = join(folder, 'include');
    mkdirSync(include, { recursive: true });
    const macros = configuration.map((name) => `#define HAVE_${name} 1\n`).join('');
    writeIfOther(join(include, 'mpitestconf.h'), `${macros}#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX\n`);
    writeIfOther(join(include, 'mtest_mpix.h'), '');
    writeIfOther(join(folder, 'dtpoolsconf.h'), '');
    const flags = ['-g', '-O0', '-w', '-no-pie', '-I', include];
    for (const part of ['include', 'dtpools/include']) flags.push('-I', join(suite, part));
    if (mpi === 'openmpi') flags.push('-DOMPI_OMIT_MPI1_COMPAT_DECLS=1');
    if (mpi === 'openmpi')
      for (const [old, now] of Object.entries(removed)) flags.push(`-DMPI_Type_${old}=MPI_Type_${now}`);
    const object = async (source: string): Promise<string> => {
      const target = join(folder, basename(source).replace(/\.c$/, '.o'));
      await compile(compiler, [...flags, '-DDTP_MPI_DATATYPE=MPI_INT', '-c', source], target, [source]);
      return target;
    };
    const pools = readdirSync(join(suite, 'dtpools/src')).filter((file) => file.endsWith('.c'));
    const shared = ['mtest.c', 'mtest_common.c', 'dtypes.c'].map((file) => join(suite, 'util', file));
    const sources = [...shared, ...pools.map((file) => join(suite, 'dtpools/src', file))];
    const everywhere = await Promise.all(sources.map(object));
    const single = [await object(join(suite, 'util/mtest_single.c')), ...everywhere];
    const threaded = [await object(join(suite, 'util/mtest_thread.c')), ...everywhere];
    const library = await buildLibrary(compiler, folder, declarations);
    return new SuiteBuild(suite, compiler, folder, flags, { single, threaded }, library);
  }

  /** The path of the program. Throws what the compiler says. */
  async program(program: SuiteProgram): Promise<string> {
    const { folder, target, definitions, isThreaded } = program;
    mkdirSync(join(this.folder, folder), { recursive: true });
    const sources = program.sources.map((source) => join(this.suite, source));
    const objects = isThreaded ? this.objects.threaded : this.objects.single;
    const own = [
      ...definitions,
      ...(isThreaded ? ['-DMTEST_USE_THREAD', '-pthread'] : []),
      '-I',
      join(this.suite, folder),
    ];
    const path = join(this.folder, folder, target);
    await compile(this.compiler, [...this.flags, ...own, ...sources, ...objects, '-lm', '-lpthread'], path, sources);
    return path;
  }
}

async function preprocessMpiHeader(compiler: string): Promise<{ stdout: string }> {
  const header = join(__dirname, 'preload', 'mpi-header.c');
  return run(compiler, ['-E', '-P', header], { maxBuffer: 64 * 1024 * 1024 });
}

async function buildLibrary(compiler: string, folder: string, declarations: string): Promise<string> {
  const source = join(folder, 'wrappers.c');
  const library = join(folder, 'libsuite.so');
  const preload = join(__dirname, 'preload');
  const headers = [preload, join(root, 'samples')].flatMap((path) =>
    readdirSync(path).flatMap((file) => (file.endsWith('.h') ? [join(path, file)] : [])),
  );
  writeIfOther(source, writeWrappers(readFunctions(declarations)));
  await compile(compiler, ['-g', '-O1', '-w', '-shared', '-fPIC', '-I', preload, source], library, [
    source,
    ...headers,
  ]);
  return library;
}

function writeIfOther(path: string, text: string): void {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

async function compile(compiler: string, args: string[], target: string, sources: string[]): Promise<void> {
  const time = existsSync(target) ? statSync(target).mtimeMs : 0;
  if (sources.every((source) => statSync(source).mtimeMs <= time)) return;
  const unfinished = `${target}.${process.pid}`;
  try {
    await run(compiler, [...args, '-o', unfinished], { maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error((stderr ?? (error as Error).message).split('\n').slice(0, 8).join('\n'), { cause: error });
  }
  renameSync(unfinished, target);
}
