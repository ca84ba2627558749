/** mpidbg on core files that it cannot open, or not wholly: a sentence for each cause, the good ones still open. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Document } from '../../plugin-api/mpi/records';
import { coreBytes } from '../support/core-bytes';
import { CoreFolder } from '../support/core-files';
import { OrdinaryUser } from '../support/ordinary-user';
import { runCli } from '../support/run-cli';

describe('mpidbg --core, where a file', () => {
  let folder: CoreFolder;
  let core: string;
  let bytes: Buffer;

  before(async () => {
    folder = new CoreFolder();
    core = (await folder.crash('mpich', 'segv', { ranks: 2, args: ['1'] })).get(1) ?? '';
    bytes = readFileSync(core);
  });

  after(() => folder.remove());

  /** Files beside the good core: why each was not opened, and what was said. The good one is rank 1. */
  async function allBeside(files: readonly (readonly [name: string, content: Buffer])[]) {
    for (const [name, content] of files) writeFileSync(join(folder.path, name), content);
    const paths = files.map(([name]) => join(folder.path, name));
    const { stdout, stderr, status } = await runCli(['info', '--json', '--core', core, ...paths]);
    assert.ok(stdout !== '' && status !== 2, `mpidbg ended with ${status}: ${stderr}`);
    const { ranks } = JSON.parse(stdout) as Document;
    const good = ranks.find((rank) => rank.core === core);
    assert.ok(good !== undefined && 'crash' in good && good.rank === 1, 'the good one is open');
    const others = paths.map((path) => ranks.find((rank) => rank.core === path));
    const reasons = others.map((other) => (other !== undefined && 'error' in other ? other.error.reason : undefined));
    return { reasons, stderr };
  }

  async function beside(name: string, content: Buffer): Promise<{ reason: string | undefined; stderr: string }> {
    const { reasons, stderr } = await allBeside([[name, content]]);
    return { reason: reasons[0], stderr };
  }

  function changed(change: (copy: Buffer) => void): Buffer {
    const copy = Buffer.from(bytes);
    change(copy);
    return copy;
  }

  it('is of a 32-bit process: refused', async () => {
    const { reason } = await beside(
      'core.32',
      changed((copy) => copy.writeUInt8(1, 4) && copy.writeUInt16LE(3, 18)),
    );
    assert.match(
      reason!,
      /^it is the core of a 32-bit process \(x86 \(32 bits\)\): mpidbg reads those of 64-bit ones$/,
    );
  });

  it('is of another processor: refused', async () => {
    const { reason } = await beside(
      'core.arm',
      changed((copy) => copy.writeUInt16LE(183, 18)),
    );
    assert.match(
      reason!,
      /^it is the core of a process on another processor, AArch64: open it on a machine of that kind$/,
    );
  });

  it('has wild sizes that only gdb would believe: it is opened, or gdb says why not', async () => {
    const wild = coreBytes({
      mappings: [{ start: 0x40_0000, end: 0x7000_0000_0000, page: 0, path: '/nonexistent/program' }],
      memory: [{ address: 0x40_0000, bytes: Buffer.alloc(64), size: 2 ** 46 }],
    });
    await beside('core.wild', wild);
    const threads = coreBytes({
      threads: Array.from({ length: 2000 }, (_, i) => ({ lwp: 1 + i, signal: 0 })),
      memory: [{ address: 0x1000, bytes: Buffer.alloc(16) }],
    });
    await beside('core.threads', threads);
  });

  it('is cut off in its notes, while nobody writes it: truncated', async () => {
    const { reason } = await beside('core.notes', bytes.subarray(0, 3000));
    assert.match(reason!, /^it is truncated: /);
  });

  it('is open for writing in a process: still being written', async () => {
    const path = join(folder.path, 'core.open');
    writeFileSync(path, '');
    const packed = execFileSync('gzip', ['-1c'], { input: bytes, maxBuffer: 1 << 28 });
    const descriptor = openSync(path, 'a');
    try {
      // gcore writes the header last; a packed one is copied.
      for (const early of [bytes.subarray(0, 3000), Buffer.alloc(8192), packed.subarray(0, packed.length >> 1)]) {
        const { reason } = await beside('core.open', early);
        assert.equal(reason, 'it is still being written: open it again when it is complete');
      }
      const late = await beside('core.open', bytes.subarray(0, bytes.length - 4096));
      assert.equal(late.reason, undefined);
      assert.match(late.stderr, /core.open: the file is still being written: what is missing so far is unavailable/);
      assert.doesNotMatch(late.stderr, /truncated/);
    } finally {
      closeSync(descriptor);
    }
    const done = await beside('core.open', bytes.subarray(0, bytes.length - 4096));
    assert.match(done.stderr, /core.open: the file is truncated by 4096 bytes/);
  });

  it('changed a moment ago, while nobody has it open: it may still be written; later what to look at', async () => {
    const path = join(folder.path, 'core.begun');
    writeFileSync(path, Buffer.alloc(8192));
    const told = async (changed: number): Promise<string> => {
      utimesSync(path, changed, changed);
      return (await runCli(['info', '--core', core, path])).stdout;
    };
    const what = `not opened: ${path}: it is truncated: its header, which gcore writes last, is missing; `;
    const recent = 'it changed a moment ago: if it is still being written, open it again when it is complete';
    const old = 'if it is a copy, copy it again, else look at ulimit -c and the room on its disk';
    // However long the command takes to start.
    const soon = Date.now() / 1000 + 300;
    assert.ok((await told(soon)).includes(`${what}${recent}\n`));
    assert.ok((await told(0)).includes(`${what}${old}\n`));
  });

  it('grows, by whom ever: still being written', async () => {
    const path = join(folder.path, 'core.grows');
    writeFileSync(path, bytes.subarray(0, 100_000));
    // As the kernel does, no process has the file open for long.
    const writer = setInterval(() => appendFileSync(path, bytes.subarray(0, 4096)), 50);
    try {
      const { stderr } = await runCli(['info', '--core', core, path]);
      assert.match(stderr, /core.grows: the file is still being written/);
    } finally {
      clearInterval(writer);
    }
  });

  it('may not be read: said so, of a folder too', async () => {
    const user = new OrdinaryUser();
    try {
      const mine = join(user.home, 'core.mine');
      const closed = join(user.home, 'core.closed');
      const closedFolder = join(user.home, 'closed');
      for (const copy of [mine, closed, `${closed}.gz`]) copyFileSync(core, copy);
      chmodSync(mine, 0o644);
      for (const path of [closed, `${closed}.gz`]) chmodSync(path, 0o000);
      mkdirSync(closedFolder, { mode: 0o700 });
      const run = (...cores: string[]) =>
        promisify(execFile)(
          process.execPath,
          [user.dist('cli.js'), 'info', '--core', ...cores],
          user.spawnOptions,
        ).catch((error: unknown) => error as { stdout: string; stderr: string });
      const { stdout } = await run(join(user.home, 'core.*'));
      assert.match(stdout, /^rank 1: SIGSEGV/m);
      assert.match(
        stdout,
        new RegExp(
          `^not opened: ${closed},${closed}.gz: it cannot be read: ask its owner, or run chmod \\+r on it$`,
          'm',
        ),
      );
      assert.match((await run(join(closedFolder, 'core.*'))).stderr, /the folder .*\/closed cannot be read/);
    } finally {
      user.remove();
    }
  });

  it('is one of 10 000 that are none: one line for them, in a few seconds', async () => {
    const many = join(folder.path, 'many');
    mkdirSync(many);
    copyFileSync(core, join(many, 'core.good'));
    for (let i = 0; i < 10_000; i++) writeFileSync(join(many, `core.${i}`), i % 2 === 0 ? '' : 'log\n');
    const { stdout, stderr, status } = await runCli(['info', '--core', join(many, 'core.*')], 30_000);
    assert.equal(status, 1, stderr);
    assert.match(stdout, /^rank 1: SIGSEGV/m);
    const lines = stdout.split('\n').filter((line) => line.startsWith('not opened:'));
    assert.equal(lines.length, 2, lines.join('\n').slice(0, 2000));
    assert.match(lines.join('\n'), /core.0,\S+core.2,\S+core.4 and 4997 more: it is empty/);
    assert.match(lines.join('\n'), /core.1,\S+core.3,\S+core.5 and 4997 more: it is not a core file/);
    assert.ok(Math.max(...lines.map(({ length }) => length)) < 500);
  });

  it('is a folder, or the program is none: refused', async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { stderr, status } = await runCli(['info', '--core', ...args]);
      assert.equal(status, 2);
      return stderr;
    };
    assert.match(await refused(folder.path), /: it is a folder: name the core files in it$/m);
    assert.match(await refused(core, '--program', folder.path), /is a folder: name the program in it$/m);
    assert.match(await refused(core, '--program', `${core}.none`), /there is no program .*: correct --program/);
  });

  it('has a name that says something else: what is in it counts', async () => {
    const packed = execFileSync('gzip', ['-1c'], { input: bytes, maxBuffer: 1 << 28 });
    const { reasons } = await allBeside([
      ['core.node07.4711', packed],
      ['core.plain.gz', bytes],
      ['core.bz2', Buffer.from('BZh91AY&SY')],
      ['core.zip', Buffer.from('PK\x03\x04')],
      ['_home_me_solver.1000.crash', Buffer.from('ProblemType: Crash\nArchitecture: amd64\n')],
    ]);
    assert.deepEqual(reasons, [
      undefined,
      undefined,
      'it is compressed with bzip2: unpack it',
      'it is a ZIP archive: unpack it',
      'it is a report of apport: unpack the core file in it with apport-unpack',
    ]);
  });

  for (const [suffix, pack] of [
    ['gz', ['gzip', '-c']],
    ['zst', ['zstd', '-qc']],
    ['xz', ['xz', '-0c']],
    ['lz4', ['lz4', '-qc']],
  ] as const) {
    it(`is a bomb in .${suffix}: no more is unpacked than a core file has`, async () => {
      const packed = (content: Buffer): Buffer =>
        execFileSync(pack[0], pack.slice(1), { input: content, maxBuffer: 1 << 28 });
      const small = coreBytes({ memory: [{ address: 0x1000, bytes: Buffer.alloc(16) }] });
      const tail = Buffer.alloc(80 << 20);
      // A header that announces more than there is room for.
      const huge = Buffer.from(small);
      huge.writeBigUInt64LE(2n ** 50n, 64 + 56 + 32);
      huge.writeBigUInt64LE(2n ** 50n, 64 + 56 + 40);
      const whole = packed(bytes);
      const { reasons } = await allBeside([
        [`core.bomb.${suffix}`, packed(Buffer.concat([small, tail]))],
        [`core.zeros.${suffix}`, packed(tail)],
        [`core.huge.${suffix}`, packed(huge)],
        [`core.cut.${suffix}`, whole.subarray(0, whole.length >> 1)],
      ]);
      assert.equal(reasons[0], 'it unpacks to more than its header says');
      assert.match(reasons[1]!, /^it is truncated: its header, which gcore writes last, is missing; /);
      assert.match(reasons[2]!, /^it unpacks to 1048576.0 GiB, and [\d.]+ GiB may be used in .*: set TMPDIR/);
      assert.match(reasons[3]!, /unpack/);
    });
  }
});
