import assert from 'node:assert/strict';
import { RankEndedError } from '../../adapter/job/rank-ended';
import { reveal } from '../../adapter/job/shown-ranks';
import { arrivals } from '../support/fake-gdb';
import { attachScript, FakeJob, frameOfAttach, interrupted, stopped, type FakeRanks } from '../support/fake-job';

/*
 * Scripts in the form of what gdb 13.1 writes, without frames and results that nobody reads. Recorded, with processes of one
 * to three threads in one gdb: a step beside a stop, two causes at once, the SIGSTOP of an attach, a thread that ends alone,
 * the end of a process, an ^error behind ^running, and a gdb that is killed. The others are put together from such pieces.
 */
for (const arrival of arrivals) {
  describe(`stops and steps of ranks, what gdb writes at once arriving ${arrival}`, () => {
    const attached = (ranks: FakeRanks): Promise<FakeJob> => FakeJob.attached(arrival, ranks);

    /** One rank of two threads, which runs. */
    async function running(ranks: FakeRanks = { threads: [[1, 2]] }): Promise<FakeJob> {
      const fake = await attached(ranks);
      const [threads = []] = ranks.threads;
      const continued = fake.job.continue([fake.rank(0)]);
      await fake.gdb.plays(`
        > 1-exec-continue --thread-group i1
        < 1^running
        ${threads.map((id) => `< *running,thread-id="${id}"`).join('\n')}
      `);
      await continued;
      assert.deepEqual(fake.takeTold(), ['rank 0 runs']);
      return fake;
    }

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
        < =library-loaded,id="/lib/part.so",thread-group="i1"
        < ${stopped('breakpoint-hit', 2)}
        > 2-exec-interrupt --thread-group i1
        < 2^done
        < ${interrupted(1)}
        > 3-interpreter-exec --thread 1 console "sharedlibrary"
        < =thread-exited,id="1",group-id="i1"
        < =thread-exited,id="2",group-id="i1"
        < =thread-group-exited,id="i1"
        < *stopped,reason="exited-signalled",signal-name="SIGKILL",signal-meaning="Killed"
        < 3^error,msg="Invalid thread id: 1"
      `);
      assert.deepEqual(takeTold(), ['thread 1 ended', 'thread 2 ended', 'rank 0 exited {"signal":"SIGKILL"}']);
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
        < =library-loaded,id="/lib/part.so",thread-group="i1"
        < ${stopped('breakpoint-hit', 2)}
        > 2-exec-interrupt --thread-group i1
        < 2^done
        < ${interrupted(1)}
        > 3-interpreter-exec --thread 1 console "sharedlibrary"
        < 3^error,msg="/lib/part.so: not an ELF file"
      `);
      assert.deepEqual(takeTold(), [
        'message: rank 0: the symbols of its libraries cannot be read: /lib/part.so: not an ELF file',
        'rank 0 stopped in 2: breakpoint',
      ]);
    });

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
        await gdb.plays(`
          < =library-loaded,id="/lib/part.so",thread-group="i1"
          < ${stopped('breakpoint-hit', 2)}
          > 2-exec-interrupt --thread-group i1
          < 2^done
          < ${interrupted(1)}
          > 3-interpreter-exec --thread 1 console "sharedlibrary"
        `);
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
      it('is held when all its threads stand, which is after the answer', async () => {
        const { gdb, add, attach, takeTold } = await FakeJob.empty(arrival);
        let isHeld = false;
        const attached = attach(add(0)).then(() => (isHeld = true));
        await gdb.plays(`
          > 1-target-attach --thread-group i1 1000
          < =thread-group-started,id="i1",pid="1000"
          < =thread-created,id="1",group-id="i1"
          < =thread-created,id="2",group-id="i1"
          < *running,thread-id="2"
          < 1^done
          < *stopped,thread-id="1",stopped-threads=["1"]
        `);
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
          > 1-target-attach --thread-group i1 1000
          < =thread-group-started,id="i1",pid="1000"
          < =thread-created,id="1",group-id="i1"
          < =thread-created,id="2",group-id="i1"
          < *running,thread-id="2"
          < 1^done
          < *stopped,thread-id="1",stopped-threads=["1"]
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

    describe('one thread alone', () => {
      async function aloneIn(fake: FakeJob): Promise<void> {
        const continued = fake.job.continueThread(fake.thread(2));
        await fake.gdb.plays(`
          > 1-exec-continue --thread 2
          < 1^running
          < *running,thread-id="2"
        `);
        await continued;
        assert.deepEqual(fake.takeTold(), ['rank 0 runs']);
      }

      it('leaves the others of its rank where they are, until it stops', async () => {
        const fake = await attached({ threads: [[1, 2]] });
        await aloneIn(fake);
        fake.clock.pass(1000);
        await fake.gdb.plays(`< ${stopped('breakpoint-hit', 2)}`);
        assert.deepEqual(fake.takeTold(), ['rank 0 stopped in 2: breakpoint']);
      });

      it('that ends leaves its rank stopped', async () => {
        const fake = await attached({ threads: [[1, 2]] });
        await aloneIn(fake);
        await fake.gdb.plays('< =thread-exited,id="2",group-id="i1"');
        assert.deepEqual(fake.takeTold(), ['thread 2 ended']);
        fake.clock.pass(300);
        await fake.gdb.silence();
        assert.deepEqual(fake.takeTold(), ['rank 0 stopped in 1: pause']);
      });

      it('that ends its process leaves nothing', async () => {
        const fake = await attached({ threads: [[1, 2]] });
        await aloneIn(fake);
        await fake.gdb.plays('< =thread-exited,id="1",group-id="i1"');
        fake.clock.pass(25);
        await fake.gdb.plays(`
          < =thread-exited,id="2",group-id="i1"
          < =thread-group-exited,id="i1",exit-code="00"
          < *stopped,reason="exited-normally"
        `);
        fake.clock.pass(300);
        await fake.gdb.silence();
        assert.deepEqual(fake.takeTold(), ['thread 1 ended', 'thread 2 ended', 'rank 0 exited {"exitCode":0}']);
      });
    });

    describe('ranks that cannot run', () => {
      it('stay stopped when gdb refuses', async () => {
        const { gdb, job, rank, takeTold } = await attached({ threads: [[1, 2]] });
        const refused = assert.rejects(job.step([rank(0)], 'out'), /outermost frame/);
        await gdb.plays(String.raw`
          > 1-exec-finish --thread 1 --frame 0
          < 1^error,msg="\"finish\" not meaningful in the outermost frame."
        `);
        await refused;
        assert.deepEqual([takeTold(), rank(0).state, rank(0).isHeld], [[], 'stopped', true]);
      });

      it('are told as stopped when gdb has said that they run, and then cannot let them', async () => {
        const { gdb, job, rank, takeTold } = await attached({ threads: [[1, 2], [3]] });
        const continued = job.continue(job.ranks);
        await gdb.plays(String.raw`
          > 1-exec-continue --thread-group i1
          > 2-exec-continue --thread-group i2
          < 1^running
          < *running,thread-id="1"
          < &"Warning:\n"
          < &"Could not insert hardware watchpoint 7.\n"
          < &"Could not insert hardware breakpoints:\n"
          < &"You may have requested too many hardware breakpoints/watchpoints.\n"
          < &"\n"
          < 1^error,msg="Command aborted."
          > 3-thread-info
          < 2^running
          < *running,thread-id="3"
          < 3^done,threads=[{id="1",state="stopped"},{id="2",state="stopped"},{id="3",state="running"}]
        `);
        await continued;
        const why =
          'Could not insert hardware watchpoint 7. Could not insert hardware breakpoints: ' +
          'You may have requested too many hardware breakpoints/watchpoints.';
        assert.deepEqual(takeTold(), [
          ...['rank 0 runs', 'rank 1 runs', `message: rank 0: ${why}`, 'rank 0 stopped in 1: unknown'],
        ]);
        assert.deepEqual([rank(0).isHeld, rank(1).state], [true, 'running']);
      });

      it('are told once when gdb lets none of their threads run', async () => {
        const { gdb, job, rank, takeTold } = await attached({ threads: [[1, 2]] });
        const stepped = job.step([rank(0)], 'over');
        await gdb.plays(String.raw`
          > 1-exec-next --thread 1
          < 1^running
          > 2-exec-continue --thread 2
          < *running,thread-id="1"
          < &"Cannot access memory at address 0x10\n"
          < 1^error,msg="Command aborted."
          > 3-thread-info
          < 2^running
          < *running,thread-id="2"
          < &"Cannot access memory at address 0x10\n"
          < 2^error,msg="Command aborted."
          > 4-thread-info
          < 3^done,threads=[{id="1",state="stopped"},{id="2",state="stopped"}]
          < 4^done,threads=[{id="1",state="stopped"},{id="2",state="stopped"}]
        `);
        await stepped;
        assert.deepEqual(takeTold(), [
          ...['rank 0 runs', 'message: rank 0: Cannot access memory at address 0x10', 'rank 0 stopped in 1: unknown'],
        ]);
      });
    });

    describe('the threads of the MPI library', () => {
      const ranks = { threads: [[1, 2, 3]], helpers: [3] };

      async function step(fake: FakeJob, kind: 'short' | 'long'): Promise<void> {
        const stepped = fake.job.step([fake.rank(0)], 'over');
        await fake.gdb.plays(`
          > 1-exec-next --thread 1
          < 1^running
          < *running,thread-id="1"
          > 2-exec-continue --thread 2
          < 2^running
          < *running,thread-id="2"
          ${kind === 'long' ? '' : `< ${stopped('end-stepping-range', 1)}\n> 3-exec-interrupt --thread-group i1\n< 3^done\n< ${interrupted(2)}`}
        `);
        await stepped;
      }

      it('stand in a short step, the program’s own run', async () => {
        const fake = await attached(ranks);
        await step(fake, 'short');
        assert.deepEqual(fake.takeTold(), ['rank 0 runs', 'rank 0 stopped in 1: step']);
        fake.clock.pass(1000);
        await fake.gdb.plays('');
      });

      it('run when a step lasts', async () => {
        const fake = await attached(ranks);
        await step(fake, 'long');
        fake.clock.pass(49);
        await fake.gdb.plays('');
        fake.clock.pass(1);
        await fake.gdb.plays(`
          > 4-exec-continue --thread 3
          < 4^running
          < *running,thread-id="3"
          < ${stopped('end-stepping-range', 1)}
          > 5-exec-interrupt --thread-group i1
          < ${interrupted(2)}
          < ${interrupted(3)}
          < 5^done
        `);
        assert.deepEqual(fake.takeTold(), ['rank 0 runs', 'rank 0 stopped in 1: step']);
      });

      it('are stopped when the step ends while they are let go', async () => {
        const fake = await attached(ranks);
        await step(fake, 'long');
        fake.clock.pass(50);
        await fake.gdb.plays(`
          > 4-exec-continue --thread 3
          < ${stopped('end-stepping-range', 1)}
        `);
        await fake.gdb.plays(`
          < 4^running
          > 5-exec-interrupt --thread-group i1
          < *running,thread-id="3"
          < ${interrupted(2)}
          < ${interrupted(3)}
          < 5^done
        `);
        assert.deepEqual(fake.takeTold(), ['rank 0 runs', 'rank 0 stopped in 1: step']);
      });

      it('run in every ninth step, for a program that waits for them in a loop', async () => {
        const fake = await attached(ranks);
        for (let i = 0; i < 8; i += 1) await step(fake, 'short');
        const stepped = fake.job.step([fake.rank(0)], 'over');
        await fake.gdb.plays(`
          > 1-exec-next --thread 1
          < 1^running
          < *running,thread-id="1"
          > 2-exec-continue --thread 2
          > 3-exec-continue --thread 3
          < 2^running
          < *running,thread-id="2"
          < 3^running
          < *running,thread-id="3"
        `);
        await stepped;
      });
    });

    it('a step out of code of which gdb knows no function goes to the innermost caller with lines', async () => {
      const { gdb, job, rank } = await attached({ threads: [[1]] });
      const stepped = job.step([rank(0)], 'over');
      await gdb.plays(`
        > 1-exec-next --thread 1
        < 1^error,msg="Cannot find bounds of current function"
        > 2-stack-list-frames --thread 1 0 199
        < 2^done,stack=[frame={level="0",addr="0x1"},frame={level="1",addr="0x2",func="PMPI_Recv"},frame={level="2",addr="0x3",func="main",line="7"}]
        > 3-exec-finish --thread 1 --frame 1
        < 3^running
        < *running,thread-id="1"
        < ${stopped('function-finished', 1)}
      `);
      await stepped;
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
