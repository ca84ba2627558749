/** Which memory of another host's process is fetched before it is asked for. */
import assert from 'node:assert/strict';
import { parseMaps } from '../../adapter/hosts/process-maps';
import { likelyReads } from '../../adapter/images/live/likely-reads';

const library = '/usr/lib/libmpi.so.40';
const program = '/home/user/heat';
const line = (start: number, end: number, permissions: string, path = '', page = 1): string =>
  `${start.toString(16)}000-${end.toString(16)}000 ${permissions} 0000${page}000 08:01 ${path === '' ? 0 : 77} ${path}`;

const readsOf = (...lines: readonly string[]): [page: number, pages: number][] =>
  likelyReads(parseMaps(lines.join('\n')), program, (path) => path === library).map(({ start, length }) => [
    Number(start) / 4096,
    length / 4096,
  ]);

describe('the memory that is likely to be read', () => {
  it("is that of variables of the program, of MPI's libraries and of the dynamic linker, and where NULL points", () => {
    const reads = readsOf(
      line(0x10, 0x12, 'r--p', program, 0),
      line(0x12, 0x14, 'r-xp', program),
      line(0x14, 0x15, 'r--p', program),
      line(0x15, 0x16, 'rw-p', program),
      line(0x5000, 0x5010, 'r--p', library, 0),
      line(0x5010, 0x5080, 'r-xp', library),
      line(0x5080, 0x5090, 'r--p', library),
      line(0x5090, 0x5094, 'r--p', library),
      line(0x5094, 0x5098, 'rw-p', library),
      line(0x5098, 0x50a0, 'rw-p'),
      line(0x6000, 0x6004, 'r--p', '/usr/lib/libother.so', 0),
      line(0x6004, 0x6008, 'r--p', '/usr/lib/libother.so'),
      line(0x6008, 0x600c, 'rw-p', '/usr/lib/libother.so'),
      line(0x600c, 0x6100, 'rw-p'),
      line(0x7000, 0x7001, 'r--p', '/usr/lib/ld-linux-x86-64.so.2', 0),
      line(0x7001, 0x7002, 'rw-p', '/usr/lib/ld-linux-x86-64.so.2'),
      line(0x9000, 0x9001, 'rw-s', '/dev/shm/segment'),
      line(0xb000, 0xb002, 'r-xp', '[vdso]', 0),
    );
    assert.deepEqual(reads, [
      [0, 1],
      [0x10, 1],
      [0x14, 1],
      [0x15, 1],
      [0x5090, 4],
      [0x5094, 4],
      [0x5098, 8],
      [0x7000, 1],
      [0x7001, 1],
      [0xb000, 2],
    ]);
  });

  it('is that of heaps: the begin of the first, those of other threads, and the small parts of the dynamic linker', () => {
    const reads = readsOf(
      line(0x100, 0x2000, 'rw-p', '[heap]'),
      // A multiple of 64 MiB.
      line(0x4000, 0x4021, 'rw-p'),
      line(0x4021, 0x8000, '---p'),
      line(0x8000, 0x8800, 'rw-p'),
      // What other libraries or the program have mapped.
      line(0x9001, 0x9100, 'rw-p'),
      line(0xa001, 0xa003, 'rw-p'),
      line(0xb001, 0xb002, 'rw-p', '[stack]'),
    );
    assert.deepEqual(reads, [
      [0, 1],
      [0x100, 512],
      [0x4000, 33],
      [0x8000, 64],
      [0xa001, 2],
    ]);
  });

  it('is not much, however large the arrays of the program are', () => {
    const programs = Array.from({ length: 100 }, (_, i) =>
      line(0x10000 * (i + 1), 0x10000 * (i + 1) + 0x8000, 'rw-p', library),
    );
    const reads = readsOf(...programs);
    assert.deepEqual(reads[1], [0x10000, 128]);
    assert.equal(
      reads.reduce((sum, [, pages]) => sum + pages, 0),
      1 + 1024,
    );
  });
});
