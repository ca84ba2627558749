import assert from 'node:assert/strict';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ProcessAccessError } from '../../adapter/hosts/process-access-error';
import { LiveImage } from '../../adapter/images/live/live-image';
import { FaultError } from '../../plugin-api/result';
import { openWorkshop } from '../support/compile';
import { localProcess } from '../support/local-process';

const LIBRARY = `
  int copied = 11;           /* the executable gets a copy of it */
  int in_library = 12;
  static int hidden_twice = 13;
  int *address_of_hidden(void) { return &hidden_twice; }
`;

/** Prints, as JSON, the addresses that the running program itself sees; then waits for the end of its input. */
const PROGRAM = `
  #define _GNU_SOURCE
  #include <stdio.h>
  #include <stdlib.h>
  #include <string.h>
  #include <sys/mman.h>
  #include <unistd.h>
  extern int copied, in_library;
  int *address_of_hidden(void);
  static int only_here = 21;
  int zeros[5000];
  __thread int per_thread = 22;
  static int in_function(int x) { return x + only_here + per_thread; }
  int main(void) {
    char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(pages, 7, 4096);
    munmap(pages + 4096, 4096);
    zeros[4999] = in_function(1);
    printf("{\\"pid\\":%d,\\"copied\\":\\"%p\\",\\"in_library\\":\\"%p\\",\\"hidden_twice\\":\\"%p\\",\\"only_here\\":\\"%p\\","
           "\\"zeros\\":\\"%p\\",\\"in_function\\":\\"%p\\",\\"pages\\":\\"%p\\"}\\n",
           getpid(), (void *)&copied, (void *)&in_library, (void *)address_of_hidden(), (void *)&only_here, (void *)zeros,
           (void *)in_function, (void *)pages);
    fflush(stdout);
    return getchar() == 'x';
  }
`;

/** Loads its argument when a line comes, and says where the library's variable is. */
const LOADER = `
  #include <dlfcn.h>
  #include <stdio.h>
  int main(int argc, char **argv) {
    puts("{}");
    fflush(stdout);
    getchar();
    void *library = dlopen(argv[1], RTLD_NOW);
    printf("{\\"in_library\\":\\"%p\\"}\\n", dlsym(library, "in_library"));
    fflush(stdout);
    getchar();
    return argc == 0;
  }
`;

interface Running {
  child: ChildProcessWithoutNullStreams;
  pid: number;
  /** What the program says of itself. */
  said: Record<string, bigint>;
}

