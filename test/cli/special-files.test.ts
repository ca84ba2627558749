/**
 * Core files name programs, libraries and data. What is there now may be anything: a FIFO or a device that is opened keeps
 * whoever opens it for ever.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { CoreFolder } from '../support/core-files';
import { DapClient } from '../support/dap-client';
import { runCli } from '../support/run-cli';

const adapter = join(__dirname, '..', '..', 'dist', 'adapter.js');

const library = `
int depth_of(const int *place)
{
    return *place;
}`;
const program = `
#include <fcntl.h>
#include <sys/mman.h>
int depth_of(const int *place);
const char *data;
int main(void)
{
    data = mmap(0, 4096, PROT_READ, MAP_PRIVATE, open("data", O_RDONLY), 0);
    return data[0] + depth_of(0);
}`;

/** What may be in the place of a file. */
const specials: Readonly<Record<string, (path: string) => unknown>> = {
  'a FIFO': (path) => execFileSync('mkfifo', [path]),
  'a link to a FIFO': (path) => {
    execFileSync('mkfifo', [`${path}.fifo`]);
    symlinkSync(`${path}.fifo`, path);
  },
  'an endless device': (path) => symlinkSync('/dev/zero', path),
  'the terminal': (path) => symlinkSync('/dev/tty', path),
  'a folder': (path) => mkdirSync(path),
  'a socket': (path) => once(createServer().unref().listen(path), 'listening'),
  memory: (path) => symlinkSync('/proc/self/mem', path),
  'a link to itself': (path) => symlinkSync(path, path),
  'a huge, sparse file': (path) => {
    writeFileSync(path, '');
    truncateSync(path, 2 ** 43);
  },
};

