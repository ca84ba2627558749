import assert from 'node:assert/strict';
import { ShortageError } from '../../adapter/elf/shortage-error';
import { RankEndedError } from '../../adapter/job/rank-ended';
import { arrivals } from '../support/fake-gdb';
import { FakeJob, interrupted, stopped, type FakeRanks, hitBeforeSymbols } from '../support/fake-job';

/*
 * Scripts in the form of what gdb 13.1 writes, without frames and results that nobody reads. Recorded, with processes of one
 * to three threads in one gdb: a step beside a stop, two causes at once, the SIGSTOP of an attach, a thread that ends alone,
 * the end of a process, an ^error behind ^running, and a gdb that is killed. The others are put together from such pieces.
 */
for (const arrival of arrivals) {
  describe(`stops of ranks, what gdb writes at once arriving ${arrival}`, () => {
    const attached = (ranks: FakeRanks): Promise<FakeJob> => FakeJob.attached(arrival, ranks);

    const running = (ranks?: FakeRanks): Promise<FakeJob> => FakeJob.running(arrival, ranks);
    it('a rank stops, with all its threads, while another one steps', async () => {
      const { job, gdb, rank, takeTold } = await attached({ threads: [[1, 2], [3]] });
      const moved = Promise.all([job.step([rank(1)], 'over'), job.continue([rank(0)])]);
      await gdb.plays(`
        > 1-exec-next --thread 3
        > 2-exec-continue --thread-group i1
        < 1^running
        < *running,thread-id="3"
        < 2^running
        < *running,thread-id="1"
        < *running,thread-id="2"
        < ${stopped('breakpoint-hit', 2)}
        > 3-exec-interrupt --thread-group i1
      `);
      await moved;
      assert.deepEqual(takeTold(), ['rank 1 runs', 'rank 0 runs']);
      await gdb.plays(`
        < 3^done
        < ${interrupted(1)}
      `);
      assert.deepEqual(takeTold(), ['rank 0 stopped in 2: breakpoint']);
      assert.equal(rank(1).state, 'running');
      await gdb.plays(`< ${stopped('end-stepping-range', 3)}`);
      assert.deepEqual(takeTold(), ['rank 1 stopped in 3: step']);
    });

    it('of two threads that come to breakpoints at once the first is the cause, and each keeps its own', async () => {
      const { gdb, rank, thread, takeTold, clock } = await running();
      await gdb.plays(`
        < ${stopped('breakpoint-hit', 2)}
        > 2-exec-interrupt --thread-group i1
        < ${stopped('breakpoint-hit', 1)}
        < 2^done
      `);
      assert.deepEqual(takeTold(), ['rank 0 stopped in 2: breakpoint']);
      assert.equal(rank(0).current, thread(2));
      assert.deepEqual([thread(1).stop?.reason, thread(2).stop?.reason], ['breakpoint', 'breakpoint']);
      clock.pass(1000);
      await gdb.plays('');
    });

    it('a rank of which nothing can be looked at any more has stopped all the same, and what is missing is said', async () => {
      const { gdb, rank, takeTold } = await running();
      const nothing = (): Promise<never> => Promise.reject(new ShortageError('no more files'));
      const host = { name: 'elsewhere' };
      const process = new Proxy({}, { get: (_, name) => (name === 'host' ? host : nothing) });
      Object.assign(rank(0), { process });
      await gdb.plays(`
        < =thread-created,id="7",group-id="i1"
        < *running,thread-id="7"
        < ${stopped('breakpoint-hit', 2)}
        > 2-exec-interrupt --thread-group i1
        < 2^done
        < ${interrupted(1)}
        < *stopped,frame={addr="0x5545"},thread-id="7",stopped-threads=["7"]
      `);
      assert.deepEqual(takeTold(), [
        'thread 7 began',
        'message: rank 0: its threads cannot be told from those of libraries: no more files',
        'rank 0 stopped in 2: breakpoint',
      ]);
    });

    it('a pause between the answer and its *running stops the rank', async () => {
      const { job, gdb, rank, takeTold } = await attached({ threads: [[1, 2]] });
      const continued = job.continue([rank(0)]);
      await gdb.plays(`
        > 1-exec-continue --thread-group i1
        < 1^running
      `);
      await continued;
      const paused = job.interrupt([rank(0)]);
      await gdb.plays(`
        > 2-exec-interrupt --thread-group i1
        < *running,thread-id="1"
        < *running,thread-id="2"
        < 2^done
        < ${interrupted(1)}
        < ${interrupted(2)}
      `);
      await paused;
      assert.deepEqual(takeTold(), ['rank 0 runs', 'rank 0 stopped in 1: pause']);
    });

    it('the cause of an earlier stop is none of the next', async () => {
      const { job, gdb, rank, thread, takeTold } = await running();
      await gdb.plays(`
        < ${stopped('breakpoint-hit', 2)}
        > 2-exec-interrupt --thread-group i1
        < 2^done
        < ${interrupted(1)}
      `);
      const continued = job.continue([rank(0)]);
      await gdb.plays(`
        > 3-exec-continue --thread-group i1
        < 3^running
        < *running,thread-id="1"
        < *running,thread-id="2"
      `);
      await continued;
      assert.equal(thread(2).stop, undefined);
      takeTold();
      const paused = job.interrupt([rank(0)]);
      await gdb.plays(`
        > 4-exec-interrupt --thread-group i1
        < 4^done
        < ${interrupted(1)}
        < ${interrupted(2)}
      `);
      await paused;
      assert.deepEqual(takeTold(), ['rank 0 stopped in 2: pause']);
    });

    it('threads that gdb forgets to stop are asked again', async () => {
      // gdb 13.1 forgets one now and then.
      const { job, gdb, rank, takeTold, clock } = await running();
      const paused = job.interrupt([rank(0)]);
      await gdb.plays(`
        > 2-exec-interrupt --thread-group i1
        < 2^done
        < ${interrupted(1)}
      `);
      await paused;
      clock.pass(299);
      await gdb.plays('');
      clock.pass(1);
      await gdb.plays(`
        > 3-exec-interrupt --thread-group i1
        < 3^done
      `);
      assert.deepEqual(takeTold(), []);
      clock.pass(300);
      await gdb.plays(`
        > 4-exec-interrupt --thread-group i1
        < 4^done
        < ${interrupted(2)}
      `);
      assert.deepEqual(takeTold(), ['rank 0 stopped in 1: pause']);
      clock.pass(1000);
      await gdb.plays('');
    });

    it('a thread that begins while its rank is stopping stops with it', async () => {
      const { job, gdb, rank, takeTold } = await running();
      const paused = job.interrupt([rank(0)]);
      await gdb.plays(`
        > 2-exec-interrupt --thread-group i1
        < =thread-created,id="7",group-id="i1"
        < *running,thread-id="7"
        > 3-exec-interrupt --thread 7
        < 2^done
        < 3^done
        < ${interrupted(1)}
        < ${interrupted(2)}
      `);
      await paused;
      assert.deepEqual(takeTold(), ['thread 7 began']);
      await gdb.plays(`< ${interrupted(7)}`);
      assert.deepEqual(takeTold(), ['rank 0 stopped in 1: pause']);
    });

    it('a rank that ends while it is being held is not told as stopped', async () => {
      const { job, jobHost, gdb, rank, takeTold, clock } = await running();
      const held = assert.rejects(jobHost.group(rank(0)).held(rank(0)), RankEndedError);
      const paused = job.interrupt([rank(0)]);
      await gdb.plays(`
        > 2-exec-interrupt --thread-group i1
        < 2^done
        < ${interrupted(2)}
        < =thread-exited,id="1",group-id="i1"
      `);
      await paused;
      // What follows came 25 ms later.
      clock.pass(25);
      await gdb.plays(`
        < =thread-exited,id="2",group-id="i1"
        < =thread-created,id="7",group-id="i1"
        < =thread-exited,id="7",group-id="i1"
        < =thread-group-exited,id="i1",exit-code="03"
        < *stopped,reason="exited",exit-code="03"
        > 3-exec-interrupt --thread 7
        < 3^error,msg="Invalid thread id: 7"
      `);
      await held;
      const ends = ['thread 1 ended', 'thread 2 ended', 'thread 7 began', 'thread 7 ended'];
      assert.deepEqual(takeTold(), [...ends, 'rank 0 exited {"exitCode":3}']);
      clock.pass(1000);
      await gdb.plays('');
      assert.deepEqual(takeTold(), []);
    });

    it('a rank that a signal ends while its stop is prepared is not told as stopped', async () => {
      const { gdb, takeTold } = await running();
      await gdb.plays(`
        ${hitBeforeSymbols}
        < =thread-exited,id="1",group-id="i1"
        < =thread-exited,id="2",group-id="i1"
        < =thread-group-exited,id="i1"
        < *stopped,reason="exited-signalled",signal-name="SIGKILL",signal-meaning="Killed"
        < 3^error,msg="Invalid thread id: 1"
      `);
      assert.deepEqual(takeTold(), ['thread 1 ended', 'thread 2 ended', 'rank 0 exited {"signal":"SIGKILL"}']);
    });

    it('a thread that stops without a reason stops its rank', async () => {
      const { gdb, rank, takeTold } = await running();
      Object.assign(rank(0), { process: { hasStoppedThread: () => Promise.resolve(true) } });
      await gdb.plays(`
        < *stopped,thread-id="1",stopped-threads=["1"]
        > 2-exec-interrupt --thread-group i1
        < 2^done
        < ${interrupted(2)}
      `);
      assert.deepEqual(takeTold(), ['rank 0 stopped in 1: pause']);
    });

    it('a thread that stops without a reason in a process that was killed stops nothing', async () => {
      // gdb 13.1 on a busy machine: the ends came 0.3 to 1.5 s later.
      const { gdb, rank, takeTold, clock } = await running();
      Object.assign(rank(0), { process: { hasStoppedThread: () => Promise.resolve(false) } });
      await gdb.plays(`
        < *stopped,thread-id="1",stopped-threads=["1"]
        < =thread-exited,id="2",group-id="i1"
      `);
      clock.pass(400);
      await gdb.plays(`
        < =thread-exited,id="1",group-id="i1"
        < =thread-group-exited,id="i1"
        < *stopped,reason="exited-signalled",signal-name="SIGKILL",signal-meaning="Killed"
      `);
      assert.deepEqual(takeTold(), ['thread 2 ended', 'thread 1 ended', 'rank 0 exited {"signal":"SIGKILL"}']);
    });

    it('an end that the system has told is not told again when gdb tells it late', async () => {
      const { jobHost, gdb, rank, takeTold } = await running();
      jobHost.group(rank(0)).gone(rank(0), { exitCode: 1 });
      assert.deepEqual(takeTold(), ['thread 1 ended', 'thread 2 ended', 'rank 0 exited {"exitCode":1}']);
      await gdb.plays(`
        > 2-target-detach --thread-group i1
        < =thread-exited,id="1",group-id="i1"
        < =thread-exited,id="2",group-id="i1"
        < =thread-group-exited,id="i1",exit-code="01"
        < *stopped,reason="exited",exit-code="01"
        < 2^error,msg="The program is not being run."
      `);
      assert.deepEqual(takeTold(), []);
    });

    it('a rank is told as stopped also when the symbols of its libraries cannot be read', async () => {
      const { gdb, takeTold } = await running();
      await gdb.plays(`
        ${hitBeforeSymbols}
        < 3^error,msg="/lib/part.so: not an ELF file"
      `);
      assert.deepEqual(takeTold(), [
        'message: rank 0: the symbols of its libraries cannot be read: /lib/part.so: not an ELF file',
        'rank 0 stopped in 2: breakpoint',
      ]);
    });
  });
}
