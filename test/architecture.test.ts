import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const repository = join(__dirname, '..');

/** Runs scripts/check-arrows.mjs on a folder; output is one line per wrong arrow, beginning with the rule's name. */
function checkArrows(folder: string): { status: number | null; output: string } {
  const script = join(repository, 'scripts/check-arrows.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** Paths relative to the folder, with slashes, sorted; installed packages are not entered. */
function filesBelow(folder: string, prefix = ''): string[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true })
    .flatMap((entry) => {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (!entry.isDirectory()) return [path];
      return entry.name === 'node_modules' ? [] : filesBelow(folder, path);
    })
    .sort();
}

describe('architecture', () => {
  it('keeps the arrows between the parts, without cycles', () => {
    const { status, output } = checkArrows(repository);
    assert.equal(status, 0, output);
  });

  describe('the check of the arrows', () => {
    const wrongArrows = [
      'plugin-api-is-pure: plugin-api/reads-files.ts → fs',
      'plugin-api-is-pure: plugin-api/knows-adapter.ts → adapter/main.ts',
      'adapter-knows-no-extension: adapter/knows-extension.ts → extension/main.ts',
      'only-extension-imports-vscode: adapter/knows-vscode.ts → vscode',
      'plugins-are-strangers: plugin-api/plugins/mpich/comm.ts → plugin-api/plugins/openmpi/comm.ts',
      'product-knows-no-tests: adapter/knows-tests.ts → test/support.ts',
      'no-cycles: adapter/egg.ts → adapter/hen.ts → adapter/egg.ts',
      'not-resolvable: adapter/loses-its-way.ts → ./nowhere',
    ];
    const files = {
      'tsconfig.json': '{}',
      'plugin-api/reads-files.ts': "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;\n",
      'plugin-api/knows-adapter.ts': "import type { B } from '../adapter/main';\nexport type A = B;\n",
      'plugin-api/plugins/mpich/comm.ts': "import { x } from '../openmpi/comm';\nexport const y = x;\n",
      'plugin-api/plugins/openmpi/comm.ts': 'export const x = 1;\n',
      'adapter/main.ts': 'export interface B {\n  b: number;\n}\n',
      'adapter/knows-extension.ts': "import { c } from '../extension/main';\nexport const b = c;\n",
      'adapter/knows-vscode.ts': "import { window } from 'vscode';\nexport const b = window;\n",
      'adapter/knows-tests.ts': "import { d } from '../test/support';\nexport const b = d;\n",
      'adapter/hen.ts': "import type { Egg } from './egg';\nexport type Hen = Egg | number;\n",
      'adapter/egg.ts': "import type { Hen } from './hen';\nexport type Egg = Hen[];\n",
      'adapter/loses-its-way.ts': "export { a } from './nowhere';\n",
      'extension/main.ts': "import { window } from 'vscode';\nexport const c = window;\n",
      'test/support.ts': 'export const d = 1;\n',
    };
    let folder: string;
    let checked: ReturnType<typeof checkArrows>;

    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'mpidbg-arrows-'));
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      checked = checkArrows(folder);
    });
    after(() => rmSync(folder, { recursive: true }));

    for (const arrow of wrongArrows) {
      it(`finds ${arrow}`, () => assert.ok(checked.output.includes(`${arrow}\n`), checked.output));
    }

    it('finds nothing else, and fails', () => {
      const found = checked.output.split('\n').filter((line) => line.includes(' → '));
      assert.equal(found.length, wrongArrows.length, checked.output);
      assert.equal(checked.status, 1);
    });

    it('fails when there is nothing to read', () => {
      const empty = join(folder, 'empty');
      mkdirSync(empty);
      assert.equal(checkArrows(empty).status, 1);
    });
  });

  it('lets openmpi and mpich hold the same files, their layouts aside', () => {
    const plugins = join(repository, 'plugin-api/plugins');
    const filesOf = (plugin: string) =>
      filesBelow(join(plugins, plugin)).filter((file) => !file.startsWith('layouts/'));
    const openmpi = filesOf('openmpi');
    assert.ok(openmpi.length > 0);
    assert.deepEqual(filesOf('mpich'), openmpi);
  });

  it('names files in kebab-case, each after its concept', () => {
    const parts = ['plugin-api', 'adapter', 'extension', 'test', 'bench', 'scripts'];
    const files = parts
      .filter((part) => existsSync(join(repository, part)))
      .flatMap((part) => filesBelow(join(repository, part)).map((file) => `${part}/${file}`))
      .filter((file) => /\.(ts|mjs|cjs)$/.test(file));
    assert.ok(files.length > 0);
    const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.(ts|mjs|cjs)$/;
    const noConcept = /(^|\/)(utils?|helpers?|common|misc|base)(\.|\/)/;
    const misnamed = files.filter(
      (file) => !kebabCase.test(file.slice(file.lastIndexOf('/') + 1)) || noConcept.test(file),
    );
    assert.deepEqual(misnamed, []);
  });
});
