/** Limits in time fire, whatever Node collects meanwhile, and do not outlive the work. */
import assert from 'node:assert/strict';
import { PassThrough, Duplex } from 'node:stream';
import { mock } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Gdb, maxGdbStart } from '../../adapter/gdb/gdb';
import { follow, withinTime } from '../../adapter/hosts/time-limit';

const late = (): Error => new Error('late');

/** Ends only when it is told to. */
function endless(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('told to end'))));
}

/** Heeds nothing. */
const deaf = (): Promise<never> => new Promise(() => undefined);

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

describe('work within a time', () => {
  afterEach(() => mock.timers.reset());

  it('answers and fails as the work does, and leaves no timer', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const own = new AbortController();
    const limit = { milliseconds: 1000, late, signal: own.signal };
    assert.equal(await withinTime(limit, async () => 7), 7);
    await assert.rejects(
      withinTime(limit, async () => Promise.reject(new Error('its own'))),
      /^Error: its own$/,
    );
    let told: AbortSignal | undefined;
    await withinTime(limit, async (signal) => (told = signal));
    own.abort();
    mock.timers.tick(5000);
    assert.equal(told?.aborted, false);
  });

  it('ends with the reason when the time is up, though nobody else holds the limit', async () => {
    const limited = withinTime({ milliseconds: 1, late }, endless);
    collectGarbage();
    await assert.rejects(limited, /^Error: late$/);
  });

  it('is not held up by work that heeds nothing', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const limited = withinTime({ milliseconds: 1000, late, patience: 100 }, deaf);
    mock.timers.tick(1000);
    mock.timers.tick(100);
    await assert.rejects(limited, /^Error: late$/);
  });

  it('waits so long for work that tidies up', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let isTidy = false;
    const limited = withinTime({ milliseconds: 1000, late, patience: 100 }, async (signal) => {
      await endless(signal).catch(() => undefined);
      isTidy = true;
    });
    mock.timers.tick(1000);
    await assert.rejects(limited, /^Error: late$/);
    assert.ok(isTidy);
  });

  it("ends when the caller's signal is aborted, before or meanwhile, and when the work has become impossible", async () => {
    const own = new AbortController();
    const limited = withinTime({ milliseconds: 60_000, late, signal: own.signal }, endless);
    own.abort(new Error('given up'));
    await assert.rejects(limited, /^Error: given up$/);
    await assert.rejects(withinTime({ milliseconds: 60_000, late, signal: own.signal }, deaf), /^Error: given up$/);
    const failed = Promise.reject(new Error('impossible'));
    await assert.rejects(withinTime({ milliseconds: 60_000, late, failed }, deaf), /^Error: impossible$/);
  });

  it('follows a signal until told otherwise', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    follow(first.signal, second)();
    first.abort();
    assert.equal(second.signal.aborted, false);
    follow(first.signal, second);
    assert.equal(second.signal.aborted, true);
  });
});

describe('a gdb that is started', () => {
  afterEach(() => mock.timers.reset());

  it('is named when it never answers', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const [input, output] = [new PassThrough(), new PassThrough()];
    const connecting = Gdb.connect('/opt/gdb', Duplex.from({ readable: output, writable: input }));
    mock.timers.tick(maxGdbStart);
    mock.timers.tick(1);
    await assert.rejects(
      connecting,
      /^UnusableGdbError: \/opt\/gdb cannot be used as gdb: it does not answer within 30 s$/,
    );
  });

  it('is named when it refuses what every gdb does', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.on('data', (line: Buffer) => output.write(`${parseInt(line.toString())}^error,msg="no way"\n`));
    await assert.rejects(
      Gdb.connect('/opt/gdb', Duplex.from({ readable: output, writable: input })),
      /^UnusableGdbError: \/opt\/gdb cannot be used as gdb: it refuses ".*show version.*" \(no way\)$/,
    );
  });
});
