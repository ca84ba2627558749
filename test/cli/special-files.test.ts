/**
 * Core files name programs, libraries and data. What is there now may be anything: a FIFO or a device that is opened keeps
 * whoever opens it for ever.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { CoreFolder, writeCoresBesideTheProgram } from '../support/core-files';
import { runCli } from '../support/run-cli';

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
    const restore = writeCoresBesideTheProgram();
    try {
      await once(spawn('sh', ['-c', 'ulimit -c unlimited; exec ./solver'], { cwd: there, stdio: 'ignore' }), 'close');
    } finally {
      restore();
    }
    core = join(folder.path, 'core');
    renameSync(join(there, readdirSync(there).find((name) => name.startsWith('core')) ?? 'core'), core);
    for (const name of readdirSync(there)) renameSync(join(there, name), join(kept, name));
  });
  after(() => folder.remove());
  beforeEach(() => {
    rmSync(there, { recursive: true });
    execFileSync('cp', ['-r', kept, there]);
  });

  /** All commands open it; `stacks` has gdb look at all that it finds. */
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
});
