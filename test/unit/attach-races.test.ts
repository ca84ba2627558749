import assert from 'node:assert/strict';
import { attachRank } from '../../adapter/job/attach-rank';
import { RankEndedError } from '../../adapter/job/rank-ended';
import { reveal } from '../../adapter/job/shown-ranks';
import { arrivals } from '../support/fake-gdb';
import {
  attachScript,
  FakeJob,
  frameOfAttach,
  interrupted,
  stopped,
  type FakeRanks,
  hitBeforeSymbols,
} from '../support/fake-job';

/*
 * Scripts in the form of what gdb 13.1 writes, without frames and results that nobody reads. Recorded, with processes of one
 * to three threads in one gdb: a step beside a stop, two causes at once, the SIGSTOP of an attach, a thread that ends alone,
 * the end of a process, an ^error behind ^running, and a gdb that is killed. The others are put together from such pieces.
 */
for (const arrival of arrivals) {
  describe(`ranks that are attached to, let go or lost with their gdb, what gdb writes at once arriving ${arrival}`, () => {
    const attached = (ranks: FakeRanks): Promise<FakeJob> => FakeJob.attached(arrival, ranks);

    const running = (ranks?: FakeRanks): Promise<FakeJob> => FakeJob.running(arrival, ranks);
    describe('a gdb that dies', () => {
      const lost = 'rank 0 lost {}';
      const message = 'message: gdb of rank 0 closed the connection: mpidbg can no longer tell what it does';

      it('between a request and its answer', async () => {
        const { job, gdb, rank, takeTold, clock } = await running();
        const paused = job.interrupt([rank(0)]);
        await gdb.plays('> 2-exec-interrupt --thread-group i1');
        gdb.dies();
        await paused;
        assert.deepEqual(takeTold(), ['thread 1 ended', 'thread 2 ended', lost, message]);
        clock.pass(1000);
        await gdb.silence();
        assert.equal(rank(0).state, 'lost');
      });

      it('when it has said that the rank runs, which it was about to', async () => {
        const { job, gdb, rank, takeTold } = await attached({ threads: [[1, 2]] });
        const stepped = job.step([rank(0)], 'over');
        await gdb.plays(`
          > 1-exec-next --thread 1
          < 1^running
          > 2-exec-continue --thread 2
        `);
        gdb.dies();
        await stepped;
        await gdb.silence();
        assert.deepEqual(takeTold(), ['thread 1 ended', 'thread 2 ended', lost, message]);
      });

      it('while a stop is prepared', async () => {
        const { gdb, takeTold } = await running();
        await gdb.plays(hitBeforeSymbols);
        gdb.dies();
        await gdb.silence();
        assert.deepEqual(takeTold(), ['thread 1 ended', 'thread 2 ended', lost, message]);
      });

      it('while somebody waits for a stop', async () => {
        const { jobHost, gdb, rank } = await running();
        const held = assert.rejects(jobHost.group(rank(0)).held(rank(0)), RankEndedError);
        gdb.dies();
        await held;
      });
    });

    describe('a rank that is attached to', () => {
      /** What gdb says until the first of two threads stands. */
      const firstStands = `
        > 1-target-attach --thread-group i1 1000
        < =thread-group-started,id="i1",pid="1000"
        < =thread-created,id="1",group-id="i1"
        < =thread-created,id="2",group-id="i1"
        < *running,thread-id="2"
        < 1^done
        < *stopped,thread-id="1",stopped-threads=["1"]`;

      it('is held when all its threads stand, which is after the answer', async () => {
        const { gdb, add, attach, takeTold } = await FakeJob.empty(arrival);
        let isHeld = false;
        const attached = attach(add(0)).then(() => (isHeld = true));
        await gdb.plays(firstStands);
        assert.ok(!isHeld);
        await gdb.plays(`< ${interrupted(2)}`);
        await attached;
        assert.deepEqual(takeTold(), []);
      });

      it('is held when the last thread that did not stand has ended', async () => {
        // Put together of the above and of an end: no process ended a thread in that moment when it was tried.
        const { gdb, add, attach, takeTold, clock } = await FakeJob.empty(arrival);
        const attached = attach(add(0));
        await gdb.plays(`
          ${firstStands}
          < =thread-exited,id="2",group-id="i1"
        `);
        clock.pass(300);
        await attached;
        assert.deepEqual(takeTold(), []);
      });

      it('goes on when gdb reports the SIGSTOP of attaching as soon as it runs', async () => {
        const { gdb, job, jobHost, add, attach, takeTold } = await FakeJob.empty(arrival);
        const rank = add(0);
        const attached = attach(rank);
        await gdb.plays(attachScript(rank, [1, 2]));
        await attached;
        await jobHost.group(rank).loadSymbols(rank);
        reveal(rank, 'attach');
        const continued = job.continue([rank]);
        await gdb.plays(`
          > 1-exec-continue --thread-group i1
          < 1^running
          < *running,thread-id="1"
          < *running,thread-id="2"
          < ${attachStopSignal(1)}
          > 2-exec-interrupt --thread-group i1
          < ${attachStopSignal(2)}
          < 2^done
          > 3-exec-continue --thread-group i1
          < 3^running
          < *running,thread-id="1"
          < *running,thread-id="2"
        `);
        await continued;
        assert.deepEqual(takeTold(), ['rank 0 runs']);
        // Any later one is the program's.
        await gdb.plays(`
          < ${attachStopSignal(1)}
          > 4-exec-interrupt --thread-group i1
          < 4^done
          < ${interrupted(2)}
        `);
        assert.deepEqual(takeTold(), ['rank 0 stopped in 1: signal SIGSTOP']);
      });

      it('lets no other thread go for that SIGSTOP when one runs alone', async () => {
        const { gdb, job, thread, takeTold } = await attached({ threads: [[1, 2]] });
        const continued = job.continueThread(thread(2));
        await gdb.plays(`
          > 1-exec-continue --thread 2
          < 1^running
          < *running,thread-id="2"
          < ${attachStopSignal(2)}
        `);
        await continued;
        assert.deepEqual(takeTold(), ['rank 0 runs', 'rank 0 stopped in 1: pause']);
      });

      it('stops, and does not run away, when that SIGSTOP ends its first step', async () => {
        const { gdb, job, rank, takeTold } = await attached({ threads: [[1]] });
        const stepped = job.step([rank(0)], 'over');
        await gdb.plays(`
          > 1-exec-next --thread 1
          < 1^running
          < *running,thread-id="1"
          < ${attachStopSignal(1)}
        `);
        await stepped;
        assert.deepEqual(takeTold(), ['rank 0 runs', 'rank 0 stopped in 1: pause']);
      });
    });

    it('are taken one after the other with what misleads gdb about its files', async () => {
      const { gdb, job, jobHost, rank, add } = await attached({ threads: [[1], [2]] });
      const group = jobHost.group(rank(0));
      const late = add(2);
      const both = [[rank(0)], [rank(1)]].map((ranks) => group.ignoreLibraries(ranks));
      const taken = attachRank(group, late, late.pid!);
      const misled = (id: number): string => `
        > 1-gdb-show sysroot
        < 1^done,value="target:"
        > 2-interpreter-exec --thread ${id} console "set sysroot /dev/fd/nowhere"
        < 2^done
        > 3-add-inferior --no-connection
        < 3^done,inferior="i9"
        > 4-interpreter-exec --thread-group i9 console "set sysroot target:"
        < 4^done
        > 5-remove-inferior i9
        < 5^done`;
      await gdb.plays(misled(1) + misled(2) + attachScript(late, [3]));
      await Promise.all([...both, taken]);
      assert.equal(job.ranks.length, 3);
    });

    describe('letting go', () => {
      it('holds every rank first', async () => {
        const fake = await running({ threads: [[1], [2], [3]] });
        const detached = fake.jobHost.detachAll();
        await fake.gdb.plays(`
          > 2-exec-interrupt --thread-group i1
          < 2^done
          < ${interrupted(1)}
          > 3-target-detach --thread-group i1
          > 4-target-detach --thread-group i2
          > 5-target-detach --thread-group i3
          < 3^done
          < 4^done
          < 5^done
        `);
        await detached;
        assert.deepEqual(fake.takeTold(), []);
      });

      it('waits neither for a rank that ends nor, for long, for one that does not stop', async () => {
        const fake = await attached({ threads: [[1], [2]] });
        const continued = fake.job.continue(fake.job.ranks);
        await fake.gdb.plays(`
          > 1-exec-continue --thread-group i1
          > 2-exec-continue --thread-group i2
          < 1^running
          < *running,thread-id="1"
          < 2^running
          < *running,thread-id="2"
        `);
        await continued;
        const detached = fake.jobHost.detachAll();
        await fake.gdb.plays(`
          > 3-exec-interrupt --thread-group i1
          > 4-exec-interrupt --thread-group i2
          < 3^done
          < 4^done
          < =thread-exited,id="1",group-id="i1"
          < =thread-group-exited,id="i1",exit-code="00"
          < *stopped,reason="exited-normally"
        `);
        for (let asked = 5; asked < 14; asked += 1) {
          fake.clock.pass(300);
          await fake.gdb.plays(`
            > ${asked}-exec-interrupt --thread-group i2
            < ${asked}^done
          `);
        }
        fake.clock.pass(300);
        await fake.gdb.plays(`
          > 14-exec-interrupt --thread-group i2
          > 15-target-detach --thread-group i1
          > 16-target-detach --thread-group i2
          < 14^done
          < 15^error,msg="The program is not being run."
          < =thread-group-exited,id="i2"
          < 16^done
        `);
        await detached;
      });
    });
  });
}

/** As gdb tells it of a thread that has not run since it was attached to. */
function attachStopSignal(thread: number): string {
  return stopped(
    'signal-received',
    thread,
    `,signal-name="SIGSTOP",signal-meaning="Stopped (signal)",${frameOfAttach}`,
  );
}