describe('the image of a live process', () => {
  const workshop = openWorkshop();
  const running: Running[] = [];
  let library = '';
  const programs: Record<string, string> = {};

  before(() => {
    library = workshop.compile('libdata.so', LIBRARY, 'gcc', ['-shared', '-fPIC']);
    const options = [library, `-Wl,-rpath,${workshop.directory}`];
    programs['fixed'] = workshop.compile('fixed', PROGRAM, 'gcc', ['-no-pie', ...options]);
    programs['pie'] = workshop.compile('pie', PROGRAM, 'gcc', ['-pie', '-fPIE', ...options]);
    programs['static'] = workshop.compile('static', `${LIBRARY}${PROGRAM}`, 'gcc', ['-static']);
  });
  after(async () => {
    for (const each of running) await stop(each);
    workshop.close();
  });

  const start = async (...command: string[]): Promise<Running> => {
    const [program = '', ...args] = command;
    const child = spawn(program, args, { env: { ...process.env, FIRST: '1=2', EMPTY: '' } });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const said = JSON.parse(line) as Record<string, string>;
    const addresses = Object.entries(said).map(([name, address]): [string, bigint] => [name, BigInt(address)]);
    const started = { child, pid: Number(said['pid']), said: Object.fromEntries(addresses) };
    running.push(started);
    return started;
  };

  const stop = async ({ child }: Running): Promise<void> => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.stdin.end();
    await ended;
  };

  const addressOf = async (image: LiveImage, name: string): Promise<bigint | undefined> =>
    (await image.findSymbol(name))?.address;

  for (const kind of ['fixed', 'pie', 'static']) {
    it(`finds the data and functions of a program (${kind}) where the program itself does`, async () => {
      const { pid, said } = await start(programs[kind] ?? '');
      const image = new LiveImage(localProcess(pid));
      for (const name of ['copied', 'in_library', 'only_here', 'zeros', 'in_function', 'hidden_twice']) {
        assert.equal(await addressOf(image, name), said[name], name);
      }
      assert.equal(await image.findSymbol('per_thread'), undefined);
      assert.equal(await image.findSymbol('nowhere'), undefined);
      const found = await image.symbolAt((said['in_function'] ?? 0n) + 3n);
      assert.equal(found?.name, 'in_function');
      assert.equal((await image.symbolAt((said['zeros'] ?? 0n) + 19_999n))?.name, 'zeros');
      const [last] = new Int32Array((await image.readMemory((said['zeros'] ?? 0n) + 19_996n, 4)).buffer);
      assert.equal(last, 1 + 21 + 22, 'reads what the program wrote into .bss');
      image.close();
    });
  }

  it('lists the executable first, then the libraries in load order, with their segments', async () => {
    const { pid, said } = await start(programs['pie'] ?? '');
    const image = new LiveImage(localProcess(pid));
    const modules = await image.modules();
    assert.deepEqual(
      modules.map(({ path }) => path.replace(/^.*\//, '').replace(/[-.].*$/, '')),
      ['pie', 'libdata', 'libc', 'ld'],
    );
    assert.deepEqual(
      modules.map(({ isExecutable }) => isExecutable),
      [true, false, false, false],
    );
    const data = modules[0]?.segments.find(({ writable }) => writable);
    assert.ok(data !== undefined && data.size - data.fileSize >= 20_000, '.bss is the part behind the file');
    const zeros = said['zeros'] ?? 0n;
    assert.ok(zeros >= data.address && zeros + 20_000n <= data.address + BigInt(data.size));
    assert.match(modules[1]?.buildId ?? '', /^[0-9a-f]{40}$/);
  });

  it('limits a look-up to one module', async () => {
    const { pid, said } = await start(programs['fixed'] ?? '');
    const image = new LiveImage(localProcess(pid));
    const [executable, data] = await image.modules();
    const copy = await image.findSymbol('copied', data);
    assert.equal(copy?.module, data);
    assert.notEqual(copy?.address, said['copied'], "the library's own definition is not the one in use");
    assert.equal((await image.findSymbol('copied', executable))?.address, said['copied']);
    assert.equal(await image.findSymbol('only_here', data), undefined);
  });

  it('reads to the last byte of a page and faults behind it', async () => {
    const { pid, said } = await start(programs['fixed'] ?? '');
    const image = new LiveImage(localProcess(pid));
    const pages = said['pages'] ?? 0n;
    assert.deepEqual(await image.readMemory(pages + 4092n, 4), new Uint8Array([7, 7, 7, 7]));
    assert.deepEqual(await image.readMemory(pages, 0), new Uint8Array(0));
    const faults: [bigint, number][] = [
      ...([
        [pages + 4093n, 4],
        [0n, 8],
        [8n, 900_000_000],
        [-8n, 8],
        [2n ** 64n - 8n, 8],
      ] as [bigint, number][]),
      ...([
        [pages, -1],
        [pages, 2 ** 40],
        [pages, NaN],
        [pages, 1.5],
      ] as [bigint, number][]),
    ];
    for (const [address, length] of faults) {
      await assert.rejects(image.readMemory(address, length), FaultError, `${address}, ${length}`);
    }
  });

  it('has the environment of the process', async () => {
    const { pid } = await start(programs['fixed'] ?? '');
    const environment = await new LiveImage(localProcess(pid)).environment();
    assert.equal(environment.get('FIRST'), '1=2');
    assert.equal(environment.get('EMPTY'), '');
    assert.equal(environment.get('NOT_SET'), undefined);
  });

  it('follows an exec once it is told that the process has run', async () => {
    const waiting = spawn('sh', ['-c', 'echo "{}"; read line; exec "$0"', programs['fixed'] ?? '']);
    const output = createInterface(waiting.stdout);
    await once(output, 'line');
    const image = new LiveImage(localProcess(waiting.pid ?? 0));
    assert.equal(await addressOf(image, 'only_here'), undefined);
    const next = once(output, 'line') as Promise<[string]>;
    waiting.stdin.write('\n');
    const said = JSON.parse((await next)[0]) as Record<string, string>;
    image.invalidate();
    assert.equal(await addressOf(image, 'only_here'), BigInt(said['only_here'] ?? 0));
    assert.equal((await image.readMemory(BigInt(said['only_here'] ?? 0), 4))[0], 21);
    await stop({ child: waiting, pid: 0, said: {} });
  });

  it('finds a library that is loaded late once it is told that the process has run', async () => {
    const loader = workshop.compile('loader', LOADER, 'gcc', ['-ldl']);
    const waiting = spawn(loader, [library]);
    const output = createInterface(waiting.stdout);
    await once(output, 'line');
    const image = new LiveImage(localProcess(waiting.pid ?? 0));
    assert.equal(await addressOf(image, 'in_library'), undefined);
    const next = once(output, 'line') as Promise<[string]>;
    waiting.stdin.write('\n');
    const said = JSON.parse((await next)[0]) as Record<string, string>;
    assert.equal(await addressOf(image, 'in_library'), undefined, 'one stop, one answer');
    image.invalidate();
    assert.equal(await addressOf(image, 'in_library'), BigInt(said['in_library'] ?? 0));
    await stop({ child: waiting, pid: 0, said: {} });
  });

  it('reads the file that runs, not the one that has taken its name, and does without a deleted one', async () => {
    for (const change of ['replaced', 'deleted']) {
      const options = [library, `-Wl,-rpath,${workshop.directory}`];
      const path = workshop.compile(change, PROGRAM, 'gcc', ['-no-pie', ...options]);
      const moved = workshop.compile(`lib${change}.so`, LIBRARY, 'gcc', ['-shared', '-fPIC']);
      const { pid, said } = await start('/usr/bin/env', `LD_PRELOAD=${moved}`, path);
      for (const file of [path, moved]) {
        rmSync(file);
        if (change === 'deleted') continue;
        copyFileSync('/bin/true', `${file}.new`);
        renameSync(`${file}.new`, file);
      }
      const image = new LiveImage(localProcess(pid));
      const [executable, preloaded] = await image.modules();
      assert.equal(executable?.path, path);
      assert.equal(preloaded?.path, moved);
      for (const name of ['only_here', 'in_library', 'copied']) assert.equal(await addressOf(image, name), said[name]);
    }
  });

  it('says that a process has exited', async () => {
    const it = await start(programs['fixed'] ?? '');
    const image = new LiveImage(localProcess(it.pid));
    await image.modules();
    await stop(it);
    const exited = (error: unknown): boolean =>
      error instanceof ProcessAccessError && error.why === 'exited' && error.message === `process ${it.pid} has exited`;
    await assert.rejects(new LiveImage(localProcess(it.pid)).modules(), exited);
    await assert.rejects(image.readMemory(it.said['zeros'] ?? 0n, 4), /: the process has exited, or executed another/);
    image.invalidate();
    await assert.rejects(image.readMemory(it.said['zeros'] ?? 0n, 4), exited);
    await assert.rejects(image.modules(), exited);
    assert.deepEqual(await image.environment(), new Map());
  });
});
