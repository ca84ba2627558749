import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const repository = join(__dirname, '..');

/** Runs scripts/check-architecture.mjs on a folder; output has one line for each thing wrong, the rule first. */
function checkArchitecture(folder: string): { status: number | null; output: string } {
  const script = join(repository, 'scripts/check-architecture.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe('architecture', () => {
  describe('its check', () => {
    const wrong = [
      'plugin-api-is-pure: plugin-api/reads-files.ts → fs',
      'plugin-api-is-pure: plugin-api/knows-adapter.ts → adapter/main.ts',
      'adapter-knows-no-extension: adapter/knows-extension.ts → extension/main.ts',
      'only-extension-imports-vscode: adapter/knows-vscode.ts → vscode',
      'plugins-are-strangers: plugin-api/plugins/mpich/comm.ts → plugin-api/plugins/openmpi/comm.ts',
      'floor-of-gdb: adapter/gdb/knows-ranks.ts → adapter/job/rank.ts',
      'floor-of-job: adapter/job/knows-its-neighbour.ts → adapter/agent/hub.ts',
      'floor-of-gdb: adapter/gdb/knows-main.ts → adapter/main.ts',
      'every-folder-has-its-floor: adapter/attic/box.ts → adapter/main.ts',
      'no-folder-cycles: adapter/gdb → adapter/gdb/mi → adapter/gdb (adapter/gdb/speaks.ts → adapter/gdb/mi/words.ts, adapter/gdb/mi/asks.ts → adapter/gdb/settings.ts)',
      'product-knows-no-tests: adapter/knows-tests.ts → test/support.ts',
      'no-cycles: adapter/egg.ts → adapter/hen.ts → adapter/egg.ts',
      'not-resolvable: adapter/loses-its-way.ts → ./nowhere',
      'machine-behind-its-host: adapter/knows-maps.ts → /proc',
      'machine-behind-its-host: adapter/knows-its-name.ts → hostname(',
      'machine-behind-its-host: adapter/ends-processes.ts → process.kill(',
      'images-of-ranks: adapter/query/reads-a-rank.ts → new LiveImage(',
      'mpi-facts-in-plugins: adapter/job/knows-libraries.ts:2: /libmpi_cray/',
      'mpi-facts-in-plugins: adapter/job/knows-libraries.ts:3: mpich',
      'gdb-words-in-gdb: adapter/job/knows-libraries.ts:4: Cannot access memory at',
      'registers-in-processor: adapter/job/knows-registers.ts:3: rsp',
      'registers-in-processor: adapter/job/knows-registers.ts:4: rdi',
      'frames-in-stacks: adapter/job/knows-frames.ts:2: stackListFrames',
      'gdb-commands-in-gdb: adapter/job/knows-libraries.ts:5: rank.gdb.console',
      'values-read-in-gdb: adapter/job/reads-values.ts:1: /^0x/.test(value.text)',
      "values-read-in-gdb: adapter/job/reads-values.ts:2: value.text === '{1}'",
      'misnamed: adapter/utils.ts',
      'misnamed: adapter/camelCase.ts',
    ];
    const files = {
      'tsconfig.json': '{}',
      'adapter/query/reads-a-rank.ts':
        'class LiveImage {}\nexport const image = new LiveImage();\nexport const other = new FakeImage();\n',
      'plugin-api/reads-files.ts': "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;\n",
      'plugin-api/knows-adapter.ts': "import type { B } from '../adapter/main';\nexport type A = B;\n",
      'plugin-api/plugins/mpich/comm.ts': "import { x } from '../openmpi/comm';\nexport const y = x;\n",
      'plugin-api/plugins/openmpi/comm.ts': 'export const x = 1;\n',
      'adapter/main.ts': 'export interface B {\n  b: number;\n}\n',
      'adapter/gdb/knows-ranks.ts': "import type { Rank } from '../job/rank';\nexport type A = Rank;\n",
      'adapter/gdb/knows-main.ts': "import type { B } from '../main';\nexport type A = B;\n",
      'adapter/gdb/speaks.ts': "import { word } from './mi/words';\nexport const a = word;\n",
      'adapter/gdb/settings.ts': 'export const setting = 1;\n',
      'adapter/gdb/mi/words.ts': 'export const word = 1;\n',
      'adapter/gdb/mi/asks.ts': "import { setting } from '../settings';\nexport const b = setting;\n",
      'adapter/job/rank.ts': 'export interface Rank {\n  number: number;\n}\n',
      'adapter/job/knows-its-neighbour.ts': "import { hub } from '../agent/hub';\nexport const a = hub;\n",
      'adapter/job/knows-libraries.ts': [
        '// Not what comments say of Open MPI, nor MPI_Finalize or what mpidbg itself is called: MPIDBG_ERR_FAILED.',
        "export const library = /libmpi_cray/, call = 'MPI_Finalize', code = 'MPIDBG_ERR_NOT_SUPPORTED';",
        "export const name = 'mpich';",
        'export const fault = (at: string) => `Cannot access memory at ${at}`;',
        "export const ask = (rank: { gdb: Console }) => rank.gdb.console('info line');",
      ].join('\n'),
      'adapter/job/reads-values.ts': [
        'export const isPointer = (value: Written): boolean => /^0x/.test(value.text);',
        "export const isOne = (value: Written): boolean => value.text === '{1}';",
        'export const shown = (value: Written): string => `${value.text}, as gdb writes it`;',
      ].join('\n'),
      'adapter/job/knows-registers.ts': [
        "export const written = 'a condition on $rsp', sentence = 'it rips';",
        "import { rsp } from '../../plugin-api/processor/registers';\nexport const top = rsp;",
        "export const first = 'rdi';",
      ].join('\n'),
      'plugin-api/processor/registers.ts': "export const rsp = 4, name = 'rsp';\n",
      'adapter/job/knows-frames.ts': '// As gdb lists them.\nexport const frames = stackListFrames();\n',
      'adapter/agent/hub.ts': 'export const hub = 1;\n',
      'adapter/attic/box.ts': "import type { B } from '../main';\nexport type A = B;\n",
      'adapter/knows-extension.ts': "import { c } from '../extension/main';\nexport const b = c;\n",
      'adapter/knows-vscode.ts': "import { window } from 'vscode';\nexport const b = window;\n",
      'adapter/knows-tests.ts': "import { d } from '../test/support';\nexport const b = d;\n",
      'adapter/hen.ts': "import type { Egg } from './egg';\nexport type Hen = Egg | number;\n",
      'adapter/egg.ts': "import type { Hen } from './hen';\nexport type Egg = Hen[];\n",
      'adapter/loses-its-way.ts': "export { a } from './nowhere';\n",
      'adapter/knows-maps.ts': 'export const maps = (pid: number): string => `/proc/${pid}/maps`;\n',
      'adapter/knows-its-name.ts': "import { hostname } from 'node:os';\nexport const name = hostname();\n",
      'adapter/ends-processes.ts': 'export const end = (pid: number): boolean => process.kill(pid);\n',
      'adapter/hosts/local.ts': "import { hostname } from 'node:os';\nexport const local = [hostname(), '/proc/1'];\n",
      'adapter/utils.ts': 'export const e = 1;\n',
      'adapter/camelCase.ts': 'export const e = 1;\n',
      'extension/main.ts': "import { window } from 'vscode';\nexport const c = window;\n",
      'test/support.ts': 'export const d = 1;\n',
    };
    let folder: string;
    let checked: ReturnType<typeof checkArchitecture>;

    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'mpidbg-arrows-'));
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      checked = checkArchitecture(folder);
    });
    after(() => rmSync(folder, { recursive: true }));

    for (const line of wrong) {
      it(`finds ${line}`, () => assert.ok(checked.output.includes(`${line}\n`), checked.output));
    }

    it('finds nothing else, and fails', () => {
      const found = checked.output.split('\n').filter((line) => /^\S+: /.test(line));
      assert.equal(found.length, wrong.length, checked.output);
      assert.equal(checked.status, 1);
    });

    it('fails when there is nothing to read', () => {
      const empty = join(folder, 'empty');
      mkdirSync(empty);
      assert.equal(checkArchitecture(empty).status, 1);
    });
  });

  /** What only one library needs, and why. */
  const ofOneLibrary: Record<string, Record<string, string>> = {
    openmpi: {
      'classes.ts': 'objects of Open MPI tell their class, a name and a parent',
      'comm-requests.ts': 'Open MPI makes communicators in steps, each of which has requests',
      'group-members.ts': 'half-made communicators are told by their groups, too',
      'epoch-counts.ts': 'each one-sided component counts in a way of its own',
      'half-made-message.ts': 'Open MPI takes a message before it is matched',
      'partitioned.ts': 'Open MPI keeps partitioned requests in lists of their own',
      'specs/fields.ts': 'releases of Open MPI keep some fields in different types',
      'win-module.ts': 'windows of Open MPI differ by the component that they work with',
    },
    mpich: {
      'code.ts': 'what MPICH has no symbols for, its code tells',
      'endpoints.ts': 'MPICH knows peers by the endpoints of UCX',
      'buffered-sends.ts': 'what waits in the buffer of MPI_Bsend is told by the buffer alone',
      'specs/buffers.ts': 'the same',
      'data-pointers.ts': 'variables of the library have no symbols',
      'schedules.ts': 'requests inside an operation are told by its schedule alone',
      'specs/schedules.ts': 'the same',
      'request-owner.ts': 'the pool holds requests of the program and of the library',
      'object-users.ts': 'communicators of the library are left out of them',
      'open-files.ts': 'the library keeps no list of files',
      'system-hints.ts': 'ROMIO has an info object of its own',
      'keyvals.ts': 'MPICH keeps topologies among the attributes',
      'liveness.ts': 'MPICH keeps its objects in pools',
      'live-objects.ts': 'the same',
      'names.ts': 'MPICH gives the objects that it checks by names that a program can change',
      'request-kinds.ts': 'the kinds of requests have other numbers in each release of MPICH',
      'standard-abi.ts': "handles of the standard ABI are objects' addresses, and MPICH's own are not",
    },
  };

  it('lets openmpi and mpich hold the same files, their layouts aside', () => {
    const filesOf = (plugin: string) =>
      readdirSync(join(repository, 'plugin-api/plugins', plugin), { recursive: true, encoding: 'utf8' })
        .filter((file) => !file.startsWith('layouts') && ofOneLibrary[plugin]?.[file] === undefined)
        .sort();
    const openmpi = filesOf('openmpi');
    assert.ok(openmpi.length > 0);
    assert.deepEqual(filesOf('mpich'), openmpi);
  });
});
