/** mpidbg layout: from debug information to a table, and a living job decoded by that debug information. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openElf } from '../../adapter/elf/elf-cache';
import { LiveImage } from '../../adapter/images/live/live-image';
import type { LayoutTable } from '../../plugin-api/layout';
import type { Document } from '../../plugin-api/mpi/records';
import { tableOwners } from '../../plugin-api/plugins/table-owners';
import { openWorkshop, type Workshop } from '../support/compile';
import { headerOptions, includeHeaders } from '../support/openmpi-headers';
import { runCli } from '../support/run-cli';
import { eitherMpi, type Mpi, SampleJob } from '../support/sample-job';
import { declarations } from '../support/struct-declarations';
import { localProcess } from '../support/local-process';

const debugInformation = ['-g', '-fno-eliminate-unused-debug-types'];
const objectFile = ['-c', ...debugInformation];

/** What Debian 12's packages hold: the build that the headers of libopenmpi-dev belong to. */
const installed = { openmpi: '4.1.4', mpich: '4.0.2' } as const;

function owner(name: string) {
  const found = tableOwners.find((each) => each.name === name);
  assert.ok(found);
  return found;
}

describe('mpidbg layout', () => {
  let workshop: Workshop;
  before(() => (workshop = openWorkshop()));
  after(() => workshop.close());

  for (const { name, tables, specs } of tableOwners) {
    it(`gives every shipped table of ${name} from debug information that says the same`, async () => {
      for (const [version, table] of Object.entries(tables)) {
        const object = workshop.compile(`${name}-${version}.o`, declarations(table, specs), 'gcc', objectFile);
        const { status, stdout, stderr } = await runCli(['layout', object]);
        assert.equal(status, 0, stderr);
        assert.match(stderr, /^mpidbg: (Open MPI|MPICH|UCX), version unknown: \d+ of \d+ structs/);
        const shipped = join(__dirname, '..', '..', 'plugin-api', 'plugins', name, 'layouts', `${version}.json`);
        assert.equal(stdout, readFileSync(shipped, 'utf8'), version);
      }
    });
  }

  it("gives the shipped table from Open MPI's own headers, as far as they are installed", async () => {
    const options = [...objectFile, ...headerOptions(workshop.directory)];
    const object = workshop.compile('headers.o', includeHeaders, 'gcc', options);
    const { stdout, status } = await runCli(['layout', object]);
    assert.equal(status, 0);
    const made = JSON.parse(stdout) as LayoutTable;
    const shipped = owner('openmpi').tables[installed.openmpi]!;
    const names = Object.keys(made);
    assert.ok(names.length >= 30, `${names.length} structs, at least 30 are expected: ${names.join()}`);
    assert.deepEqual(made, Object.fromEntries(names.map((name) => [name, shipped[name]])));
  });

  it('puts a table together from several files', async () => {
    const table = Object.entries(owner('mpich').tables[installed.mpich]!);
    const isFirst = ([struct]: [string, unknown]) => struct.startsWith('MPIR_');
    const files = [table.filter(isFirst), table.filter((each) => !isFirst(each))].map((part, i) =>
      workshop.compile(`part-${i}.o`, declarations(Object.fromEntries(part), owner('mpich').specs), 'gcc', objectFile),
    );
    const { stdout } = await runCli(['layout', ...files]);
    assert.deepEqual(JSON.parse(stdout), Object.fromEntries(table));
  });

  it('takes the one that is asked for where there are several', async () => {
    const [mpich, ucx] = [owner('mpich').tables[installed.mpich]!, owner('ucx').tables['1.13.1']!];
    const specs = [...owner('mpich').specs, ...owner('ucx').specs];
    const object = workshop.compile('both.o', declarations({ ...mpich, ...ucx }, specs), 'gcc', objectFile);
    const { stdout } = await runCli(['layout', object, '--implementation', 'ucx']);
    assert.deepEqual(JSON.parse(stdout), ucx);
  });

  it('tells the version, and what is lacking', async () => {
    const { ompi_op_t: _, ...table } = owner('openmpi').tables[installed.openmpi]!;
    const source = `${declarations(table, owner('openmpi').specs)}\nint ompi_communicator_t_class;\nconst char ompi_version_string[] = "4.1.99";`;
    const library = workshop.compile('libmpi.so', source, 'gcc', [...debugInformation, '-shared', '-fPIC']);
    const { stdout, stderr } = await runCli(['layout', library]);
    assert.match(stderr, /^mpidbg: Open MPI 4\.1\.99: \d+ of \d+ structs; .*openmpi\/layouts\/4\.1\.99\.json$/m);
    assert.ok(stderr.includes(`4.1.99: ${Object.keys(table).length} of `), stderr);
    assert.match(stderr, /^mpidbg: lacking: no struct ompi_op_t$/m);
    assert.deepEqual(JSON.parse(stdout), table);
  });

  it("finds debug information in a file of its own, and Open MPI's parts beside its library", async () => {
    const { specs, tables } = owner('openmpi');
    const table = Object.entries(tables[installed.openmpi]!);
    const isPart = (prefix: string) => table.filter(([struct]) => struct.startsWith(prefix));
    const part = (name: string, prefix: string, options: string[] = [], more = '') => {
      mkdirSync(dirname(join(workshop.directory, name)), { recursive: true });
      const source = `${declarations(Object.fromEntries(isPart(prefix)), specs)}\nint part_of_${prefix.replace('_', '')};${more}`;
      return workshop.compile(name, source, 'gcc', [...debugInformation, '-shared', '-fPIC', ...options]);
    };
    const opal = part('split/libopen-pal.so.40', 'opal_');
    part('split/openmpi/mca_pml_ob1.so', 'mca_');
    const rest = Object.fromEntries(table.filter(([struct]) => !/^(opal|mca)_/.test(struct)));
    const source = `${declarations(rest, specs)}\nint ompi_communicator_t_class;`;
    const options = [...debugInformation, '-shared', '-fPIC', '-Wl,--no-as-needed', opal];
    const library = workshop.compile('split/libmpi.so.40', source, 'gcc', options);
    execFileSync('objcopy', ['--only-keep-debug', library, `${library}.debug`]);
    execFileSync('objcopy', ['--strip-debug', `--add-gnu-debuglink=${library}.debug`, library]);
    const { stdout, stderr } = await runCli(['layout', library]);
    assert.deepEqual(JSON.parse(stdout || stderr), Object.fromEntries(table));
  });

  const refused: [what: string, args: () => string[], message: RegExp][] = [
    ['no library', () => [], /layout needs a library/],
    ['a file that is missing', () => ['/nonexistent'], /no such file: \/nonexistent/],
    ['a file that is no library', () => [__filename], /not an ELF file/],
    ['a folder', () => [__dirname], /not a regular file/],
    ['a program without MPI', () => [process.execPath], /no debug information for Open MPI, MPICH or UCX/],
    [
      'another MPI',
      () => [process.execPath, '--implementation', 'lam'],
      /--implementation must be openmpi, mpich or ucx$/m,
    ],
    [
      'a gdb that is none',
      () => [process.execPath, '--gdb', '/nonexistent'],
      /gdb cannot be run \(.*\): install gdb 12 or newer, or name one with --gdb$/m,
    ],
    [
      'a gdb that ends',
      () => [process.execPath, '--gdb', '/bin/true'],
      /cannot be used as gdb \(.*\): install gdb 12 or newer, or name one with --gdb$/m,
    ],
    ['a library without debug information', stripped, /\(Open MPI 4\.1\.99\) has no debug information: install/],
  ];

  function stripped(): string[] {
    const source = 'int ompi_communicator_t_class;\nconst char ompi_version_string[] = "4.1.99";';
    return [workshop.compile('stripped.so', source, 'gcc', ['-shared', '-fPIC', '-s'])];
  }

  for (const [what, args, message] of refused) {
    it(`refuses ${what}`, async () => {
      const { status, stdout, stderr } = await runCli(['layout', ...args()]);
      assert.match(stderr, message);
      assert.match(stderr, /^mpidbg: [^\n]+\n$/, 'one line');
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    });
  }
});

