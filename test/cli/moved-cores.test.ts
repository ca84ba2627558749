/** mpidbg on core files whose program and libraries are not where they were: found again, fetched, or missed by name. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { StacksDocument } from '../../plugin-api/mpi/records';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, samplePath, type Mpi } from '../support/sample-job';
import { patienceMs } from '../support/patience';

const library = `
int depth_of(const int *place)
{
    return *place; /* line 4 */
}`;
const program = `
int depth_of(const int *place);
int main(void)
{
    int own = 42;
    return own + depth_of(0); /* line 6 */
}`;

/** Without these a shell that knows servers would ask them. */
const noServers = { DEBUGINFOD_URLS: '', DEBUGINFOD_TIMEOUT: '10' };

describe('a core file whose files are elsewhere', () => {
  let folder: CoreFolder;
  /** Where the process had its files, and where they are put. */
  let there: string;
  let moved: string;
  let core: string;

  before(async () => {
    folder = new CoreFolder();
    there = join(folder.path, 'there');
    moved = join(folder.path, 'moved');
    mkdirSync(there);
    mkdirSync(moved);
    writeFileSync(join(folder.path, 'depth.c'), library);
    writeFileSync(join(folder.path, 'solver.c'), program);
    build('libdepth.so', '-O0', 'depth.c', '-shared', '-fPIC', '-Wl,-soname,libdepth.so');
    build('solver', '-O0', 'solver.c', join(there, 'libdepth.so'), `-Wl,-rpath,${there}`);
    core = join(folder.path, 'core');
    renameSync(await folder.crashAlone(join(there, 'solver')), core);
    for (const file of ['solver', 'libdepth.so']) renameSync(join(there, file), join(moved, file));
  });

  after(() => folder.remove());

  afterEach(() => {
    for (const file of readdirSync(there)) rmSync(join(there, file));
  });

  /** Compiles into the folder where the process has its files. */
  function build(name: string, optimization: string, ...args: string[]): void {
    const inputs = args.map((arg) => (arg.endsWith('.c') ? join(folder.path, arg) : arg));
    execFileSync('gcc', ['-g', optimization, '-Wl,--build-id', '-o', join(there, name), ...inputs]);
  }

  async function stacks(
    args: readonly string[],
    env: NodeJS.ProcessEnv = noServers,
  ): Promise<{ frames: string[]; stderr: string }> {
    const { stdout, stderr } = await runCli(['stacks', '--full', '--json', '--core', core, ...args], patienceMs, env);
    const frames: string[] = [];
    for (let nodes = (JSON.parse(stdout) as StacksDocument).tree; nodes.length > 0; nodes = nodes[0]!.children) {
      const { name, line } = nodes[0]!.frame;
      frames.push(line === undefined ? name : `${name}:${line}`);
    }
    return { frames, stderr };
  }

  const whole = ['main:6', 'depth_of:4'];

  it('names the program that is not here, and its build-id', async () => {
    const { frames, stderr } = await stacks([]);
    assert.ok(!frames.includes('main:6'));
    assert.match(
      stderr,
      new RegExp(
        `the program ${there}/solver \\(build-id ${buildIdOf('solver')}\\) that wrote it is not here: .*; name the right one with --program, or its folder with --search-path$`,
        'm',
      ),
    );
  });

  it('finds program and libraries below a search path, for stacks too', async () => {
    const { frames, stderr } = await stacks(['--search-path', moved]);
    assert.deepEqual(frames.slice(-2), whole);
    assert.doesNotMatch(stderr, /not here|another version/);
  });

  it('finds files by their build-id alone, and their debug information', async () => {
    const byId = join(folder.path, 'by-id');
    for (const file of ['solver', 'libdepth.so']) {
      const id = buildIdOf(file);
      const inner = join(byId, '.build-id', id.slice(0, 2));
      mkdirSync(inner, { recursive: true });
      execFileSync('objcopy', ['--only-keep-debug', join(moved, file), join(inner, `${id.slice(2)}.debug`)]);
      execFileSync('strip', ['-o', join(inner, id.slice(2)), join(moved, file)]);
    }
    const { frames, stderr } = await stacks(['--search-path', byId]);
    assert.deepEqual(frames.slice(-2), whole);
    assert.doesNotMatch(stderr, /not here|no debug information/);
  });

  it('says that the program is stripped', async () => {
    execFileSync('strip', ['-o', join(there, 'solver'), join(moved, 'solver')]);
    copyFileSync(join(moved, 'libdepth.so'), join(there, 'libdepth.so'));
    const { frames, stderr } = await stacks([]);
    assert.equal(frames.at(-1), 'depth_of:4');
    assert.match(
      stderr,
      new RegExp(`${there}/solver has no debug information, so its lines and variables are unknown`),
    );
    // Who asks for no line is not told so.
    const { stdout, stderr: ofInfo } = await runCli(['info', '--core', core], patienceMs, noServers);
    assert.match(stdout, /^MPI /m);
    assert.doesNotMatch(ofInfo, /debug information/);
  });

  it('says which library is another version, with both build-ids, and believes nothing of it', async () => {
    copyFileSync(join(moved, 'solver'), join(there, 'solver'));
    build('libdepth.so', '-O2', 'depth.c', '-shared', '-fPIC', '-Wl,-soname,libdepth.so');
    const { frames, stderr } = await stacks([]);
    const other = buildId(join(there, 'libdepth.so'));
    assert.match(
      stderr,
      new RegExp(
        `${there}/libdepth.so \\(build-id ${other} here, ${buildIdOf('libdepth.so')} in the core\\) is another version` +
          ' than the process had: its functions are unknown, .* are right; name the folder of the right one',
      ),
    );
    assert.ok(!frames.some((frame) => frame.startsWith('depth_of')), frames.join());
    const mended = await stacks(['--search-path', moved]);
    assert.deepEqual(mended.frames.slice(-2), whole, 'the right one elsewhere goes before the wrong one in its place');
    assert.doesNotMatch(mended.stderr, /another version/);
  });

  describe('where nothing tells one build of a library from another', () => {
    /** With a constant that the program does not print. */
    const constant = (value: number): string => `const int level = ${value};\n${library}`;
    let own: string;
    before(async () => {
      own = join(folder.path, 'own');
      mkdirSync(own);
      compile(3);
      execFileSync('gcc', ['-g', '-o', join(own, 'solver'), join(folder.path, 'solver.c'), join(own, 'libdepth.so')]);
    });

    function compile(level: number): void {
      writeFileSync(join(own, 'depth.c'), constant(level));
      const options = ['-g', '-shared', '-fPIC', '-Wl,--build-id=none', '-o', join(own, 'new.so')];
      execFileSync('gcc', [...options, join(own, 'depth.c')]);
      renameSync(join(own, 'new.so'), join(own, 'libdepth.so'));
    }

    it('takes none that was changed after the core was written, unless it is named', async () => {
      const written = await folder.crashAlone(join(own, 'solver'));
      const print = (...args: string[]) =>
        runCli(['print', 'level', '--core', written, ...args], patienceMs, noServers);
      assert.match((await print()).stdout, /^level +\S+ +3$/m);
      const now = new Date();
      utimesSync(written, now, new Date(now.getTime() - 10_000));
      compile(4);
      const changed = await print();
      assert.match(
        changed.stdout,
        /No symbol "level" in current context; it may be in a file of which nothing is here/,
      );
      assert.match(changed.stderr, /libdepth.so here was changed after the core file was written: .*--search-path/);
      assert.match((await print('--search-path', own)).stdout, /^level +\S+ +4$/m);
    });
  });

  it('says that the program is another build', async () => {
    copyFileSync(join(moved, 'libdepth.so'), join(there, 'libdepth.so'));
    build('solver', '-O1', 'solver.c', join(there, 'libdepth.so'), `-Wl,-rpath,${there}`);
    const { frames, stderr } = await stacks([]);
    assert.match(
      stderr,
      new RegExp(`${there}/solver here is another build \\(build-id .*\\) than the one that wrote it`),
    );
    assert.ok(!frames.includes('main:6'));
  });

  describe('and debuginfod', () => {
    let server: Server;
    let asked: string[];
    let env: NodeJS.ProcessEnv;

    beforeEach(async () => {
      asked = [];
      server = createServer((request, response) => {
        asked.push(request.url ?? '');
        const file = ['solver', 'libdepth.so'].find((name) => request.url?.includes(`/buildid/${buildIdOf(name)}/`));
        const what = /[^/]*$/.exec(request.url ?? '')?.[0];
        if (file === undefined || what === undefined) return void response.writeHead(404).end();
        const served = join(folder.path, `served-${what}`);
        if (what === 'executable') execFileSync('strip', ['-o', served, join(moved, file)]);
        else execFileSync('objcopy', ['--only-keep-debug', join(moved, file), served]);
        response.end(readFileSync(served));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      env = { DEBUGINFOD_URLS: url, DEBUGINFOD_CACHE_PATH: join(folder.path, 'cache'), DEBUGINFOD_TIMEOUT: '10' };
    });

    afterEach(() => {
      server.closeAllConnections();
      server.close();
      rmSync(join(folder.path, 'cache'), { recursive: true, force: true });
    });

    it('gives program, library and debug information by build-id, once', async () => {
      const { frames, stderr } = await stacks([], env);
      assert.deepEqual(frames.slice(-2), whole, stderr);
      for (const file of ['solver', 'libdepth.so'])
        for (const what of ['executable', 'debuginfo'])
          assert.equal(
            asked.filter((url) => url === `/buildid/${buildIdOf(file)}/${what}`).length,
            1,
            `${file} ${what}`,
          );
      asked = [];
      assert.deepEqual((await stacks([], env)).frames.slice(-2), whole);
      assert.deepEqual(asked, [], 'the second time everything is in the cache, what the server lacks too');
    });

    it('is asked for nothing where DEBUGINFOD_URLS is empty', async () => {
      await stacks([], { ...env, DEBUGINFOD_URLS: '' });
      assert.deepEqual(asked, []);
    });

    it('that gives another file is not believed', async () => {
      server.removeAllListeners('request');
      server.on('request', (_, response) => void response.end(readFileSync('/bin/true')));
      const { frames, stderr } = await stacks([], env);
      assert.ok(!frames.includes('main:6'));
      assert.match(stderr, /solver .*another build|solver .*not here/);
    });

    it('writes through no link in its cache', async () => {
      const beside = join(folder.path, 'beside');
      for (const file of ['solver', 'libdepth.so']) {
        const own = join(folder.path, 'cache', buildIdOf(file));
        mkdirSync(own, { recursive: true });
        for (const what of ['executable', 'debuginfo']) symlinkSync(beside, join(own, what));
      }
      server.removeAllListeners('request');
      server.on('request', (_, response) => void response.writeHead(404).end());
      await stacks([], env);
      assert.equal(existsSync(beside), false);
    });

    it('that does not answer is named', async () => {
      const url = env['DEBUGINFOD_URLS'];
      server.close();
      const { stderr } = await stacks([], env);
      assert.match(stderr, new RegExp(`the debuginfod server ${url} could not be asked: .*ECONNREFUSED`));
    });

    it('that sends no byte ends by its timeout', async () => {
      server.removeAllListeners('request');
      const { stderr } = await stacks([], { ...env, DEBUGINFOD_TIMEOUT: '1' });
      assert.match(stderr, /could not be asked: no answer within 1 seconds/);
    });

    it('that sends a byte now and then, or without end, or announces too much, ends too, and leaves nothing', async () => {
      const limits = { ...env, DEBUGINFOD_TIMEOUT: '1', DEBUGINFOD_MAXSIZE: '1000000' };
      const answers: readonly (readonly [answer: (response: ServerResponse) => unknown, why: RegExp])[] = [
        [
          (response) => {
            const timer = setInterval(() => response.write('x'), 50);
            response.on('close', () => clearInterval(timer));
          },
          /could not be asked: it sends less than 102400 bytes in 1 seconds/,
        ],
        [
          (response) => {
            const more = (): void => {
              while (!response.destroyed && response.write(Buffer.alloc(100_000)));
            };
            response.on('drain', more);
            more();
          },
          /could not be asked: it sends \d+ bytes, and 1000000 may be kept/,
        ],
        [
          (response) => void response.writeHead(200, { 'content-length': '99999999999999' }).write('x'),
          /could not be asked: it sends 99999999999999 bytes, and 1000000 may be kept/,
        ],
      ];
      for (const [answer, why] of answers) {
        server.removeAllListeners('request');
        server.on('request', (_, response) => void answer(response));
        const { stderr } = await stacks([], limits);
        assert.match(stderr, why);
        const left = readdirSync(join(folder.path, 'cache'), { recursive: true, encoding: 'utf8' });
        assert.deepEqual(
          left.filter((name) => name.endsWith('.part')),
          [],
        );
      }
    });
  });

  function buildIdOf(file: string): string {
    return buildId(join(moved, file));
  }
});

function buildId(path: string): string {
  const notes = execFileSync('readelf', ['-n', path], { encoding: 'utf8' });
  return /Build ID: ([0-9a-f]+)/.exec(notes)![1]!;
}

const mpiLibraries: Record<Mpi, RegExp> = {
  openmpi: /=> (\S+\/libmpi\.so\.40) /,
  mpich: /=> (\S+\/libmpich\.so\.12) /,
};

for (const mpi of allMpis) {
  it(`handles of ${mpi} in a core file need the library that the process had: another version is named, none too`, async () => {
    const folder = new CoreFolder();
    const path = process.env['LD_LIBRARY_PATH'];
    try {
      const libraries = join(folder.path, 'libraries');
      mkdirSync(libraries);
      const [, own = ''] = mpiLibraries[mpi].exec(
        execFileSync('ldd', [samplePath(mpi, 'segv')], { encoding: 'utf8' }),
      )!;
      const copy = join(libraries, basename(own));
      copyFileSync(own, copy);
      process.env['LD_LIBRARY_PATH'] = libraries;
      const [core] = (await folder.crash(mpi, 'segv', { ranks: 2, args: ['1'] })).values();
      const show = (...args: string[]) =>
        runCli(['show', 'comm:MPI_COMM_WORLD', '--core', core!, ...args], patienceMs, noServers);

      const id = buildId(copy);
      const bytes = readFileSync(copy);
      const at = bytes.indexOf(Buffer.from(id, 'hex'));
      bytes.fill(0xab, at, at + id.length / 2);
      writeFileSync(copy, bytes);
      const other = await show();
      assert.match(
        other.stdout,
        new RegExp(`its MPI library ${copy} here is another one \\(build-id [^)]*\\): name the folder`),
      );
      assert.match(other.stderr, new RegExp(`${copy} \\(build-id (ab)+ here, ${id} in the core\\) is another version`));
      assert.match(other.stderr, /variables of the frames that are shown are right, MPI handles cannot be decoded/);
      const stacks = await runCli(['stacks', '--core', core!], patienceMs, noServers);
      assert.match(stacks.stdout, /read_depth \(segv.c:\d+\)/);

      rmSync(copy);
      const none = await show();
      assert.match(none.stderr, new RegExp(`its MPI library ${copy} \\(build-id ${id}\\) is not here`));

      const found = await show('--search-path', dirname(own));
      assert.match(found.stdout, /MPI_COMM_WORLD · rank 1 of 2/);
      assert.doesNotMatch(found.stderr, /another version|not here/);
    } finally {
      if (path === undefined) delete process.env['LD_LIBRARY_PATH'];
      else process.env['LD_LIBRARY_PATH'] = path;
      folder.remove();
    }
  });
}
