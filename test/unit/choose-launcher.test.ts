import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { requestErrorOf } from '../../adapter/dap/client/error-translation';
import { openElf } from '../../adapter/elf/elf-cache';
import { findLinkedLibraries } from '../../adapter/elf/linked-libraries';
import { openHere } from '../../adapter/hosts/local-host';
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
  ): Promise<LauncherChoice> =>
    chooseLauncher({
      ...{ programs: [programs].flat(), cwd: directory, launcher: options.launcher },
      env: { PATH: process.env['PATH'], ...options.env },
    });
  const refuse = (sentence: RegExp, ...asked: Parameters<typeof choose>): Promise<void> =>
    assert.rejects(choose(...asked), (error) => sentence.test(requestErrorOf(error)?.message ?? ''));

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
    it(`is ${launcher} for a program of ${name}`, async () => {
      const choice = await choose(real[mpi] ?? '');
      assert.equal(basename(realpathSync(choice.launcher)), launcher);
      assert.equal(choice.mpi?.name, mpi);
      assert.match(choice.mpi.description, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`));
      assert.deepEqual(choice.warnings, []);
    });

    it(`may be named, with or without its path, for a program of ${name}`, async () => {
      const { command } = launchers[mpi];
      const choice = await choose(real[mpi] ?? '', { launcher: command });
      assert.equal(basename(choice.launcher), command);
      assert.deepEqual(await choose(real[mpi] ?? '', { launcher: choice.launcher }), choice);
    });
  }

  it('must be of the same MPI; the message names both', async () => {
    const { openmpi = '', mpich = '' } = real;
    await refuse(
      /real-mpich is linked with MPICH \d.*libmpich.*, but the launcher .*mpirun\.openmpi \(.*orterun\) is one of Open MPI/,
      ...([mpich, { launcher: 'mpirun.openmpi' }] as const),
    );
    await refuse(
      /real-openmpi is linked with Open MPI \d.*libmpi.*, but the launcher .*mpiexec\.mpich \(.*hydra\) is one of MPICH/,
      ...([openmpi, { launcher: 'mpiexec.mpich' }] as const),
    );
    await refuse(/different MPIs: .*real-openmpi with Open MPI .*, .*real-mpich with MPICH/, [openmpi, mpich]);
  });

  it('may be one that is not known', async () => {
    const srun = script(join(directory, 'srun'), '#!/bin/sh\n');
    assert.equal((await choose(real['mpich'] ?? '', { launcher: './srun' })).launcher, srun);
  });

  it('is told by what the library is, not by its name, and lies beside the library', async () => {
    const library = fakeMpi('same-name', FAKE_MPICH);
    const launcher = script(join(directory, 'same-name/bin/mpiexec'), '#!/bin/sh\nexec mpiexec.hydra "$@"\n');
    const choice = await choose(linked('misnamed', library, `-Wl,-rpath,${directory}/same-name/lib`));
    assert.deepEqual(choice.mpi, { name: 'mpich', description: 'MPICH 9.9.1', library });
    assert.equal(choice.launcher, launcher);
    assert.equal(
      choice.reason,
      `${directory}/misnamed is linked with MPICH 9.9.1 (${library}), to which ${launcher} belongs`,
    );
  });

  it('is told by a link that leads to it', async () => {
    const library = fakeMpi('alternatives', FAKE_OPENMPI);
    const program = linked('alternative', library, '-Wl,-rpath,$ORIGIN/alternatives/lib');
    mkdirSync(join(directory, 'alternatives/bin'));
    symlinkSync('/etc/alternatives-of-a-test', join(directory, 'alternatives/bin/mpirun'));
    symlinkSync((await choose(real['mpich'] ?? '')).launcher, join(directory, 'alternatives/bin/mpiexec'));
    assert.equal((await choose(program)).mpi?.description, 'Open MPI 8.0.0rc1');
    assert.equal(basename(realpathSync((await choose(program)).launcher)), 'orterun', "another MPI's is passed over");
  });

  it('is found behind a library of the standard ABI', async () => {
    const library = fakeMpi('abi', FAKE_OPENMPI);
    const thin = fakeMpi(
      ...(['abi', 'int MPI_Init(void) { return 0; } int PMPI_Init(void) { return 0; }', 'libmpi_abi.so.0'] as const),
      ...['-Wl,--no-as-needed', library, '-Wl,-rpath,$ORIGIN'],
    );
    const program = linked('standard', thin, '-Wl,-rpath,$ORIGIN/abi/lib');
    assert.deepEqual((await choose(program)).mpi, { name: 'openmpi', description: 'Open MPI 8.0.0rc1', library });
  });

  it('is found for a static program, stripped or not', async () => {
    const source = `${FAKE_MPICH} const char text[] = "MPICH Version: "; int main(void) { return text[0] + MPI_Init(); }`;
    for (const options of [['-static'], ['-static', '-s']]) {
      const { mpi, launcher } = await choose(workshop.compile('static-mpi', source, 'gcc', options));
      assert.equal(mpi?.name, 'mpich');
      assert.equal(mpi.library, undefined);
      assert.equal(basename(realpathSync(launcher)), 'mpiexec.hydra');
    }
  });

  it('is missing', async () => {
    const program = linked('alone', fakeMpi('alone-prefix', FAKE_OPENMPI), '-Wl,-rpath,$ORIGIN/alone-prefix/lib');
    const env = { PATH: join(directory, 'alone-prefix') };
    await refuse(/alone is linked with Open MPI 8.*package openmpi-bin/, program, { env });
    await refuse(/no launcher mpirun: install the package openmpi-bin/, program, { env, launcher: 'mpirun' });
    await refuse(/no launcher mpiexec.hydra: install the package mpich/, program, { env, launcher: 'mpiexec.hydra' });
    await refuse(/no launcher \.\/nowhere/, program, { launcher: './nowhere' });
  });

  it('must be named where no MPI is visible', async () => {
    const python = script(join(directory, 'simulate.py'), '#!/usr/bin/env python3\nfrom mpi4py import MPI\n');
    const plain = workshop.compile('plain', 'int main(void) { return 0; }');
    await refuse(/mpidbg finds no MPI in .*simulate\.py, a script for \/usr\/bin\/env: set "launcher"/, python);
    await refuse(
      /mpidbg finds no MPI in .*plain: set "launcher" to the mpirun or mpiexec of the MPI that it uses$/,
      plain,
    );
    for (const program of [python, plain]) {
      const { mpi, warnings } = await choose(program, { launcher: 'mpirun.openmpi' });
      assert.equal(mpi, undefined);
      assert.equal(warnings.length, 1);
      assert.match(
        warnings[0]?.text ?? '',
        /mpidbg finds no MPI in .*: it is started with .*mpirun\.openmpi as you asked$/,
      );
    }
  });

  it('is not known of an MPI that is not', async () => {
    const library = fakeMpi('stranger', 'int MPI_Init(void) { return 0; } int PMPI_Init(void) { return 0; }');
    await refuse(
      /linked with an unknown MPI \(.*stranger/,
      linked('strange', library, `-Wl,-rpath,${directory}/stranger/lib`),
    );
  });

  it('cannot be told when a library is nowhere, and LD_LIBRARY_PATH helps', async () => {
    const library = fakeMpi('hidden', FAKE_MPICH, 'libhidden-mpi.so.1');
    const program = linked('searching', library);
    await refuse(/searching needs libhidden-mpi\.so\.1, which is in none of the library folders; set LD_LIB/, program);
    const env = { LD_LIBRARY_PATH: `/nowhere:${directory}/hidden/lib` };
    assert.equal((await choose(program, { env })).mpi?.library, library);
  });

  it('is not looked for where the program cannot be started', async () => {
    const image = readFileSync(real['mpich'] ?? '');
    const file = (name: string, bytes: Buffer): string => {
      writeFileSync(join(directory, name), bytes, { mode: 0o755 });
      return join(directory, name);
    };
    await refuse(/there is no program .*missing: build it/, join(directory, 'missing'));
    await refuse(/there is no program .*real-mpich\/x: build it/, join(directory, 'real-mpich/x'));
    await refuse(/is a folder/, directory);
    await refuse(/plain\.c is not executable/, join(directory, 'plain.c'));
    await refuse(/cannot be started: it is not an ELF file/, file('text', Buffer.from('hello')));
    await refuse(/cannot be started: it is not an ELF file/, file('empty', Buffer.alloc(0)));
    await refuse(/cannot be started: it is truncated/, file('cut', image.subarray(0, 1000)));
    const object = workshop.compile('object.o', 'int main(void) { return 0; }', 'gcc', ['-c']);
    chmodSync(object, 0o755);
    await refuse(/is an object file/, object);
    image.writeUInt16LE(40, 18);
    await refuse(/is built for another processor/, file('foreign', image));
    image[4] = 1;
    await refuse(/not a 64-bit little-endian/, file('small', image));
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
  const found = async (program: string, libraryPath?: string): Promise<string[]> => {
    const settings = { open: openHere, libraryPath, cwd: directory };
    const { found, missing } = await findLinkedLibraries(program, openElf(program), settings);
    assert.deepEqual(missing, []);
    return found.map(({ path }) => realpathSync(path)).sort();
  };

  for (const mpi of allMpis) {
    it(`are those that ldd finds for a program of ${mpi}`, async () => {
      const program = workshop.compile(`real-${mpi}`, MPI_PROGRAM, `mpicc.${mpi}`);
      assert.ok(asked(program).length > 3);
      assert.deepEqual(await found(program), asked(program));
    });
  }

  it('are those that ldd finds with DT_RPATH, which is inherited, DT_RUNPATH, which is not, and LD_LIBRARY_PATH', async () => {
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
      assert.deepEqual(await found(program), asked(program));
      const path = `${directory}/a`;
      assert.deepEqual(await found(program, path), asked(program, { LD_LIBRARY_PATH: path }));
    }
    await assert.rejects(found(runpath), /libinner\.so/);
    const path = `${directory}/nowhere:${inner.replace(/\/[^/]*$/, '')}`;
    assert.deepEqual(await found(runpath, path), asked(runpath, { LD_LIBRARY_PATH: path }));
  });
});