/** The answers must be the same, wherever the layout came from; only the process' own state may differ, and does not. */
const asked: Record<Mpi, { library: RegExp; layout: RegExp }> = {
  openmpi: {
    library: /libmpi\.so/,
    layout: /^DWARF of libmpi\.so[.\d]*: (\d+) of \1 class sizes and (\d+) of \2 known/,
  },
  mpich: {
    library: /libmpich\.so/,
    layout: /^DWARF of libmpich\.so[.\d]*: (\d+) of \1 pool sizes and (\d+) of \2 known/,
  },
};

for (const mpi of eitherMpi('layout')) {
  describe(`a job of ${mpi} whose library has debug information`, () => {
    let workshop: Workshop;
    let job: SampleJob;

    before(async function () {
      this.timeout(60_000);
      workshop = openWorkshop();
      job = await SampleJob.startWaiting(mpi, 'communicators', { ranks: 2 });
    });

    after(async () => {
      await job.kill();
      workshop.close();
    });

    /** As a distribution's package has it: a file that is found by the library's build-id. */
    async function writeDebugFile(): Promise<string> {
      const image = new LiveImage(localProcess(job.pids[0]!));
      const library = (await image.modules()).find(({ path }) => asked[mpi].library.test(path))!;
      image.close();
      const { buildId } = openElf(library.path);
      assert.ok(buildId, `${library.path} has a build-id`);
      const table = owner(mpi).tables[installed[mpi]]!;
      const options = [...debugInformation, '-shared', '-fPIC', `-Wl,--build-id=0x${buildId}`];
      let source = declarations(table, owner(mpi).specs);
      if (mpi === 'openmpi') {
        const headers = workshop.compile('headers.o', includeHeaders, 'gcc', [
          ...objectFile,
          ...headerOptions(workshop.directory),
        ]);
        const inHeaders = JSON.parse((await runCli(['layout', headers])).stdout) as LayoutTable;
        const others = Object.entries(table).filter(([name]) => !(name in inHeaders));
        source = declarations(Object.fromEntries(others), owner(mpi).specs);
        options.push(headers);
      }
      const place = join(workshop.directory, '.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
      mkdirSync(dirname(place), { recursive: true });
      workshop.compile('debug', source, 'gcc', options);
      writeFileSync(place, readFileSync(join(workshop.directory, 'debug')));
      const gdb = join(workshop.directory, 'gdb');
      writeFileSync(gdb, `#!/bin/sh\nexec gdb -iex "set debug-file-directory ${workshop.directory}" "$@"\n`);
      chmodSync(gdb, 0o755);
      return gdb;
    }

    it('is decoded by it, with the same answers', async () => {
      const target = ['--launcher', String(job.launcherPid), '--json'];
      const byTable = await runCli(['handles', '--internal', ...target]);
      const byDebugInformation = await runCli(['handles', '--internal', ...target, '--gdb', await writeDebugFile()]);
      const [expected, found] = [byTable, byDebugInformation].map(({ stdout, status }) => {
        assert.equal(status, 0);
        return JSON.parse(stdout) as Document;
      });
      for (const rank of found!.ranks) {
        assert.ok('implementation' in rank && 'layout' in rank.implementation);
        assert.match(rank.implementation.layout, asked[mpi].layout);
      }
      const answers = (document: Document) => document.ranks.map((rank) => ('answers' in rank ? rank.answers : []));
      assert.ok(answers(found!).every((each) => each.length >= 20));
      assert.deepEqual(answers(found!), answers(expected!));
    });
  });
}
