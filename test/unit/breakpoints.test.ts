import assert from 'node:assert/strict';
import type { Breakpoint } from '../../adapter/job/breakpoint';
import { Breakpoints } from '../../adapter/job/breakpoints';
import type { Rank } from '../../adapter/job/rank';
import { arrivals, FakeGdb } from '../support/fake-gdb';
import { FakeJob, interrupted, stopped } from '../support/fake-job';

interface InTwo {
  breakpoints: Breakpoints;
  first: FakeGdb;
  second: FakeGdb;
  /** Plays one script in both. */
  both: (script: string) => Promise<void>;
  /** Those that have told that they changed. */
  changed: Breakpoint[];
}

/** The scripts are what gdb 13.1 wrote in each of these cases, without frames and results that nobody reads. */
for (const arrival of arrivals) {
  describe(`breakpoints, what gdb writes at once arriving ${arrival}`, () => {
    /** A program that is in two gdbs. */
    async function inTwo(): Promise<InTwo> {
      const [first, second] = [new FakeGdb(arrival), new FakeGdb(arrival)];
      const breakpoints = new Breakpoints(
        [await first.connect(), await second.connect()],
        () => [],
        (_, work) => work(),
      );
      const changed: Breakpoint[] = [];
      breakpoints.on('changed', (breakpoint) => changed.push(breakpoint));
      const both = async (script: string): Promise<void> => {
        await Promise.all([first.plays(script), second.plays(script)]);
      };
      return { breakpoints, first, second, both, changed };
    }

    const where = 'file="a.c",fullname="/src/a.c",line="8"';
    const insert = '-break-insert -f --source "/src/a.c" --line 7';

    const pending = 'addr="<PENDING>",pending="/src/a.c:7",times="0"';
    const line = { kind: 'line', file: '/src/a.c', line: 7 } as const;

    it('are set in a gdb that comes later with its first rank, once, and tell when they get a place', async () => {
      const { breakpoints, both, changed } = await inTwo();
      const other = { kind: 'line', file: '/src/b.c', line: 3 } as const;
      const none = `
        > 1${insert}
        < 1^done,bkpt={number="1",${pending}}
      `;
      const [[breakpoint]] = await Promise.all([breakpoints.replaceInFile('/src/a.c', [line]), both(none)]);
      const later = new FakeGdb(arrival);
      const gdb = await later.connect();
      breakpoints.add(gdb);
      const inOther = '-break-insert -f --source "/src/b.c" --line 3';
      const setOther = breakpoints.replaceInFile('/src/b.c', [other]);
      await later.plays(`
        > 1${inOther}
        < 1^done,bkpt={number="1",addr="0x1201",file="b.c",fullname="/src/b.c",line="3",times="0"}
      `);
      await both(`
        > 1${inOther}
        < 1^done,bkpt={number="2",${pending}}
      `);
      await setOther;
      const ranks = [1, 2].map((inferior) => ({ gdb, threadGroup: `i${inferior}` }) as Rank);
      const included = breakpoints.include(ranks[0]!).then(() => breakpoints.include(ranks[1]!));
      await later.plays(`
        > 1${insert}
        < 1^done,bkpt={number="2",addr="0x1139",${where},times="0"}
      `);
      await included;
      assert.deepEqual([breakpoint?.verified, breakpoint?.line, changed], [true, 8, [breakpoint]]);
    });

    it('are verified when some gdb has a place for them, and tell when they get one', async () => {
      const { breakpoints, first, second, changed } = await inTwo();
      const set = breakpoints.replaceInFile('/src/a.c', [line]);
      await Promise.all([
        first.plays(`
          > 1${insert}
          < 1^done,bkpt={number="1",${pending}}
        `),
        second.plays(`
          > 1${insert}
          < 1^done,bkpt={number="4",${pending}}
        `),
      ]);
      const [breakpoint] = await set;
      assert.deepEqual([breakpoint?.verified, breakpoints.anyPending], [false, true]);
      await second.plays(`< =breakpoint-modified,bkpt={number="4",addr="0x1139",${where},times="0"}`);
      assert.deepEqual(
        changed.map(({ verified, line, message }) => ({ verified, line, message })),
        [{ verified: true, line: 8, message: undefined }],
      );
      // gdb counts a hit; its number 1 in the other gdb is another breakpoint.
      await second.plays(`
        < =breakpoint-modified,bkpt={number="4",addr="0x1139",${where},times="1"}
        < =breakpoint-modified,bkpt={number="1",addr="0x2000",file="b.c",line="1",times="1"}
      `);
      assert.deepEqual([changed.length, breakpoints.anyPending], [1, false]);
    });

    it('hear of a place that gdb finds right behind its answer', async () => {
      const { breakpoints, first, second, changed } = await inTwo();
      const set = breakpoints.replaceInFile('/src/a.c', [line]);
      await Promise.all([
        first.plays(`
          > 1${insert}
          < 1^done,bkpt={number="1",${pending}}
          < =breakpoint-modified,bkpt={number="1",addr="0x1139",${where},times="0"}
        `),
        second.plays(`> 1${insert}\n< 1^error,msg="No source file named /src/a.c."`),
      ]);
      assert.equal((await set)[0]?.verified, true);
      assert.equal(changed.length, 1);
    });

    it('are named by a stop that comes right behind the answer', async () => {
      const { job, gdb, rank, takeTold } = await FakeJob.attached(arrival, { threads: [[1]] });
      const continued = job.continue([rank(0)]);
      await gdb.plays(`
        > 1-exec-continue --thread-group i1
        < 1^running
        < *running,thread-id="1"
      `);
      await continued;
      const set = job.breakpoints.replaceFunctions([{ kind: 'function', function: 'here' }]);
      await gdb.plays(`
        > 2-break-insert -f --function "here"
        < 2^done,bkpt={number="3",addr="0x1170",func="here",line="6",thread-groups=["i1"],times="0"}
        < =breakpoint-modified,bkpt={number="3",addr="0x1170",func="here",line="6",thread-groups=["i1"],times="1"}
        < ${stopped('breakpoint-hit', 1, ',bkptno="3"')}
      `);
      await set;
      assert.deepEqual(takeTold(), ['rank 0 runs', 'rank 0 stopped in 1: breakpoint function']);
    });

    it('stay as they are, with their numbers, when they are asked for again', async () => {
      const { breakpoints, both } = await inTwo();
      const set = breakpoints.replaceFunctions([
        { kind: 'function', function: 'one' },
        { kind: 'function', function: 'two' },
      ]);
      await both(`
        > 1-break-insert -f --function "one"
        > 2-break-insert -f --function "two"
        < 1^done,bkpt={number="1",addr="0x1",func="one",times="0"}
        < 2^done,bkpt={number="2",addr="0x2",func="two",times="0"}
      `);
      const [, two] = await set;
      const again = breakpoints.replaceFunctions([
        { kind: 'function', function: 'two' },
        { kind: 'function', function: 'three' },
      ]);
      await both(`
        > 3-break-delete 1
        < 3^done
        > 4-break-insert -f --function "three"
        < 4^done,bkpt={number="3",addr="0x3",func="three",times="0"}
      `);
      assert.equal((await again)[0], two);
    });

    it('that are asked for again before gdb has answered are answered with where they are', async () => {
      const { breakpoints, both } = await inTwo();
      const first = breakpoints.replaceFunctions([{ kind: 'function', function: 'one' }]);
      const verified = breakpoints
        .replaceFunctions([{ kind: 'function', function: 'one' }])
        .then(([again]) => ({ again, is: again?.verified }));
      await both(`
        > 1-break-insert -f --function "one"
        < 1^done,bkpt={number="1",addr="0x1",func="one",line="3",times="0"}
      `);
      assert.deepEqual(await verified, { again: (await first)[0], is: true });
    });

    it('that are removed before gdb has answered are removed from gdb, too', async () => {
      const { breakpoints, both } = await inTwo();
      const set = breakpoints.replaceFunctions([{ kind: 'function', function: 'one' }]);
      await both('> 1-break-insert -f --function "one"');
      const removed = breakpoints.replaceFunctions([]);
      await both(`
        < 1^done,bkpt={number="1",addr="0x1",func="one",times="0"}
        > 2-break-delete 1
        < 2^done
      `);
      await Promise.all([set, removed]);
    });

    it('outlive a gdb that dies before it has answered', async () => {
      const { breakpoints, first, second } = await inTwo();
      const set = breakpoints.replaceFunctions([{ kind: 'function', function: 'one' }]);
      await first.plays('> 1-break-insert -f --function "one"');
      first.dies();
      await second.plays(`
        > 1-break-insert -f --function "one"
        < 1^done,bkpt={number="1",addr="0x1",func="one",times="0"}
      `);
      const [breakpoint] = await set;
      assert.deepEqual([breakpoint?.verified, breakpoint?.message], [true, undefined]);
      const removed = breakpoints.replaceFunctions([]);
      await second.plays(`
        > 2-break-delete 1
        < 2^done
      `);
      assert.deepEqual(await removed, []);
    });

    it('that pass a message name the rank, and stop nobody', async () => {
      const { job, gdb, rank, takeTold } = await FakeJob.attached(arrival, { threads: [[1], [2]] });
      const id = 41;
      const logged: string[] = [];
      job.breakpoints.on('logged', (breakpoint, { label }, text) => logged.push(`${breakpoint.id} ${label} ${text}`));
      const set = job.breakpoints.replaceFunctions([
        { kind: 'function', function: 'here', log: ['lap ', { expression: 'lap' }], id },
      ]);
      await gdb.silence();
      await gdb.plays(String.raw`
        > 1-break-insert -f -d -c "lap" --function "here"
        < 1^done,bkpt={number="2",addr="0x1170",func="here",line="6",times="0"}
        > 2-break-delete 2
        < 2^done
        > 3-break-insert -f -c "$_mpidbg_stop(${id})" --function "here"
        < 3^done,bkpt={number="3",addr="0x1170",func="here",line="6",times="0"}
        < &"\001mpidbg {\"rule\": ${id}, \"inferior\": 2, \"kind\": \"logged\", \"parts\": [\"lap \", {\"value\": \"7\"}]}\n"
        < &"\001mpidbg {\"rule\": ${id + 1}, \"inferior\": 2, \"kind\": \"logged\", \"parts\": [\"of another job\"]}\n"
        < &"warning: something\n"
      `);
      await set;
      assert.deepEqual(logged, [`${id} rank 1 lap 7`]);
      assert.deepEqual([takeTold(), rank(1).state], [[], 'stopped']);
    });

    it('tell of memory what it was and is', async () => {
      const { job, gdb, rank } = await FakeJob.attached(arrival, { threads: [[1, 2]] });
      const changes: unknown[] = [];
      job.on('stopped', ({ stop: { change, breakpoints } }) =>
        changes.push({ change, sorts: breakpoints.map(({ kind }) => kind) }),
      );
      const watched = { rank: rank(0), address: 0x4000n, type: 'int', access: 'write' } as const;
      const set = job.breakpoints.replaceWatched([{ kind: 'data', watched }]);
      await gdb.plays(`
        > 1-break-watch --thread 1 "*(int *)0x4000" with language c
        < 1^done,wpt={number="5",exp="*(int *)0x4000"}
      `);
      await set;
      const continued = job.continue([rank(0)]);
      await gdb.plays(`
        > 2-exec-continue --thread-group i1
        < 2^running
        < *running,thread-id="1"
        < *running,thread-id="2"
        < ${stopped('watchpoint-trigger', 1, ',wpt={number="5",exp="*(int *)0x4000"},value={old="3",new="4"}')}
        > 3-exec-interrupt --thread-group i1
        < 3^done
        < ${interrupted(2)}
      `);
      await continued;
      assert.deepEqual(changes, [{ change: { before: '3', after: '4' }, sorts: ['data'] }]);
    });
  });
}
