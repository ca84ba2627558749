import assert from 'node:assert/strict';
import { join } from 'node:path';
import { RequestError } from '../../adapter/dap/client/errors';
import { defaults, parseAttachArguments, parseLaunchArguments } from '../../adapter/dap/start/launch-arguments';
import { attachAttributes, launchAttributes } from '../../extension/manifest/attributes';

describe('the launch configuration', () => {
  it('has its defaults, and paths from the working directory', () => {
    const parsed = parseLaunchArguments({ program: 'build/ring', cwd: '/home/me', stdin: 'input.txt' });
    assert.deepEqual(parsed, {
      programs: [{ program: '/home/me/build/ring', args: [], ranks: 2 }],
      cwd: '/home/me',
      env: {},
      launcher: undefined,
      launcherArgs: [],
      stdin: '/home/me/input.txt',
      stopOnEntry: false,
      gdb: 'gdb',
      setupCommands: [],
      plugins: [],
      libraryCode: [],
      skip: undefined,
      sourceFileMap: [],
      focus: undefined,
      breakpointRanks: undefined,
      scope: 'focus',
      helperThreads: true,
      markDifferences: false,
      callStack: 'all',
      floatingPoint: [],
      collector: undefined,
    });
  });

  it('takes the collector as it is, or what of it is wanted', () => {
    const collectorOf = (collector: unknown) => parseLaunchArguments({ program: 'a', collector }).collector;
    assert.equal(collectorOf(false), undefined);
    assert.deepEqual(collectorOf(true), { collect: ['pvars', 'events', 'ompt', 'calls'] });
    assert.deepEqual(collectorOf({ pvars: ['pml_*'], period: 20 }), {
      ...{ collect: ['pvars', 'events', 'ompt', 'calls'], pvars: ['pml_*'], period: 20 },
    });
    assert.deepEqual(collectorOf({ ompt: false, libomp: 'libomp.so.5' }), {
      ...{ collect: ['pvars', 'events', 'calls'], libomp: 'libomp.so.5' },
    });
    assert.deepEqual(collectorOf({ keepFreed: true, calls: false, ompt: false }), {
      ...{ collect: ['pvars', 'events', 'calls'], keepFreed: true },
    });
    assert.throws(() => collectorOf({ period: 5 }), /"collector.period" is 10 to 10000 milliseconds, not 5/);
    assert.throws(() => collectorOf('yes'), RequestError);
  });

  it('takes several programs, numbers that are texts, and variables to remove', () => {
    const parsed = parseLaunchArguments({
      cwd: '/w',
      programs: [
        { program: 'a', ranks: '3' },
        { program: '/b', args: [1, 'x'] },
      ],
      env: { ONE: 1, GONE: null },
      focus: ' 0-1, 4 ',
    });
    assert.deepEqual(parsed.programs, [
      { program: '/w/a', args: [], ranks: 3 },
      { program: '/b', args: ['1', 'x'], ranks: 2 },
    ]);
    assert.deepEqual(parsed.env, { ONE: '1', GONE: null });
    assert.deepEqual(parsed.focus, [
      {
        ranks: [
          [0, 1],
          [4, 4],
        ],
        world: undefined,
      },
    ]);
  });

  it('says which attribute is wrong and what it must be', () => {
    const message = (raw: unknown): string => {
      try {
        parseLaunchArguments(raw);
      } catch (error) {
        return (error as Error).message;
      }
      return 'accepted';
    };
    assert.equal(message({ program: 'a', ranks: 0 }), '"ranks" must be a whole number of at least 1, not 0');
    assert.equal(
      message({ programs: [{ program: 'a' }, { program: 'b', ranks: -1 }] }),
      '"programs[1].ranks" must be a whole number of at least 1, not -1',
    );
    assert.match(message({ programs: ['a'] }), /"programs\[0\]" must be an object/);
    assert.match(message({ programs: [] }), /"programs" is empty/);
    assert.match(message({ program: 'a', stopOnEntry: 'yes' }), /"stopOnEntry" must be true or false, not "yes"/);
    assert.match(
      message({
        programs: [
          { program: 'a', ranks: 800 },
          { program: 'b', ranks: 800 },
        ],
      }),
      /1600 ranks are more/,
    );
  });

  it('names exactly one thing to attach to', () => {
    assert.deepEqual(parseAttachArguments({ pids: ['17', 4, 17] }).target, { kind: 'pids', pids: [17, 4, 17] });
    assert.deepEqual(parseAttachArguments({ launcherPid: 12 }).target, { kind: 'launcher', launcherPid: 12 });
    for (const job of [{ job: '4711.0' }, { slurm: '4711.0' }])
      assert.deepEqual(parseAttachArguments(job).target, { kind: 'batchJob', job: '4711.0' });
    assert.deepEqual(parseAttachArguments({ job: 4711 }).target, { kind: 'batchJob', job: '4711' });
    assert.throws(
      () => parseAttachArguments({ job: -1 }),
      /"job" must be the number of a job, "4711" or "4711.0", not -1/,
    );
    const cores = parseAttachArguments({ cwd: '/w', cores: ['core.*'], program: 'a' });
    assert.deepEqual(cores.target, { kind: 'cores', cores: [join('/w', 'core.*')], program: '/w/a', searchPath: [] });
    assert.throws(() => parseAttachArguments({ pids: [1], launcherPid: 2 }), /exclude each other/);
    assert.throws(() => parseAttachArguments({ waitForJob: 1, job: 2 }), /exclude each other/);
    const waiting = (waitForJob: unknown) => parseAttachArguments({ waitForJob });
    assert.deepEqual(waiting(4711).target, { kind: 'batchJob', job: '4711' });
    assert.deepEqual(waiting(true).target, { kind: 'startingJob' });
    assert.deepEqual([waiting('4711.0').waits, parseAttachArguments({ job: 1 }).waits], [true, false]);
    assert.throws(
      () => waiting(false),
      /"waitForJob" must be the number of a job.* or true for the only one, not false/,
    );
    const worlds = ['0.1', 1, 'all', ''].map((world) => parseAttachArguments({ launcherPid: 12, world }).world);
    assert.deepEqual(worlds, ['0.1', '1', undefined, undefined]);
    assert.throws(
      () => parseAttachArguments({ launcherPid: 12, world: 'ocean' }),
      /"world" must be "all" or the name of a world, such as "0.1", not "ocean"/,
    );
    assert.deepEqual(parseAttachArguments({ launcherPid: 12, focus: '0-1,0.1:2' }).focus, [
      { ranks: [[0, 1]], world: undefined },
      { ranks: [[2, 2]], world: '0.1' },
    ]);
    assert.throws(() => parseAttachArguments({ pids: [-1] }), /"pids\[0\]" must be the id of a running process/);
  });

  it('knows every attribute that the extension offers, with the same defaults', () => {
    const known = new Set(Object.keys(parseLaunchArguments({ program: 'a' })));
    for (const name of ['program', 'args', 'ranks', 'envFile']) known.add(name); // in programs, in env
    assert.deepEqual(
      Object.keys(launchAttributes).filter((name) => !known.has(name)),
      [],
    );
    const attach = new Set([
      ...Object.keys(parseAttachArguments({ pids: [1] })),
      'launcherPid',
      'job',
      'waitForJob',
      'pids',
      'cores',
      'program',
      'searchPath',
    ]);
    assert.deepEqual(
      Object.keys(attachAttributes).filter((name) => !attach.has(name)),
      [],
    );
    const offered = launchAttributes as Record<string, { default?: unknown }>;
    for (const [name, value] of Object.entries(defaults)) assert.equal(offered[name]?.default, value, name);
  });

  it('may be any JSON: what cannot be meant is a fault of the user', () => {
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    const values = [
      null,
      true,
      1.5,
      '',
      'a',
      [],
      [null],
      [[]],
      {},
      { a: {} },
      { toString: 1 },
      [{ toString: 1 }],
      deep,
      [deep],
    ];
    const names = new Set([...Object.keys(launchAttributes), ...Object.keys(attachAttributes)]);
    for (const parse of [parseLaunchArguments, parseAttachArguments])
      for (const given of [
        ...values,
        ...[...names].flatMap((name) => values.map((value) => ({ program: 'a', [name]: value }))),
      ])
        try {
          parse(given);
        } catch (error) {
          assert.ok(error instanceof RequestError, String(error));
        }
  });
});
