import assert from 'node:assert/strict';
import type { Breakpoint } from '../../adapter/job/breakpoint';
import { arrivals } from '../support/fake-gdb';
import { FakeJob, interrupted, stopped, type FakeRanks } from '../support/fake-job';

/** A glance, and one that meets a breakpoint, are what gdb 13.1 wrote; the other scripts are put together from such pieces. */
for (const arrival of arrivals) {
  describe(`ranks that are held for a moment, what gdb writes at once arriving ${arrival}`, () => {
    /** One rank, which runs and has a library whose symbols are not loaded. */
    async function running({ threads }: FakeRanks = { threads: [[1, 2]] }): Promise<FakeJob> {
      const fake = await FakeJob.attached(arrival, { threads });
      const continued = fake.job.continue(fake.job.ranks);
      await fake.gdb.plays(`
        > 1-exec-continue --thread-group i1
        < 1^running
        ${threads[0]!.map((id) => `< *running,thread-id="${id}"`).join('\n')}
        < =library-loaded,id="/lib/part.so",thread-group="i1"
      `);
      await continued;
      assert.deepEqual(fake.takeTold(), ['rank 0 runs']);
      return fake;
    }

    function glance({ jobHost, rank }: FakeJob): Promise<void> {
      return jobHost.group(rank(0)).glance();
    }

    function watch({ job, rank }: FakeJob, address: bigint): Promise<Breakpoint[]> {
      return job.breakpoints.replaceWatched([
        { kind: 'data', watched: { rank: rank(0), address, type: 'int', access: 'write' } },
      ]);
    }

    /** Both threads stand, and gdb reads symbols. */
    const held = `
      > 2-exec-interrupt --thread-group i1
      < 2^done
      < ${interrupted(1)}
      < ${interrupted(2)}
      > 3-interpreter-exec --thread 1 console "sharedlibrary"`;

    const ends = `
      > 2-exec-interrupt --thread-group i1
      < 2^done
      < =thread-exited,id="1",group-id="i1"
      < =thread-exited,id="2",group-id="i1"
      < =thread-group-exited,id="i1",exit-code="00"
      < *stopped,reason="exited-normally"`;

    const goesOn = `
      > 90-exec-continue --thread-group i1
      < 90^running
      < *running,thread-id="1"
      < *running,thread-id="2"`;

    it('for their symbols go on, and nobody is told', async () => {
      const fake = await running();
      const glanced = glance(fake);
      await fake.gdb.plays(`
        ${held}
        < 3^done
        ${goesOn}
      `);
      await glanced;
      assert.deepEqual([fake.takeTold(), fake.rank(0).state], [[], 'running']);
      fake.clock.pass(1000);
      await glance(fake);
      await fake.gdb.plays('');
    });

    it('are told as stopped when they meet a breakpoint in it', async () => {
      const fake = await running();
      const glanced = glance(fake);
      await fake.gdb.plays(`
        > 2-exec-interrupt --thread-group i1
        < ${stopped('breakpoint-hit', 2)}
        < 2^done
        < ${interrupted(1)}
      `);
      await glanced;
      assert.deepEqual(fake.takeTold(), ['rank 0 stopped in 2: breakpoint']);
    });

    it('are told as stopped when the user pauses them in it', async () => {
      const fake = await running();
      const glanced = glance(fake);
      await fake.gdb.plays(`
        > 2-exec-interrupt --thread-group i1
        < 2^done
        < ${interrupted(1)}
      `);
      await glanced;
      await fake.job.interrupt(fake.job.ranks);
      await fake.gdb.plays(`< ${interrupted(2)}`);
      assert.deepEqual(fake.takeTold(), ['rank 0 stopped in 1: pause']);
    });

    it('are told as stopped when the user pauses them while their symbols are read', async () => {
      const fake = await running();
      const glanced = glance(fake);
      await fake.gdb.plays(held);
      await glanced;
      await fake.job.interrupt(fake.job.ranks);
      await fake.gdb.plays('< 3^done');
      assert.deepEqual(fake.takeTold(), ['rank 0 stopped in 1: pause']);
    });

    it('may end in it', async () => {
      const fake = await running();
      const glanced = glance(fake);
      await fake.gdb.plays(ends);
      await glanced;
      assert.deepEqual(fake.takeTold(), ['thread 1 ended', 'thread 2 ended', 'rank 0 exited {"exitCode":0}']);
    });

    it('do not run again when the session ends meanwhile', async () => {
      const fake = await running();
      const glanced = glance(fake);
      await fake.gdb.plays(held);
      await glanced;
      const detached = fake.jobHost.detachAll();
      await fake.gdb.plays(`
        < 3^done
        > 4-target-detach --thread-group i1
        < =thread-group-exited,id="i1"
        < 4^done
      `);
      await detached;
    });

    it('are not those that step, until they have', async () => {
      const fake = await FakeJob.attached(arrival, { threads: [[1]] });
      const stepped = fake.job.step(fake.job.ranks, 'over');
      await fake.gdb.plays(`
        > 1-exec-next --thread 1
        < 1^running
        < *running,thread-id="1"
        < =library-loaded,id="/lib/part.so",thread-group="i1"
      `);
      await stepped;
      await glance(fake);
      await fake.gdb.plays(`< ${stopped('end-stepping-range', 1)}`);
      const continued = fake.job.continue(fake.job.ranks);
      await fake.gdb.plays(`
        > 2-exec-continue --thread-group i1
        < 2^running
        < *running,thread-id="1"
        < =library-loaded,id="/lib/other.so",thread-group="i1"
      `);
      await continued;
      const glanced = glance(fake);
      await fake.gdb.plays('> 3-exec-interrupt --thread-group i1\n< 3^done');
      await glanced;
    });

    it('are not those of which only one thread runs', async () => {
      const fake = await FakeJob.attached(arrival, { threads: [[1, 2]] });
      const continued = fake.job.continueThread(fake.thread(2));
      await fake.gdb.plays(`
        > 1-exec-continue --thread 2
        < 1^running
        < *running,thread-id="2"
        < =library-loaded,id="/lib/part.so",thread-group="i1"
      `);
      await continued;
      await glance(fake);
      await fake.gdb.plays('');
    });

    it('for a data breakpoint go on with it', async () => {
      const fake = await running();
      const set = watch(fake, 0x4000n);
      await fake.gdb.plays(`
        ${held}
        < 3^done
        > 4-break-watch --thread 1 "*(int *)0x4000" with language c
        < 4^done,wpt={number="5",exp="*(int *)0x4000"}
        ${goesOn}
      `);
      assert.deepEqual([(await set)[0]?.verified, fake.takeTold()], [true, []]);
    });

    it('for a data breakpoint go on with a second one that comes meanwhile', async () => {
      const fake = await running();
      const first = watch(fake, 0x4000n);
      await fake.gdb.plays(`
        ${held}
        < 3^done
        > 4-break-watch --thread 1 "*(int *)0x4000" with language c
      `);
      const second = fake.jobHost
        .group(fake.rank(0))
        .whileHeld(fake.rank(0), () => fake.job.gdbs[0]!.command('-second'));
      await fake.gdb.plays(`
        < 4^done,wpt={number="5",exp="*(int *)0x4000"}
        > 5-second
        < 5^done
        ${goesOn}
      `);
      await Promise.all([first, second]);
      assert.deepEqual(fake.takeTold(), []);
    });

    it('for what gdb refuses go on without', async () => {
      const fake = await running();
      const set = watch(fake, 0x4000n);
      await fake.gdb.plays(`
        ${held}
        < 3^done
        > 4-break-watch --thread 1 "*(int *)0x4000" with language c
        < 4^error,msg="Expression cannot be implemented with read/access watchpoint."
        ${goesOn}
      `);
      const [breakpoint] = await set;
      assert.match(breakpoint?.message ?? '', /cannot be implemented/);
      assert.deepEqual(fake.takeTold(), []);
    });

    it('fail what waited for them when they end', async () => {
      const fake = await running();
      const set = watch(fake, 0x4000n);
      await fake.gdb.plays(ends);
      assert.equal((await set)[0]?.message, 'rank 0 has ended');
    });

    it('fail what waited for them when their gdb dies', async () => {
      const fake = await running();
      const set = watch(fake, 0x4000n);
      await fake.gdb.plays('> 2-exec-interrupt --thread-group i1');
      fake.gdb.dies();
      assert.equal((await set)[0]?.message, 'rank 0 has ended');
    });
  });
}
