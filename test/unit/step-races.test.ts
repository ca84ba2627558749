import assert from 'node:assert/strict';
import { arrivals } from '../support/fake-gdb';
import { FakeJob, interrupted, stopped, type FakeRanks } from '../support/fake-job';

/*
 * Scripts in the form of what gdb 13.1 writes, without frames and results that nobody reads. Recorded, with processes of one
 * to three threads in one gdb: a step beside a stop, two causes at once, the SIGSTOP of an attach, a thread that ends alone,
 * the end of a process, an ^error behind ^running, and a gdb that is killed. The others are put together from such pieces.
 */
for (const arrival of arrivals) {
  describe(`ranks and threads that run, or cannot, what gdb writes at once arriving ${arrival}`, () => {
    const attached = (ranks: FakeRanks): Promise<FakeJob> => FakeJob.attached(arrival, ranks);

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

      it('stand longer where gdb takes longer for a command', async () => {
        const fake = await attached(ranks);
        const stepped = fake.job.step([fake.rank(0)], 'over');
        await fake.gdb.plays('> 1-exec-next --thread 1');
        fake.clock.pass(400);
        await fake.gdb.plays(`
          < 1^running
          < *running,thread-id="1"
          > 2-exec-continue --thread 2
          < 2^running
          < *running,thread-id="2"
        `);
        await stepped;
        fake.clock.pass(399);
        await fake.gdb.plays(`
          < ${stopped('end-stepping-range', 1)}
          > 3-exec-interrupt --thread-group i1
          < 3^done
          < ${interrupted(2)}
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

    it('steps of several ranks into skipped code: what is skipped is so again behind the last of them', async () => {
      const { gdb, job, takeTold } = await attached({ threads: [[1], [2]] });
      const stepped = job.step(job.ranks, 'inAnyway');
      await gdb.plays(`
        > 1-interpreter-exec console "skip disable"
        > 2-interpreter-exec console "skip disable"
        < 1^done
        > 3-exec-step --thread 1
        < 3^running
        < *running,thread-id="1"
        < ${stopped('end-stepping-range', 1)}
        < 2^done
        > 4-exec-step --thread 2
        < 4^running
        < *running,thread-id="2"
        < ${stopped('end-stepping-range', 2)}
        > 5-interpreter-exec console "skip enable"
        < 5^done
      `);
      await stepped;
      assert.deepEqual(takeTold().sort(), [
        ...['rank 0 runs', 'rank 0 stopped in 1: step', 'rank 1 runs', 'rank 1 stopped in 2: step'],
      ]);
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
  });
}
