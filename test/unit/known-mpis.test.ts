/** The adapter recognises an MPI only by the facts of its plugin: tested with an invented MPI. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import type { MpiPlugin } from '../../plugin-api/mpi/plugin';
import type { Frame } from '../../adapter/stacks/frame';
import { requestErrorOf } from '../../adapter/dap/client/error-translation';
import { Hub } from '../../adapter/agent/hub';
import { isForeignLibrary, isSystemLibrary, isUserCode } from '../../adapter/expressions/frames';
import { HandleTypes } from '../../adapter/expressions/handle-types';
import { chooseLauncher } from '../../adapter/launchers/choose-launcher';
import { findLauncher, forwardOptions, launcherEnvironment, launcherOptions } from '../../adapter/launchers/launcher';
import { rankOf } from '../../adapter/launchers/rank-of-environment';
import { RankOutput, type TaggedText } from '../../adapter/launchers/rank-output';
import { endingOf } from '../../adapter/query/list-handles';
import { openWorkshop } from '../support/compile';

const foompi: MpiPlugin = {
  name: 'foompi',
  title: 'Foo MPI',
  libraries: /\/libfoompi(_\w+)?\.so|\/foompi\/foo_\w+\.so/,
  objectLibraries: /\/libfoompi\.so/,
  below: [{ title: 'Foo transport', libraries: /\/libfoonet\.so/ }],
  messageFiles: /^\/dev\/shm\/foo-/,
  programMarks: {
    versionSymbols: ['foompi_version'],
    texts: [{ title: 'Foo MPI', text: 'Foo MPI says hello' }],
  },
  launchers: [
    {
      names: ['foorun'],
      daemons: ['food'],
      package: 'foompi-bin',
      file: /^foorun/,
      texts: ['FOO_LAUNCHER'],
      version: /Foo MPI/,
      rootEnvironment: { FOO_AS_ROOT: 'yes' },
      options: ({ ranks }) => ['--label', `--of=${ranks}`],
      forward: (names) => names.map((name) => `--keep=${name}`),
      outputTag: { markOrEnd: /\n|<foo (\d+)>/g, beginning: /<(f|fo|foo|foo \d*)?$/ },
    },
  ],
  environment: { rank: ['FOO_RANK'], size: ['FOO_SIZE'], world: ['FOO_JOB'], host: ['FOO_HOST'], prefixes: ['FOO_'] },
  handleStructs: { foo_communicator: 'comm' },
  finalizers: /^foo_end$/,
  open: () => Promise.resolve(undefined),
};

const library =
  'const char foompi_version[] = "7.1.2"; int MPI_Init(void) { return 0; } int PMPI_Init(void) { return 0; }';
const program = 'int MPI_Init(void *, void *); int main(void) { return MPI_Init(0, 0); }';

describe("a third party's MPI", () => {
  const workshop = openWorkshop();
  const { directory } = workshop;
  after(() => workshop.close());
  const { known } = new PluginRegistry([foompi]);

  const executable = (name: string, text: string): string => {
    const path = join(directory, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
    return path;
  };
  const frame = (name: string, level = 0): Frame => ({
    ...{ kind: 'native', level, function: name, address: 0x1000n, line: 7 },
    ...{ file: undefined, fullName: undefined, from: undefined },
  });

  let linked: string;
  let launcher: string;
  before(() => {
    mkdirSync(join(directory, 'foo/lib'), { recursive: true });
    const options = ['-shared', '-fPIC', '-Wl,-soname,libfoompi.so.3'];
    const path = workshop.compile('foo/lib/libfoompi.so.3', library, 'gcc', options);
    linked = workshop.compile('with-foo', program, 'gcc', [path, '-Wl,-rpath,$ORIGIN/foo/lib']);
    launcher = executable('foo/bin/foorun', '#!/bin/sh\nexit 1\n');
  });

  it('is recognised in its programs, with its launcher', async () => {
    const choice = await chooseLauncher({
      programs: [linked],
      launcher: undefined,
      cwd: directory,
      env: {},
      mpis: known,
    });
    const { name, description } = choice.mpi ?? {};
    assert.deepEqual([name, description, choice.launcher], ['foompi', 'Foo MPI 7.1.2', launcher]);
    await assert.rejects(
      chooseLauncher({ programs: [linked], launcher: undefined, cwd: directory, env: {} }),
      /linked with an unknown MPI/,
      'by nothing else',
    );
  });

  it('is recognised in static programs', async () => {
    const text = `${library} const char text[] = "Foo MPI says hello"; int main(void) { return text[MPI_Init()]; }`;
    const path = workshop.compile('static-foo', text, 'gcc', ['-static', '-s']);
    const env = { PATH: join(directory, 'foo/bin') };
    const choice = await chooseLauncher({ programs: [path], launcher: undefined, cwd: directory, env, mpis: known });
    assert.deepEqual([choice.mpi?.description, choice.launcher], ['Foo MPI', launcher]);
  });

  it('is named with its launcher if that is missing or belongs to another MPI', async () => {
    const request = { programs: [linked], cwd: directory, env: { PATH: '' }, mpis: known };
    const refused = (launcher: string, says: RegExp): Promise<void> =>
      assert.rejects(chooseLauncher({ ...request, launcher }), (error) =>
        says.test(requestErrorOf(error)?.message ?? ''),
      );
    await refused('foorun', /install the package foompi-bin/);
    const hydra = executable('other/mpiexec', '#!/bin/sh\n# HYDRA_\n');
    await refused(hydra, /but the launcher .*mpiexec is one of MPICH: leave "launcher" out, or name that of Foo MPI/);
  });

  for (const [how, name, text] of [
    ['its name', 'foorun', '#!/bin/sh\n'],
    ['its content', 'wrapper', '#!/bin/sh\n# FOO_LAUNCHER\n'],
    ['its output', 'silent', '#!/bin/sh\necho "this is Foo" MPI\n'],
  ] as const) {
    it(`has a launcher that is recognised by ${how} and gets its options`, async () => {
      const path = executable(`by-${name}/${name}`, text);
      const found = await findLauncher(path, directory, { PATH: '/usr/bin:/bin' }, known);
      assert.equal(found.facts, foompi.launchers?.[0]);
      const options = [
        ...(await launcherOptions(found, { ranks: 3, userArgs: [] })),
        ...forwardOptions(found, ['A', 'B']),
      ];
      assert.deepEqual(options, ['--label', '--of=3', '--keep=A', '--keep=B']);
      assert.deepEqual(launcherEnvironment(found), process.getuid?.() === 0 ? { FOO_AS_ROOT: 'yes' } : {});
      assert.equal((await findLauncher(path, directory, { PATH: '' }, shippedMpis)).facts, undefined);
    });
  }

  it("has its launcher's marks removed from the output", () => {
    const lines: TaggedText[] = [];
    const output = new RankOutput(foompi.launchers?.[0]?.outputTag, (line) => lines.push(line));
    output.add('<foo 2>hel');
    output.add('lo<fo');
    output.add('o 1>x\n');
    output.flush();
    assert.deepEqual(lines, [
      { rank: 1, text: 'x\n' },
      { rank: 2, text: 'hello' },
    ]);
  });

  it('tells its ranks their number in the environment', async () => {
    const environment = new Map([
      ['FOO_RANK', '3'],
      ['FOO_SIZE', '8'],
      ['FOO_JOB', 'tuesday'],
      ['PMI_RANK', '0'],
    ]);
    assert.deepEqual(rankOf(environment, known), { number: 3, worldSize: 8, world: 'tuesday' });
    assert.equal(rankOf(environment, shippedMpis).number, 0);
    assert.equal(known.variables('host')[0], 'FOO_HOST');
    const hub = await Hub.listen(known);
    try {
      const { MPIDBG_NAMES: names } = hub.environment;
      assert.match(names, /^FOO_RANK,OMPI_COMM_WORLD_RANK,.*:FOO_SIZE,OMPI_COMM_WORLD_SIZE,/, 'what agents look for');
    } finally {
      hub.close();
    }
  });

  it('has processes that are not ranks', () => {
    assert.ok(known.startsRanks('foorun'));
    assert.ok(known.startsRanks('food'));
    assert.ok(!shippedMpis.startsRanks('food'));
    assert.ok(!known.startsRanks('foot'));
  });

  it('owns threads and libraries, which do not count as the program’s', () => {
    for (const [path, owner] of [
      ['/opt/foo/lib/libfoompi.so.3', 'Foo MPI'],
      ['/opt/foo/lib/libfoompi_fortran.so.3', 'Foo MPI'],
      ['/opt/foo/lib/foompi/foo_ring.so', 'Foo MPI'],
      ['/opt/foo/lib/libfoonet.so.1', 'Foo transport'],
      ['/home/me/libfoo.so', undefined],
    ] as const) {
      assert.equal(known.ownerOf(path), owner, path);
      assert.equal(isSystemLibrary(path, known), owner !== undefined, path);
      assert.equal(isSystemLibrary(path, shippedMpis), false, path);
      const segments = [{ address: 0x1000n, size: 16, fileSize: 16, writable: false, executable: true }];
      const code = { modules: [{ path, isExecutable: false, segments }], mpis: known };
      assert.equal(isUserCode(frame('ring'), code), owner === undefined, path);
    }
    assert.ok(isForeignLibrary('/opt/foo/lib/libfoonet.so.1', known));
    assert.ok(!isForeignLibrary('/opt/foo/lib/libfoompi.so.3', known), 'names in it are no accident');
    assert.ok(known.holdsObjects('/opt/foo/lib/libfoompi.so.3'));
    assert.ok(known.isForMessages('/dev/shm/foo-ring'));
  });

  it('has a finalizer of its own', () => {
    const threads = [[frame('foo_end', 0), frame('main', 1)]];
    assert.equal(endingOf(threads, known), 'MPI_Finalize');
    assert.equal(endingOf(threads, shippedMpis), undefined);
  });

  it('has handles that point to its structs', async () => {
    const whatis = (type: string) => Promise.resolve(type);
    const types = new HandleTypes(whatis, known.handleStructs);
    assert.deepEqual(await types.meaning('struct foo_communicator *'), { form: 'handle', kind: 'comm' });
    assert.deepEqual(await types.meaning('foo_communicator *[4]'), { form: 'array', kind: 'comm' });
    const without = new HandleTypes(whatis, shippedMpis.handleStructs);
    assert.deepEqual(await without.meaning('struct foo_communicator *'), { form: 'other' });
  });
});

describe('the shipped MPIs', () => {
  /** Paths as installed by Debian 12, 13 and unstable, Intel's oneAPI and Cray's programming environment. */
  const owners: readonly (readonly [path: string, owner: string | undefined])[] = [
    ['/usr/lib/x86_64-linux-gnu/libmpi.so.40.30.4', 'Open MPI'],
    ['/usr/lib/x86_64-linux-gnu/libmpi_usempi_ignore_tkr.so.40', 'Open MPI'],
    ['/usr/lib/x86_64-linux-gnu/libopen-pal.so.40', 'Open MPI'],
    ['/usr/lib/x86_64-linux-gnu/libopen_mpi.so.40', 'Open MPI'],
    ['/usr/lib/x86_64-linux-gnu/libmca_common_ucx.so.40', 'Open MPI'],
    ['/usr/lib/x86_64-linux-gnu/openmpi/lib/openmpi3/mca_pml_ob1.so', 'Open MPI'],
    ['/usr/lib/x86_64-linux-gnu/openmpi/lib/openmpi3/mca_pmix_ext3x.so', 'PMIx'],
    ['/usr/lib/x86_64-linux-gnu/libmpich.so.12.2.2', 'MPICH'],
    ['/usr/lib/x86_64-linux-gnu/libmpichfort.so.12', 'MPICH'],
    ['/opt/intel/oneapi/mpi/2021.9/lib/release/libmpi.so.12', 'MPICH'],
    ['/opt/intel/oneapi/mpi/2021.9/lib/libmpifort.so.12', 'MPICH'],
    ['/opt/cray/pe/mpich/8.1.26/ofi/gnu/9.1/lib/libmpi_gnu_91.so.12', 'MPICH'],
    ['/opt/cray/pe/mpich/8.1.26/ofi/cray/10.0/lib/libmpi_cray.so.12', 'MPICH'],
    ['/opt/mpich/lib/libmpi_abi.so.0', 'MPICH'],
    ['/usr/lib/x86_64-linux-gnu/libucp.so.0', 'UCX'],
    ['/usr/lib/x86_64-linux-gnu/ucx/libuct_ib.so.0', 'UCX'],
    ['/usr/lib/x86_64-linux-gnu/libpmix.so.2', 'PMIx'],
    ['/usr/lib/x86_64-linux-gnu/pmix2/lib/pmix/pmix_mca_ptl_tcp.so', 'PMIx'],
    ['/usr/lib/x86_64-linux-gnu/libfabric.so.1', 'the network'],
    ['/usr/lib/x86_64-linux-gnu/libevent_core-2.1.so.7', 'libevent'],
    ['/usr/lib/x86_64-linux-gnu/libhwloc.so.15', 'hwloc'],
    ['/home/me/libmpi_helpers.so', undefined],
    ['/home/me/libmpiio-tools.so', undefined],
    ['/home/me/openmpi/libmine.so', undefined],
  ];
  for (const [path, owner] of owners)
    it(`${owner === undefined ? 'do not own' : `own (${owner})`} ${path}`, () =>
      assert.equal(shippedMpis.ownerOf(path), owner));

  it('have objects in one library, which may have several names', () => {
    const holding = owners.map(([path]) => path).filter((path) => shippedMpis.holdsObjects(path));
    assert.deepEqual(
      holding.map((path) => path.replace(/^.*\//, '')),
      [
        ...['libmpi.so.40.30.4', 'libopen_mpi.so.40', 'libmpich.so.12.2.2', 'libmpi.so.12'],
        ...['libmpi_gnu_91.so.12', 'libmpi_cray.so.12', 'libmpi_abi.so.0'],
      ],
    );
  });

  it('are recognised by their launcher processes, whose names the kernel truncates to 15 characters', () => {
    for (const name of [
      'mpirun',
      'mpirun_rsh',
      'mpiexec.hydra',
      'orted',
      'prterun',
      'prted',
      'hydra_pmi_proxy',
      'srun',
    ])
      assert.ok(shippedMpis.startsRanks(name), name);
    for (const name of ['bash', 'ortega', 'prtester', 'srunner']) assert.ok(!shippedMpis.startsRanks(name), name);
  });

  it('do not own libraries of the user whose names begin like those of the system', () => {
    for (const name of [
      'libcfd.so',
      'libmesh.so.0',
      'libmpi_helpers.so',
      'librtree.so.1',
      'libcore.so',
      'libdlpoly.so',
    ])
      assert.ok(!isSystemLibrary(`/home/me/${name}`, shippedMpis), name);
    for (const name of ['libc.so.6', 'libc-2.31.so', 'libm-2.31.so', 'ld-linux-x86-64.so.2', 'libstdc++.so.6.0.30'])
      assert.ok(isSystemLibrary(`/lib/x86_64-linux-gnu/${name}`, shippedMpis), name);
  });
});
