/** A gdb that can start no process while it attaches. */
import assert from 'node:assert/strict';
import { ShortageError } from '../../adapter/elf/shortage-error';
import { attachRank } from '../../adapter/job/attach-rank';
import type { GdbRanks } from '../../adapter/job/gdb-ranks';
import type { Rank } from '../../adapter/job/rank';
import { arrivals, FakeGdb } from '../support/fake-gdb';

for (const arrival of arrivals)
  it(`a gdb that cannot fork forgets the stop of an attach: that is told, what it writes arriving ${arrival}`, async () => {
    const fake = new FakeGdb(arrival);
    const gdb = await fake.connect();
    const group = { held: () => new Promise<void>(() => undefined) } as unknown as GdbRanks;
    const attached = attachRank(group, { gdb, threadGroup: 'i1' } as Rank, 4711);
    const told = assert.rejects(attached, (error) => error instanceof ShortageError && /ulimit -u/.test(error.message));
    await fake.plays(`
      > 1-target-attach --thread-group i1 4711
      < =thread-group-started,id="i1",pid="4711"
      < 1^done
      < &"fork: Resource temporarily unavailable.\\n"
    `);
    await told;
  });