describe('a core file that names', () => {
  let folder: CoreFolder;
  let there: string;
  let kept: string;
  let core: string;
  before(async () => {
    folder = new CoreFolder();
    there = join(folder.path, 'there');
    kept = join(folder.path, 'kept');
    for (const each of [there, kept]) mkdirSync(each);
    writeFileSync(join(there, 'data'), 'x'.repeat(5000));
    const compile = (name: string, source: string, ...args: string[]): void => {
      writeFileSync(join(folder.path, `${name}.c`), source);
      execFileSync('gcc', ['-g', '-Wl,--build-id', '-o', join(there, name), join(folder.path, `${name}.c`), ...args]);
    };
    compile('libdepth.so', library, '-shared', '-fPIC', '-Wl,-soname,libdepth.so');
    compile('solver', program, join(there, 'libdepth.so'), `-Wl,-rpath,${there}`);
    core = join(folder.path, 'core');
    renameSync(await folder.crashAlone(join(there, 'solver')), core);
    for (const name of readdirSync(there)) renameSync(join(there, name), join(kept, name));
  });
  after(() => folder.remove());
  beforeEach(() => {
    rmSync(there, { recursive: true });
    execFileSync('cp', ['-r', kept, there]);
  });

  /** `stacks` has gdb look at all that it finds. */
  async function opened(...args: string[]): Promise<string> {
    const { stdout, stderr, status } = await runCli(['stacks', '--core', core, ...args], 30_000, {
      DEBUGINFOD_URLS: '',
    });
    assert.notEqual(status, 2, stderr);
    return stdout;
  }

  for (const [what, make] of Object.entries(specials)) {
    for (const name of ['libdepth.so', 'solver', 'data'])
      it(`${what} in the place of ${name}: it is opened without that`, async () => {
        rmSync(join(there, name));
        await make(join(there, name));
        assert.match(await opened(), /main \(solver.c:9\)|\?\?|_start/);
      });

    it(`${what}, and a search path where it is another one: without that`, async () => {
      rmSync(join(there, 'libdepth.so'));
      const elsewhere = join(there, 'elsewhere');
      mkdirSync(elsewhere);
      await make(join(elsewhere, 'libdepth.so'));
      assert.match(await opened('--search-path', elsewhere), /main \(solver.c:9\)/);
    });
  }

  const fifo = (path: string): string => {
    execFileSync('mkfifo', [path]);
    return path;
  };

  it('a program with a FIFO beside it that gdb would open: without the program, and said so', async () => {
    for (const name of ['solver-gdb.py', 'solver.debug', '.debug/solver.debug']) {
      mkdirSync(join(there, '.debug'), { recursive: true });
      if (name.endsWith('.debug'))
        execFileSync(
          'sh',
          [
            '-c',
            'echo > solver.debug; objcopy -R .gnu_debuglink --add-gnu-debuglink=solver.debug solver; rm solver.debug',
          ],
          {
            cwd: there,
          },
        );
      const path = fifo(join(there, name));
      const { stderr, status } = await runCli(['stacks', '--core', core], 30_000, { DEBUGINFOD_URLS: '' });
      assert.equal(status, 0, stderr);
      assert.match(stderr, new RegExp(`mpidbg does not give ${there}/solver to gdb, which would then open ${path}: `));
      rmSync(path);
    }
  });

  it('a build-id, of which a search path has a FIFO: without the program', async () => {
    const id = /Build ID: (\w+)/.exec(execFileSync('readelf', ['-n', join(there, 'solver')]).toString())?.[1] ?? '';
    const inner = join(there, '.build-id', id.slice(0, 2));
    mkdirSync(inner, { recursive: true });
    fifo(join(inner, `${id.slice(2)}.debug`));
    const { stderr, status } = await runCli(['stacks', '--core', core, '--search-path', there], 30_000, {
      DEBUGINFOD_URLS: '',
    });
    assert.equal(status, 0, stderr);
    assert.match(stderr, /mpidbg does not give .*\/solver to gdb, which would then open .*\.debug: /);
  });

  it('a file that no kernel names, which leads out of every folder: refused', async () => {
    const outside = `${'/..'.repeat(4)}${folder.path}/fifo1`;
    const inside = join(there, 'libdepth.so');
    assert.equal(outside.length, inside.length);
    fifo(join(folder.path, 'fifo1'));
    const hostile = join(folder.path, 'core.hostile');
    writeFileSync(hostile, readFileSync(core).toString('latin1').replaceAll(inside, outside), 'latin1');
    const { stderr, status } = await runCli(['info', '--core', hostile], 30_000);
    assert.equal(status, 2);
    assert.match(stderr, /core.hostile: it is damaged: it names a file "\/\.\.\/.*fifo1", which cannot exist$/m);
  });

  it('its source, which is a FIFO: that is not opened', async () => {
    for (const name of ['solver.c', 'libdepth.so.c']) {
      renameSync(join(folder.path, name), join(folder.path, `${name}.kept`));
      fifo(join(folder.path, name));
    }
    try {
      assert.match(await opened(), /main \(solver.c:9\)/);
    } finally {
      for (const name of ['solver.c', 'libdepth.so.c'])
        renameSync(join(folder.path, `${name}.kept`), join(folder.path, name));
    }
  });

  it('FIFOs, in a debug session: it opens', async () => {
    for (const name of ['libdepth.so', 'data']) {
      rmSync(join(there, name));
      fifo(join(there, name));
    }
    const { client, process: child } = DapClient.spawn(adapter);
    try {
      await client.request('initialize', { adapterID: 'mpidbg' });
      const attached = client.request('attach', { cores: [core] });
      await client.waitFor('initialized', () => true, { timeoutMs: 30_000 });
      await attached;
      await client.request('configurationDone');
      await client.waitFor('stopped');
      const path = fifo(join(there, 'source.c'));
      await assert.rejects(
        client.request('source', { source: { path }, sourceReference: 0 }),
        /it is not a regular file/,
      );
      await client.request('disconnect');
    } finally {
      child.kill();
    }
  });

  it('nothing, but the user names a FIFO or a device: refused', async () => {
    const path = fifo(join(there, 'fifo'));
    for (const [args, message] of [
      [['--core', path], /fifo: it is not a regular file$/m],
      [['--core', '/dev/zero'], /\/dev\/zero: it is not a regular file$/m],
      [['--core', core, '--program', path], /fifo is not a regular file: name the program$/m],
      [['--core', core, '--plugin', path], /plugin .*fifo: it is not a regular file$/m],
    ] as const) {
      const { stderr, status } = await runCli(['info', ...args], 30_000);
      assert.equal(status, 2, stderr);
      assert.match(stderr, message);
    }
  });
});
