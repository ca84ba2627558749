import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { requestErrorOf } from '../../adapter/dap/client/errors';
import { openElf } from '../../adapter/elf/elf-cache';
import { findLinkedLibraries } from '../../adapter/elf/linked-libraries';
import { chooseLauncher, type LauncherChoice } from '../../adapter/launchers/choose-launcher';
import { openWorkshop } from '../support/compile';
import { launchers, allMpis } from '../support/sample-job';

const MPI_PROGRAM =
  '#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); return MPI_Comm_size(MPI_COMM_WORLD, &c); }';
const PROGRAM = 'int MPI_Init(void *, void *); int main(void) { return MPI_Init(0, 0); }';
const FAKE_MPICH =
  'const char MPII_Version_string[] = "9.9.1"; int MPI_Init(void) { return 0; } int PMPI_Init(void) { return 0; }';
const FAKE_OPENMPI = FAKE_MPICH.replace('MPII_V', 'ompi_v').replace('9.9.1', '8.0.0rc1');

describe('the launcher of a program', () => {
  const workshop = openWorkshop();
  const { directory } = workshop;
  after(() => workshop.close());

  const choose = (
    programs: string | string[],
    options: { launcher?: string; env?: NodeJS.ProcessEnv } = {},
  ): LauncherChoice =>
    chooseLauncher({
      ...{ programs: [programs].flat(), cwd: directory, launcher: options.launcher },
      env: { PATH: process.env['PATH'], ...options.env },
    });
  const refuse = (sentence: RegExp, ...[programs, options]: Parameters<typeof choose>): void => {
    assert.throws(
      () => choose(programs, options),
      (error) => sentence.test(requestErrorOf(error)?.message ?? ''),
    );
  };

  const script = (path: string, text: string): string => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
    return path;
  };
  /** PREFIX/lib/NAME, a library that looks like that MPI. */
  const fakeMpi = (prefix: string, source: string, soname = 'libmpi.so.40', ...options: string[]): string => {
    mkdirSync(join(directory, prefix, 'lib'), { recursive: true });
    const all = ['-shared', '-fPIC', `-Wl,-soname,${soname}`, ...options];
    return workshop.compile(join(prefix, 'lib', soname), source, 'gcc', all);
  };
  const linked = (name: string, library: string, ...options: string[]): string =>
    workshop.compile(name, PROGRAM, 'gcc', [library, ...options]);

  const real: Record<string, string> = {};
  before(() => {
    for (const mpi of allMpis) real[mpi] = workshop.compile(`real-${mpi}`, MPI_PROGRAM, `mpicc.${mpi}`);
  });

  for (const [mpi, name, launcher] of [
    ['openmpi', 'Open MPI', 'orterun'],
    ['mpich', 'MPICH', 'mpiexec.hydra'],
  ] as const) {
    it(`is ${launcher} for a program of ${name}`, () => {
      const choice = choose(real[mpi] ?? '');
      assert.equal(basename(realpathSync(choice.launcher)), launcher);
      assert.equal(choice.mpi?.family, mpi);
      assert.match(choice.mpi.description, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`));
      assert.deepEqual(choice.warnings, []);
    });

    it(`may be named, with or without its path, for a program of ${name}`, () => {
      const { command } = launchers[mpi];
      const choice = choose(real[mpi] ?? '', { launcher: command });
      assert.equal(basename(choice.launcher), command);
      assert.deepEqual(choose(real[mpi] ?? '', { launcher: choice.launcher }), choice);
    });
  }

  it('must be of the same MPI; the message names both', () => {
    const { openmpi = '', mpich = '' } = real;
    refuse(
      /real-mpich is linked with MPICH \d.*libmpich.*, but the launcher .*mpirun\.openmpi \(.*orterun\) is one of Open MPI/,
      ...([mpich, { launcher: 'mpirun.openmpi' }] as const),
    );
    refuse(
      /real-openmpi is linked with Open MPI \d.*libmpi.*, but the launcher .*mpiexec\.mpich \(.*hydra\) is one of MPICH/,
      ...([openmpi, { launcher: 'mpiexec.mpich' }] as const),
    );
    refuse(/different MPIs: .*real-openmpi with Open MPI .*, .*real-mpich with MPICH/, [openmpi, mpich]);
  });

  it('may be one that is not known', () => {
    const srun = script(join(directory, 'srun'), '#!/bin/sh\n');
    assert.equal(choose(real['mpich'] ?? '', { launcher: './srun' }).launcher, srun);
  });

  it('is told by what the library is, not by its name, and lies beside the library', () => {
    const library = fakeMpi('same-name', FAKE_MPICH);
    const launcher = script(join(directory, 'same-name/bin/mpiexec'), '#!/bin/sh\nexec mpiexec.hydra "$@"\n');
    const choice = choose(linked('misnamed', library, `-Wl,-rpath,${directory}/same-name/lib`));
    assert.deepEqual(choice.mpi, { family: 'mpich', description: 'MPICH 9.9.1', library });
    assert.equal(choice.launcher, launcher);
    assert.equal(
      choice.reason,
      `${directory}/misnamed is linked with MPICH 9.9.1 (${library}), to which ${launcher} belongs`,
    );
  });

  it('is told by a link that leads to it', () => {
    const library = fakeMpi('alternatives', FAKE_OPENMPI);
    const program = linked('alternative', library, '-Wl,-rpath,$ORIGIN/alternatives/lib');
    mkdirSync(join(directory, 'alternatives/bin'));
    symlinkSync('/etc/alternatives-of-a-test', join(directory, 'alternatives/bin/mpirun'));
    symlinkSync(choose(real['mpich'] ?? '').launcher, join(directory, 'alternatives/bin/mpiexec'));
    assert.equal(choose(program).mpi?.description, 'Open MPI 8.0.0rc1');
    assert.equal(basename(realpathSync(choose(program).launcher)), 'orterun', "another MPI's is passed over");
  });

  it('is found behind a library of the standard ABI', () => {
    const library = fakeMpi('abi', FAKE_OPENMPI);
    const thin = fakeMpi(
      ...(['abi', 'int MPI_Init(void) { return 0; } int PMPI_Init(void) { return 0; }', 'libmpi_abi.so.0'] as const),
      ...['-Wl,--no-as-needed', library, '-Wl,-rpath,$ORIGIN'],
    );
    const program = linked('standard', thin, '-Wl,-rpath,$ORIGIN/abi/lib');
    assert.deepEqual(choose(program).mpi, { family: 'openmpi', description: 'Open MPI 8.0.0rc1', library });
  });

  it('is found for a static program, stripped or not', () => {
    const source = `${FAKE_MPICH} const char text[] = "MPICH Version: "; int main(void) { return text[0] + MPI_Init(); }`;
    for (const options of [['-static'], ['-static', '-s']]) {
      const { mpi, launcher } = choose(workshop.compile('static-mpi', source, 'gcc', options));
      assert.equal(mpi?.family, 'mpich');
      assert.equal(mpi.library, undefined);
      assert.equal(basename(realpathSync(launcher)), 'mpiexec.hydra');
    }
  });

  it('is missing', () => {
    const program = linked('alone', fakeMpi('alone-prefix', FAKE_OPENMPI), '-Wl,-rpath,$ORIGIN/alone-prefix/lib');
    const env = { PATH: join(directory, 'alone-prefix') };
    refuse(/alone is linked with Open MPI 8.*package openmpi-bin/, program, { env });
    refuse(/no launcher mpirun: install the package openmpi-bin/, program, { env, launcher: 'mpirun' });
    refuse(/no launcher mpiexec.hydra: install the package mpich/, program, { env, launcher: 'mpiexec.hydra' });
    refuse(/no launcher \.\/nowhere/, program, { launcher: './nowhere' });
  });

  it('must be named where no MPI is visible', () => {
    const python = script(join(directory, 'simulate.py'), '#!/usr/bin/env python3\nfrom mpi4py import MPI\n');
    const plain = workshop.compile('plain', 'int main(void) { return 0; }');
    refuse(/mpidbg finds no MPI in .*simulate\.py, a script for \/usr\/bin\/env: set "launcher"/, python);
    refuse(/mpidbg finds no MPI in .*plain: set "launcher" to the mpirun or mpiexec of the MPI that it uses$/, plain);
    for (const program of [python, plain]) {
      const { mpi, warnings } = choose(program, { launcher: 'mpirun.openmpi' });
      assert.equal(mpi, undefined);
      assert.equal(warnings.length, 1);
      assert.match(
        warnings[0]?.text ?? '',
        /mpidbg finds no MPI in .*: it is started with .*mpirun\.openmpi as you asked$/,
      );
    }
  });

  it('is not known of an MPI that is not', () => {
    const library = fakeMpi('stranger', 'int MPI_Init(void) { return 0; } int PMPI_Init(void) { return 0; }');
    refuse(
      /linked with an unknown MPI \(.*stranger/,
      linked('strange', library, `-Wl,-rpath,${directory}/stranger/lib`),
    );
  });

  it('cannot be told when a library is nowhere, and LD_LIBRARY_PATH helps', () => {
    const library = fakeMpi('hidden', FAKE_MPICH, 'libhidden-mpi.so.1');
    const program = linked('searching', library);
    refuse(/searching needs libhidden-mpi\.so\.1, which is in none of the library folders; set LD_LIB/, program);
    const env = { LD_LIBRARY_PATH: `/nowhere:${directory}/hidden/lib` };
    assert.equal(choose(program, { env }).mpi?.library, library);
  });

  it('is not looked for where the program cannot be started', () => {
    const image = readFileSync(real['mpich'] ?? '');
    const file = (name: string, bytes: Buffer): string => {
      writeFileSync(join(directory, name), bytes, { mode: 0o755 });
      return join(directory, name);
    };
    refuse(/there is no program .*missing: build it/, join(directory, 'missing'));
    refuse(/there is no program .*real-mpich\/x: build it/, join(directory, 'real-mpich/x'));
    refuse(/is a folder/, directory);
    refuse(/plain\.c is not executable/, join(directory, 'plain.c'));
    refuse(/cannot be started: it is not an ELF file/, file('text', Buffer.from('hello')));
    refuse(/cannot be started: it is not an ELF file/, file('empty', Buffer.alloc(0)));
    refuse(/cannot be started: it is truncated/, file('cut', image.subarray(0, 1000)));
    const object = workshop.compile('object.o', 'int main(void) { return 0; }', 'gcc', ['-c']);
    chmodSync(object, 0o755);
    refuse(/is an object file/, object);
    image.writeUInt16LE(40, 18);
    refuse(/is built for another processor/, file('foreign', image));
    image[4] = 1;
    refuse(/not a 64-bit little-endian/, file('small', image));
  });
});

describe('the libraries of a program', () => {
  const workshop = openWorkshop();
  const { directory } = workshop;
  after(() => workshop.close());

  /** What the dynamic linker itself says, without running the program. */
  const asked = (program: string, env: NodeJS.ProcessEnv = {}): string[] => {
    const lines = execFileSync('ldd', [program], { encoding: 'utf8', env: { PATH: process.env['PATH'], ...env } });
    const paths = [...lines.matchAll(/=> (\/\S+)|^\s+(\/\S+) \(/gm)].map(
      ([, found, absolute]) => found ?? absolute ?? '',
    );
    return paths.map((path) => realpathSync(path)).sort();
  };
  const found = (program: string, libraryPath?: string): string[] => {
    const { found, missing } = findLinkedLibraries(program, openElf(program), { libraryPath, cwd: directory });
    assert.deepEqual(missing, []);
    return found.map(({ path }) => realpathSync(path)).sort();
  };

  for (const mpi of allMpis) {
    it(`are those that ldd finds for a program of ${mpi}`, () => {
      const program = workshop.compile(`real-${mpi}`, MPI_PROGRAM, `mpicc.${mpi}`);
      assert.ok(asked(program).length > 3);
      assert.deepEqual(found(program), asked(program));
    });
  }

  it('are those that ldd finds with DT_RPATH, which is inherited, DT_RUNPATH, which is not, and LD_LIBRARY_PATH', () => {
    for (const folder of ['a', 'b', 'c']) {
      mkdirSync(join(directory, folder));
      workshop.compile(`${folder}/libinner.so`, 'int inner(void) { return 1; }', 'gcc', ['-shared', '-fPIC']);
    }
    const inner = join(directory, 'a/libinner.so');
    const soname = ['-shared', '-fPIC', '-Wl,-soname,libouter.so'];
    const source = 'int inner(void); int outer(void) { return inner(); }';
    const link = (name: string, tags: string, outer: readonly string[]): string => {
      const library = workshop.compile('libouter.so', source, 'gcc', [
        ...soname,
        '-L',
        `${directory}/a`,
        '-linner',
        ...outer,
      ]);
      execFileSync('cp', [library, join(directory, name)]);
      const rpath = ['-Wl,-rpath,$ORIGIN/..:${ORIGIN}/../b', tags, `-Wl,-rpath-link,${directory}/a`];
      mkdirSync(join(directory, `bin-${name}`));
      return workshop.compile(`bin-${name}/app`, 'int outer(void); int main(void) { return outer(); }', 'gcc', [
        library,
        ...rpath,
      ]);
    };
    const old = '-Wl,--disable-new-dtags';
    const both = link('1.so', old, []);
    const own = link('2.so', old, ['-Wl,-rpath,$ORIGIN/c', '-Wl,--enable-new-dtags']);
    const runpath = link('3.so', '-Wl,--enable-new-dtags', []);
    for (const program of [both, own]) {
      assert.deepEqual(found(program), asked(program));
      const path = `${directory}/a`;
      assert.deepEqual(found(program, path), asked(program, { LD_LIBRARY_PATH: path }));
    }
    assert.throws(() => found(runpath), /libinner\.so/);
    const path = `${directory}/nowhere:${inner.replace(/\/[^/]*$/, '')}`;
    assert.deepEqual(found(runpath, path), asked(runpath, { LD_LIBRARY_PATH: path }));
  });
});
