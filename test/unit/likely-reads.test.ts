/** Which memory of another host's process is fetched before it is asked for. */
import assert from 'node:assert/strict';
import { parseMaps } from '../../adapter/hosts/process-maps';
import { likelyReads } from '../../adapter/images/live/likely-reads';

const library = '/usr/lib/libmpi.so.40';
const line = (start: number, end: number, permissions: string, path = '', page = 1): string =>
  `${start.toString(16)}000-${end.toString(16)}000 ${permissions} 0000${page}000 08:01 ${path === '' ? 0 : 77} ${path}`;

const readsOf = (...lines: readonly string[]): [page: number, pages: number][] =>
  likelyReads(parseMaps(lines.join('\n'))).map(({ start, length }) => [Number(start) / 4096, length / 4096]);

describe('the memory that is likely to be read', () => {
  it('is that of variables of libraries, the begin of the heap, and the first page of each file', () => {
    const reads = readsOf(
      line(0x100, 0x2000, 'rw-p', '[heap]'),
      line(0x5000, 0x5010, 'r--p', library, 0),
      line(0x5010, 0x5080, 'r-xp', library),
      line(0x5080, 0x5090, 'r--p', library),
      line(0x5090, 0x5094, 'r--p', library),
      line(0x5094, 0x5098, 'rw-p', library),
      line(0x5098, 0x50a0, 'rw-p'),
      line(0x6000, 0x9000, 'rw-p'),
      line(0x9000, 0x9001, 'rw-s', '/dev/shm/segment'),
      line(0xa000, 0xa010, 'rw-p', '[stack]'),
      line(0xb000, 0xb002, 'r-xp', '[vdso]', 0),
    );
    assert.deepEqual(reads, [
      [0x100, 512],
      [0x5000, 1],
      [0x5090, 4],
      [0x5094, 4],
      [0x5098, 8],
      [0xb000, 2],
    ]);
  });

  it('is not much, however large the arrays of the program are', () => {
    const programs = Array.from({ length: 100 }, (_, i) =>
      line(0x10000 * (i + 1), 0x10000 * (i + 1) + 0x8000, 'rw-p', `/p${i}`),
    );
    const reads = readsOf(...programs);
    assert.deepEqual(reads[0], [0x10000, 64]);
    assert.equal(
      reads.reduce((sum, [, pages]) => sum + pages, 0),
      2048,
    );
  });
});
