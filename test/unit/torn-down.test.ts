/** Ranks that MPI ends because another one has died. */
import type { SeenDeath } from '../../plugin-api/deaths/seen-death';
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { Deaths } from '../../adapter/job/deaths';
import type { Gdb } from '../../adapter/gdb/gdb';
import type { Rank } from '../../adapter/job/rank';
import { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { facts as mpich } from '../../plugin-api/plugins/mpich/facts';

const library = '/usr/lib/x86_64-linux-gnu/libmpich.so.12';

class TwoRanks {
  private readonly gdb = new EventEmitter() as Gdb;
  readonly ranks = [1, 2].map((inferior) => ({ gdb: this.gdb, threadGroup: `i${inferior}`, alive: true }) as Rank);
  readonly deaths = new Deaths(
    [this.gdb],
    new KnownMpis([mpich]),
    () => this.ranks,
    (_, work) => work(),
  );
  readonly seen: Rank[] = [];

  constructor() {
    this.deaths.on('seen', (rank) => this.seen.push(rank));
  }

  readonly dies = (rank: number, of: Partial<SeenDeath>): void => {
    const seen = { inferior: rank + 1, thread: rank + 1, stops: true, place: 'exit', code: 5, ...of };
    this.gdb.emit('printed', `\u0001mpidbg-death ${JSON.stringify(seen)}`, 'log');
  };
}

const exit = { kind: 'exit-without-finalize' } as const;

describe('a rank that exits after another one has died', () => {
  it('is torn down where MPI exits, and the other was let go on', () => {
    const { deaths, ranks, seen, dies } = new TwoRanks();
    dies(1, { kind: 'mpi-abort' });
    deaths.continued(ranks[1]!);
    dies(0, { ...exit, caller: library });
    assert.deepEqual(seen, [ranks[1]]);
  });

  it('is torn down where a signal has ended the other', () => {
    const { deaths, ranks, seen, dies } = new TwoRanks();
    deaths.ended({ ...ranks[1]!, end: { signal: 'SIGSEGV' } });
    dies(0, { ...exit, caller: library });
    assert.deepEqual(seen, []);
  });

  it('dies for itself as long as the other waits, or where the program exits', () => {
    const { deaths, ranks, seen, dies } = new TwoRanks();
    dies(1, { kind: 'mpi-error' });
    dies(0, { ...exit, caller: library });
    assert.deepEqual(seen, [ranks[1], ranks[0]]);
    deaths.continued(ranks[1]!);
    dies(0, { ...exit, caller: '/home/user/heat' });
    dies(0, exit);
    dies(0, { kind: 'mpi-error' });
    assert.equal(seen.length, 5);
  });

  it('has an error of MPI for the other, unless it is of its own call', () => {
    const { deaths, ranks } = new TwoRanks();
    const error: SeenDeath = { inferior: 1, thread: 1, stops: true, place: 'handled', code: 5, kind: 'mpi-error' };
    assert.ok(!deaths.isOfLostRank(ranks[0]!, error, 'MPI_ERR_OTHER'));
    deaths.ended({ ...ranks[1]!, end: { signal: 'SIGSEGV' } });
    assert.ok(deaths.isOfLostRank(ranks[0]!, error, 'MPI_ERR_OTHER'));
    assert.ok(deaths.isOfLostRank(ranks[0]!, error, 'MPIX_ERR_PROC_FAILED'));
    assert.ok(!deaths.isOfLostRank(ranks[0]!, error, 'MPI_ERR_TRUNCATE'));
    assert.ok(!deaths.isOfLostRank(ranks[0]!, error, undefined));
    assert.ok(!deaths.isOfLostRank(ranks[0]!, { ...error, kind: 'mpi-error-returned' }, 'MPI_ERR_OTHER'));
  });
});
