import assert from 'node:assert/strict';
import type { Client, EventBodies } from '../../adapter/dap/client/connection';
import { StopEvents } from '../../adapter/dap/ranks/stop-events';
import { arrivals } from '../support/fake-gdb';
import { FakeJob, interrupted, stopped, type FakeRanks } from '../support/fake-job';

/** The scripts are put together from what gdb 13.1 writes, without frames and results that nobody reads. */
for (const arrival of arrivals) {
  describe(`what a client is told of stops, what gdb writes at once arriving ${arrival}`, () => {
    /** With what the client was told since this was asked last; `stops` comes before and after the answer to a request. */
    async function connected(ranks: FakeRanks): Promise<Told> {
      const fake = await FakeJob.attached(arrival, ranks);
      const told: string[] = [];
      const send = <Name extends keyof EventBodies>(name: Name, body: EventBodies[Name]): void => {
        told.push(lineOf(fake, name, body as Record<string, unknown>));
      };
      const client = {
        send,
        say: () => undefined,
        catchingUp: () => undefined,
        defect: () => undefined,
      } satisfies Client;
      const focus = { ranks: fake.job.ranks };
      const events = new StopEvents(fake.job, client, focus, () => undefined);
      return { fake, events, focus, takeTold: () => told.splice(0) };
    }

    /** Ranks of one thread each: thread 1 is rank 0's. */
    const ranksOfOne = (count: number): FakeRanks => ({ threads: Array.from({ length: count }, (_, i) => [i + 1]) });

    /** Steps all ranks, of one thread each; `behind` is what gdb says next. The answer has been given then. */
    async function stepAll({ fake, events }: Told, behind = ''): Promise<void> {
      const { job } = fake;
      const numbers = job.ranks.map((_, index) => index + 1);
      const stepped = events.during({ ranks: job.ranks, thread: fake.thread(1), impliesAll: false, pace: 'step' }, () =>
        job.step(job.ranks, 'over'),
      );
      await fake.gdb.plays(`
        ${numbers.map((number) => `> ${number}-exec-next --thread ${number}`).join('\n')}
        ${numbers.map((number) => `< ${number}^running\n< *running,thread-id="${number}"`).join('\n')}
        ${behind}
      `);
      await stepped;
      await fake.gdb.silence();
    }

    const steppedBy = (thread: number): string => `< ${stopped('end-stepping-range', thread)}`;

    it('is one event for ranks that stop together', async () => {
      const told = await connected(ranksOfOne(3));
      await stepAll(told, [1, 2, 3].map(steppedBy).join('\n'));
      assert.equal(told.takeTold().at(-1), 'stopped 1 step, all: ranks 0-2: step');
    });

    it('is what stopped, after a pause in which no other has; of the last ones later', async () => {
      const told = await connected(ranksOfOne(3));
      await stepAll(told, [1, 2].map(steppedBy).join('\n'));
      told.fake.clock.pass(99);
      assert.ok(told.takeTold().every((line) => line.startsWith('continued')));
      told.fake.clock.pass(1);
      assert.deepEqual(told.takeTold(), ['stopped 1 step: ranks 0-1: step', 'stopped 2 step, quietly: rank 1: step']);
      await told.fake.gdb.plays(steppedBy(3));
      assert.deepEqual(told.takeTold(), ['stopped 3 step, quietly, all: rank 2: step']);
    });

    it('is not late for ranks that stop one after the other', async () => {
      const told = await connected(ranksOfOne(16));
      await stepAll(told);
      told.takeTold();
      for (let thread = 1; thread <= 11; thread += 1) {
        await told.fake.gdb.plays(steppedBy(thread));
        assert.deepEqual(told.takeTold(), []);
        if (thread < 11) told.fake.clock.pass(99);
      }
      // One second after the first.
      told.fake.clock.pass(10);
      assert.equal(told.takeTold()[0], 'stopped 1 step: ranks 0-10: step');
    });

    it('comes after the answer to the request that led to it', async () => {
      const told = await connected(ranksOfOne(1));
      const { fake, events } = told;
      let answer: () => void = () => undefined;
      const answered = new Promise<void>((resolve) => (answer = resolve));
      const stepped = events.during(
        { ranks: fake.job.ranks, thread: fake.thread(1), impliesAll: false, pace: 'step' },
        async () => {
          await fake.job.step(fake.job.ranks, 'over');
          await answered;
        },
      );
      await fake.gdb.plays(`
        > 1-exec-next --thread 1
        < 1^running
        < *running,thread-id="1"
        ${steppedBy(1)}
      `);
      assert.deepEqual(told.takeTold(), []);
      answer();
      await stepped;
      await fake.gdb.silence();
      assert.equal(told.takeTold().at(-1), 'stopped 1 step, all: rank 0: step');
    });

    it('waits for a rank that is held while its symbols are read', async () => {
      const told = await connected(ranksOfOne(3));
      await stepAll(
        told,
        `${steppedBy(1)}
        < =library-loaded,id="/lib/part.so",thread-group="i2"
        ${steppedBy(2)}
        > 9-interpreter-exec --thread 2 console "sharedlibrary"`,
      );
      told.takeTold();
      told.fake.clock.pass(5000);
      assert.deepEqual(told.takeTold(), []);
      await told.fake.gdb.plays('< 9^done');
      told.fake.clock.pass(100);
      assert.equal(told.takeTold()[0], 'stopped 1 step: ranks 0-1: step');
    });

    it('does not wait for a rank that gdb has not let run', async () => {
      const told = await connected(ranksOfOne(3));
      const { fake, events } = told;
      const continued = events.during({ ranks: fake.job.ranks, thread: fake.thread(1), impliesAll: false }, () =>
        fake.job.continue(fake.job.ranks),
      );
      await fake.gdb.plays(`
        > 1-exec-continue --thread-group i1
        > 2-exec-continue --thread-group i2
        > 3-exec-continue --thread-group i3
        < 1^running
        < *running,thread-id="1"
        < 2^error,msg="Cannot execute this command while the selected thread is running."
        < 3^running
        < *running,thread-id="3"
        < ${stopped('breakpoint-hit', 1)}
      `);
      await continued;
      await fake.gdb.silence();
      told.takeTold();
      fake.clock.pass(300);
      assert.equal(told.takeTold()[0], 'stopped 1 breakpoint: rank 0: breakpoint');
    });

    it('does not wait for the threads that stand while one of their rank runs alone', async () => {
      const told = await connected({ threads: [[1, 2], [3]] });
      const { fake, events } = told;
      const { job } = fake;
      await during(told, [fake.rank(1)], 3, () => job.continue([fake.rank(1)]), '> 1-exec-continue --thread-group i2');
      const alone = events.during({ ranks: [fake.rank(0)], thread: fake.thread(1), impliesAll: false }, () =>
        job.continueThread(fake.thread(1)),
      );
      await fake.gdb.plays(`
        > 2-exec-continue --thread 1
        < 2^running
        < *running,thread-id="1"
        < ${stopped('breakpoint-hit', 3)}
      `);
      await alone;
      await fake.gdb.silence();
      told.takeTold();
      fake.clock.pass(1000);
      assert.deepEqual(told.takeTold().slice(0, 1), ['stopped 3 breakpoint: rank 1: breakpoint']);
    });

    it('does not wait for a rank that ends', async () => {
      const told = await connected(ranksOfOne(2));
      await stepAll(told, steppedBy(1));
      told.takeTold();
      await told.fake.gdb.plays(`
        < =thread-exited,id="2",group-id="i2"
        < =thread-group-exited,id="i2",exit-code="00"
        < *stopped,reason="exited-normally"
      `);
      assert.deepEqual(told.takeTold(), ['stopped 1 step, all: rank 0: step']);
    });

    it('is nothing of a rank that runs again before anybody was told', async () => {
      const told = await connected(ranksOfOne(3));
      await stepAll(told, steppedBy(1));
      told.takeTold();
      const continued = told.fake.job.continue([told.fake.rank(0)]);
      await told.fake.gdb.plays(`
        > 9-exec-continue --thread-group i1
        < 9^running
        < *running,thread-id="1"
      `);
      await continued;
      told.fake.clock.pass(1000);
      assert.deepEqual(
        told.takeTold().filter((line) => line.startsWith('stopped')),
        [],
      );
    });

    it('shows a crash before all others, and does not pull the user from what he looks at for other ranks', async () => {
      const told = await connected(ranksOfOne(3));
      await stepAll(told, [1, 2, 3].map(steppedBy).join('\n'));
      told.takeTold();
      await during(
        told,
        [told.fake.rank(1)],
        2,
        () => told.fake.job.continue([told.fake.rank(1)]),
        '> 4-exec-continue --thread-group i2',
      );
      await during(
        told,
        [told.fake.rank(2)],
        3,
        () => told.fake.job.continue([told.fake.rank(2)]),
        '> 5-exec-continue --thread-group i3',
      );
      told.takeTold();
      await told.fake.gdb.plays(`< ${stopped('breakpoint-hit', 2)}`);
      told.fake.clock.pass(300);
      assert.deepEqual(told.takeTold(), ['stopped 2 breakpoint, quietly: rank 1: breakpoint']);
      const segv = ',signal-name="SIGSEGV",signal-meaning="Segmentation fault"';
      await told.fake.gdb.plays(`< ${stopped('signal-received', 3, segv)}`);
      assert.deepEqual(told.takeTold(), ['stopped 3 exception, all: rank 2: SIGSEGV (Segmentation fault)']);
    });

    it('shows the first stop of the focus when the user steps it from a thread outside, and leaves it there', async () => {
      const told = await connected(ranksOfOne(3));
      const { fake, focus } = told;
      const { job, rank } = fake;
      await stepAll(told, [1, 2, 3].map(steppedBy).join('\n'));
      focus.ranks = [rank(1), rank(2)];
      const sends = '> 4-exec-continue --thread-group i2\n> 5-exec-continue --thread-group i3';
      await during(told, focus.ranks, 1, () => job.continue(focus.ranks), sends);
      told.takeTold();
      await fake.gdb.plays(`< ${stopped('breakpoint-hit', 3)}`);
      fake.clock.pass(300);
      assert.equal(told.takeTold()[0], 'stopped 3 breakpoint: rank 2: breakpoint');
      await fake.gdb.plays(`< ${stopped('breakpoint-hit', 2)}`);
      assert.deepEqual(told.takeTold(), ['stopped 2 breakpoint, quietly, all: rank 1: breakpoint']);
    });

    it('shows a rank of the focus, of several that stop together', async () => {
      const told = await connected(ranksOfOne(3));
      told.focus.ranks = [told.fake.rank(2)];
      await stepAll(told, [1, 2, 3].map(steppedBy).join('\n'));
      assert.equal(told.takeTold().at(-1), 'stopped 3 step, all: ranks 0-2: step');
    });

    it('shows the thread that the user selects', async () => {
      const told = await connected(ranksOfOne(3));
      await stepAll(told, [1, 2, 3].map(steppedBy).join('\n'));
      told.takeTold();
      told.events.select(told.fake.thread(2));
      assert.deepEqual(told.takeTold(), ['stopped 2 step: rank 1: step']);
    });

    it('shows another rank when the one that the user looked at has ended', async () => {
      const told = await connected(ranksOfOne(3));
      const { fake } = told;
      const { job, jobHost, rank } = fake;
      await stepAll(told, [1, 2, 3].map(steppedBy).join('\n'));
      await during(told, [rank(1)], 2, () => job.continue([rank(1)]), '> 4-exec-continue --thread-group i2');
      await during(told, [rank(2)], 3, () => job.continue([rank(2)]), '> 5-exec-continue --thread-group i3');
      jobHost.group(rank(0)).gone(rank(0), { signal: 'SIGKILL' });
      await fake.gdb.plays(`
        > 6-target-detach --thread-group i1
        < =thread-exited,id="1",group-id="i1"
        < =thread-group-exited,id="i1"
        < 6^done
      `);
      told.takeTold();
      await fake.gdb.plays(`< ${stopped('breakpoint-hit', 2)}`);
      fake.clock.pass(300);
      assert.deepEqual(told.takeTold(), ['stopped 2 breakpoint: rank 1: breakpoint']);
    });

    it('is one event for a pause of all, whose threads stop in any order', async () => {
      const told = await connected(ranksOfOne(2));
      const { fake, events } = told;
      const { job } = fake;
      await during(
        told,
        job.ranks,
        1,
        () => job.continue(job.ranks),
        '> 1-exec-continue --thread-group i1\n> 2-exec-continue --thread-group i2',
      );
      told.takeTold();
      const paused = events.during({ ranks: job.ranks, thread: fake.thread(1), impliesAll: false }, () =>
        job.interrupt(job.ranks),
      );
      await fake.gdb.plays(`
        > 3-exec-interrupt --thread-group i1
        > 4-exec-interrupt --thread-group i2
        < 3^done
        < ${interrupted(2)}
        < 4^done
        < ${interrupted(1)}
      `);
      await paused;
      await fake.gdb.silence();
      assert.deepEqual(told.takeTold(), ['stopped 1 pause, all: ranks 0-1: paused']);
    });

    /** A command on ranks of one thread each, which run then; `sends`: what it sends to gdb. */
    async function during(
      { fake, events }: Told,
      ranks: FakeJob['job']['ranks'],
      thread: number,
      command: () => Promise<void>,
      sends: string,
    ): Promise<void> {
      const done = events.during({ ranks, thread: fake.thread(thread), impliesAll: false }, command);
      const tokens = [...sends.matchAll(/> (\d+)/g)].map(([, token]) => token);
      const answers = ranks.map(
        (rank, i) => `< ${tokens[i]}^running\n< *running,thread-id="${rank.threads[0]!.gdbThread}"`,
      );
      await fake.gdb.plays(`${sends}\n${answers.join('\n')}`);
      await done;
      await fake.gdb.silence();
    }
  });
}

interface Told {
  fake: FakeJob;
  events: StopEvents;
  focus: { ranks: FakeJob['job']['ranks'] };
  takeTold: () => string[];
}

/** "stopped 3 step, quietly, all: rank 2: step": the thread by gdb's number, `quietly` without the focus. */
function lineOf(fake: FakeJob, name: string, body: Record<string, unknown>): string {
  const thread = fake.job.thread(body.threadId as number)?.gdbThread;
  if (name === 'continued') return `continued ${body.allThreadsContinued === true ? 'all' : thread}`;
  const flags = [
    ...(body.preserveFocusHint === true ? ['quietly'] : []),
    ...(body.allThreadsStopped === true ? ['all'] : []),
  ];
  return `${[`${name} ${thread} ${String(body.reason)}`, ...flags].join(', ')}: ${String(body.description)}`;
}
