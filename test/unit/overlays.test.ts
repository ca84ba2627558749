/** The collector's region: what it tells, and many damaged ones, of which none may end or hold up the reader. */
import assert from 'node:assert/strict';
import { overlayParts, readOverlay, type ProcessOverlay } from '../../plugin-api/overlays/read-overlay';
import { binds, orderings, pvarClasses, safeties, scopes, verbosities } from '../../plugin-api/overlays/mpi-t-words';
import type { Ompt } from '../../plugin-api/overlays/ompt-records';
import type { Cvar, EventSource, EventType, MpiTEvent, Pvar, ThreadCalls } from '../../plugin-api/overlays/records';
import { HandleLives } from '../../plugin-api/overlays/history';
import { Region } from '../../plugin-api/overlays/region';
import { RingTail } from '../../plugin-api/overlays/rings';
import { guard, isUnavailable } from '../../plugin-api/result';
import { MockImage } from '../support/mock-image';
import { MockRegion } from '../support/mock-region';
import { randomNumbers } from '../support/random-numbers';
import { randomCases } from '../support/thorough';

const damaged = randomCases(100_000);
const all = { last: Infinity, isWanted: () => true };

describe('the region of the collector', () => {
  it('tells variables with their values, enumerations and categories', async () => {
    const { image } = new MockRegion();
    const { collector, pvars, categories, categoriesChanged } = await readOverlay(image, 'pvars', all);
    assert.ok(!isUnavailable(collector) && !isUnavailable(pvars) && pvars !== undefined);
    assert.deepEqual(collector.denied, [{ name: 'mtl_psm2_x', reason: 'crashes' }]);
    assert.deepEqual(categoriesChanged, { first: 5, last: 7, noticed: 1 });
    const [lengths, state] = pvars;
    assert.deepEqual(
      [lengths?.name, lengths?.class, lengths?.bind],
      ['pml_ob1_unexpected_msgq_length', 'SIZE', 'COMM'],
    );
    assert.deepEqual(lengths?.instances, [
      {
        object: { kind: 'comm', handle: '0x44000000', name: 'MPI_COMM_WORLD' },
        ...{ started: true, count: 2, values: [3, 0], time: 0.5 },
      },
    ]);
    assert.deepEqual(state?.enumeration?.items, [
      { value: 0, name: 'idle' },
      { value: 1, name: 'busy' },
    ]);
    assert.deepEqual(categories, [
      {
        ...{ name: 'pml', description: '', cvars: [], events: [], categories: ['inner'] },
        pvars: [{ name: lengths?.name, class: 'SIZE' }],
      },
      {
        name: 'inner',
        description: '',
        pvars: [{ name: 'in_state', class: 'STATE' }],
        cvars: [],
        events: [],
        categories: [],
      },
    ]);
    const { cvars, categories: ofCvars } = await readOverlay(image, 'cvars', all);
    assert.ok(ofCvars !== undefined && !isUnavailable(ofCvars));
    assert.deepEqual(
      ofCvars.map((category) => category.cvars),
      [['eager_limit'], []],
    );
    assert.ok(cvars !== undefined && !isUnavailable(cvars));
    assert.deepEqual(
      cvars.map(({ name, value }) => [name, value]),
      [
        ['eager_limit', [4096]],
        ['file', '/etc/x'],
      ],
    );
  });

  it('tells events, with what raises them and what rings have lost', async () => {
    const { collector, sources, eventTypes, events, categories } = await readOverlay(
      new MockRegion().image,
      'events',
      all,
    );
    assert.ok(!isUnavailable(collector));
    assert.deepEqual(collector.collects, ['pvars', 'events', 'ompt', 'calls']);
    assert.equal(collector.overwritten, 5, 'three were overwritten, two had no ring');
    assert.deepEqual(sources, [
      {
        ...{ name: 'queues', description: '', ordering: 'ORDERED', ticksPerSecond: 1000, maxTicks: 999, dropped: 7 },
        reference: { ticks: 500, time: 0.25 },
      },
    ]);
    const object = { kind: 'comm', handle: '0x44000000', name: 'MPI_COMM_WORLD' };
    assert.deepEqual(eventTypes, [
      {
        ...{ name: 'enqueued', verbosity: 'USER_ALL', bind: 'COMM', description: '', raised: 9, dropped: 7 },
        elements: [
          { datatype: 'MPI_INT', displacement: 0, name: 'idle' },
          { datatype: 'MPI_UNSIGNED', displacement: 4, name: 'busy' },
          { datatype: 'MPI_CHAR', displacement: 8 },
        ],
        enumeration: {
          name: 'states',
          items: [
            { value: 0, name: 'idle' },
            { value: 1, name: 'busy' },
          ],
        },
        hints: [{ key: 'buffered', value: 'no' }],
        registrations: [{ object, safety: safeties, freed: true }],
      },
    ]);
    assert.ok(categories !== undefined && !isUnavailable(categories));
    assert.deepEqual(
      categories.map((category) => category.events),
      [['enqueued'], []],
    );
    const common = { type: 'enqueued', source: 'queues', thread: 4712, registeredOn: object };
    assert.deepEqual(events, [
      {
        ...{ ...common, time: 0.27, delivered: 0.3, ticks: 520, safety: 'MPI_RESTRICTED', payload: 'copied' },
        elements: [
          { name: 'idle', datatype: 'MPI_INT', value: -1 },
          { name: 'busy', datatype: 'MPI_UNSIGNED', value: 7 },
          { datatype: 'MPI_CHAR', value: 'A' },
        ],
      },
      { ...common, time: 0.4, safety: 'NONE', payload: 'none', elements: [], dropped: 7 },
      // Its clock began again between the reference and the event.
      {
        ...common,
        time: 0.75,
        delivered: 0.75,
        ticks: 0,
        safety: 'ASYNC_SIGNAL_SAFE',
        payload: 'denied',
        elements: [],
      },
    ]);
  });

  it('tells each event once to those who follow, a late one too', async () => {
    const region = new MockRegion();
    const choice = { ...all, tail: new RingTail() };
    const followed = async (): Promise<number> => {
      const { events } = await readOverlay(region.image, 'events', choice);
      return events === undefined || isUnavailable(events) ? -1 : events.length;
    };
    assert.deepEqual([await followed(), await followed()], [3, 0]);
    region.writeLateRecord();
    assert.deepEqual([await followed(), await followed()], [1, 0]);
  });

  it('says to those who follow where it has left something out, such as what was overwritten before', async () => {
    const region = new MockRegion();
    const choice = { ...all, tail: new RingTail() };
    const lost = async (): Promise<unknown> => (await readOverlay(region.image, 'events', choice)).lost;
    assert.deepEqual([await lost(), await lost()], [[{ thread: 4712, before: 0.3 }], undefined]);
  });

  it('tells all calls that are new to those who follow', async () => {
    const choice = { ...all, last: 1, tail: new RingTail() };
    const { calls } = await readOverlay(new MockRegion().image, 'calls', choice);
    assert.ok(calls !== undefined && !isUnavailable(calls));
    assert.deepEqual(
      calls.flatMap((thread) => thread.calls.map(({ name }) => name)),
      ['MPI_Send', 'MPI_Recv'],
    );
  });

  it('tells calls, the one that a thread is in too, with the communicators of then', async () => {
    const { calls } = await readOverlay(new MockRegion().image, 'calls', all);
    assert.deepEqual(calls, [
      {
        ...{ thread: 4713, total: 3 },
        calls: [
          {
            ...{ name: 'MPI_Send', begin: 0.2, end: 0.3, code: { address: '0x4000' } },
            ...{ comm: { kind: 'comm', handle: '0x84', name: 'first' }, peer: 1, tag: 5, bytes: 64 },
          },
          {
            ...{ name: 'MPI_Recv', begin: 0.9, code: { address: '0x4010' } },
            ...{ comm: { kind: 'comm', handle: '0x84', name: 'ocean' }, peer: 'MPI_ANY_SOURCE', tag: 'MPI_ANY_TAG' },
          },
        ],
      },
    ]);
    const last = await readOverlay(new MockRegion().image, 'calls', {
      last: 1,
      isWanted: (name) => name === 'MPI_Send',
    });
    assert.ok(last.calls !== undefined && !isUnavailable(last.calls));
    assert.deepEqual(
      last.calls.map(({ calls: of }) => of.map(({ name }) => name)),
      [['MPI_Send']],
    );
  });

  it('tells what made and freed the objects of handles', async () => {
    const region = await Region.open(new MockRegion().image);
    const lives = await HandleLives.of(region, await region.texts());
    const first = {
      created: { call: 'MPI_Send', time: 0.1, thread: 4713, code: { address: '0x4000' } },
      freed: { call: 'MPI_Recv', time: 0.2, thread: 4713, code: { address: '0x4010' } },
      name: 'first',
    };
    const created = { call: 'MPI_Send', time: 0.3, thread: 4714, code: { address: '0x4020' } };
    assert.deepEqual(lives.historyOf('comm', 0x84n, false), { created, earlier: [first] });
    assert.equal(lives.historyOf('group', 0x84n, false), undefined);
    assert.equal(lives.freedBy('comm', 0x84n), undefined);
    assert.deepEqual(lives.historyOf('datatype', 0x8cn, false), { freed: first.freed });
    // What the library has made of itself in its place.
    assert.deepEqual(lives.historyOf('datatype', 0x8cn, true), { earlier: [{ freed: first.freed }] });
    // A request that a wait has ended is gone; of one that was freed, a blocking call may have the handle.
    const { name: _, ...ended } = first;
    assert.deepEqual(lives.historyOf('request', 0x98n, false), { earlier: [ended] });
    const message = { peer: 'MPI_ANY_SOURCE', tag: 'MPI_ANY_TAG', comm: { kind: 'comm', handle: '0x84' } } as const;
    assert.equal(lives.historyOf('request', 0x9cn, false, message), undefined);
    const freed = { ...ended.freed, call: 'MPI_Request_free' };
    assert.deepEqual(lives.historyOf('request', 0x9cn, false, { ...message, tag: 3 }), { ...ended, freed });
    assert.deepEqual(lives.integerFreedBy('datatype', 7), first.freed);
    assert.deepEqual(lives.addresses().sort(), ['0x4000', '0x4010', '0x4020']);
  });

  it('tells what threads of OpenMP do, wait for and hold, and the records of all and of devices', async () => {
    const { ompt } = await readOverlay(new MockRegion().image, 'ompt', all);
    assert.ok(ompt !== undefined && !isUnavailable(ompt), JSON.stringify(ompt));
    const parallel = {
      ...{ id: 5, requested: 2, teamSize: 2, flags: ['invoker_program', 'team'] },
      ...{ code: { address: '0x4040' } },
    };
    assert.equal(ompt.runtime, 'LLVM OMP');
    assert.deepEqual(ompt.threads, [
      {
        ...{ thread: 4712, type: 'initial', state: 'work_parallel', parallel: { ...parallel, index: 0 } },
        task: { id: 3, flags: ['implicit'], parent: 2, code: { address: '0x4040' } },
        holds: [{ kind: 'lock', waitId: '0x5000', code: { address: '0x4020' }, since: 0.4 }],
      },
      {
        ...{ thread: 4713, type: 'worker', state: 'wait_lock', parallel: { ...parallel, index: 1 } },
        task: { id: 6, flags: ['explicit'], parent: 3, code: { address: '0x4050' } },
        waitsFor: { kind: 'lock', detail: 'queuing', waitId: '0x5000', code: { address: '0x4030' }, since: 0.5 },
        holds: [],
      },
    ]);
    assert.deepEqual(ompt.callbacks[0], { name: 'thread_begin', set: 'always', called: 3 });
    assert.deepEqual(ompt.records, [
      {
        ...{ type: 'parallel_begin', time: 0.3, thread: 4712, code: { address: '0x4040' } },
        fields: {
          ...{ encountering_task_id: 2, parallel_id: 5, requested_parallelism: 2 },
          ...{ flags: ['invoker_program', 'team'], codeptr_ra: '0x4040' },
        },
      },
      {
        ...{ type: 'work', endpoint: 'begin', time: 0.35, thread: 4712, code: { address: '0x4060' } },
        fields: {
          ...{ wstype: 'loop', endpoint: 'begin', parallel_id: 5, task_id: 3, count: 100, codeptr_ra: '0x4060' },
        },
      },
    ]);
    const [device] = ompt.devices;
    assert.deepEqual(device, {
      ...{ number: 1, type: 'generic', images: [{ address: '0x7000', bytes: 64 }], tracing: true, buffersLost: 3 },
      records: [{ type: 'target', time: 0.36, threadId: 9, targetId: 8, fields: device?.records[0]?.fields }],
    });
  });

  it('is missed with what to do about it', async () => {
    const { collector } = await readOverlay(new MockImage(), 'pvars', all);
    assert.ok(isUnavailable(collector));
    assert.match(collector.reason, /started without the collector: start the job with mpidbg run/);
  });

  it(`is read in any state: ${damaged} damaged ones`, async function () {
    this.timeout(120_000);
    const region = new MockRegion();
    const random = randomNumbers(17);
    const used = region.bytes.findLastIndex((byte) => byte !== 0) + 1;
    for (let i = 0; i < damaged; i++) {
      for (let n = 1 + random(4); n > 0; n--) damage(region, random(used), random);
      assertShape(await readOverlay(region.image, overlayParts[i % overlayParts.length]!, all));
      if (i % 4 === 0) await assertHistories(region);
      region.mend();
    }
  });
});

/** One bit, or a whole word: wild, small or large. */
function damage(region: MockRegion, at: number, random: (below: number) => number): void {
  if (random(2) === 0) return region.damage(at, region.bytes[at]! ^ (1 << random(8)));
  const word = [random(2 ** 32), random(64), 2 ** 32 - 1 - random(64)][random(3)]!;
  for (let i = 0; i < 4; i++) region.damage((at & ~3) + i, (word >>> (8 * i)) & 255);
}

/** Whatever the bytes are, the answer has the words of the standard, and values of the kinds that there are. */
function assertShape({
  collector,
  pvars,
  cvars,
  categories,
  sources,
  eventTypes,
  events,
  calls,
  ompt,
}: ProcessOverlay): void {
  if (isUnavailable(collector)) return;
  assert.ok(!Number.isNaN(Date.parse(collector.clock.start)));
  if (pvars !== undefined && !isUnavailable(pvars)) pvars.forEach(assertPvar);
  if (cvars !== undefined && !isUnavailable(cvars)) cvars.forEach(assertCvar);
  if (sources !== undefined && !isUnavailable(sources)) sources.forEach(assertSource);
  if (eventTypes !== undefined && !isUnavailable(eventTypes)) eventTypes.forEach(assertEventType);
  if (events !== undefined && !isUnavailable(events)) events.forEach(assertEvent);
  if (calls !== undefined && !isUnavailable(calls)) calls.forEach(assertCalls);
  if (ompt !== undefined && !isUnavailable(ompt)) assertOmpt(ompt);
  if (categories !== undefined && !isUnavailable(categories))
    for (const category of categories) assert.equal(typeof category.name, 'string');
}

function assertPvar({ class: itsClass, bind, verbosity, instances }: Pvar): void {
  assert.ok(pvarClasses.includes(itsClass) && binds.includes(bind) && verbosities.includes(verbosity));
  for (const { values, count } of instances) {
    if (isUnavailable(values)) continue;
    assert.equal(values.length, count);
    assert.ok(values.every((value) => typeof value === 'string' || Number.isFinite(value)));
  }
}

function assertCvar({ scope, bind, value }: Cvar): void {
  assert.ok(scopes.includes(scope) && binds.includes(bind));
  assert.ok(isUnavailable(value) || typeof value === 'string' || value.every((one) => !Number.isNaN(one)));
}

function assertSource({ ordering, reference }: EventSource): void {
  assert.ok(orderings.includes(ordering));
  assert.ok(isUnavailable(reference) || Number.isFinite(reference.time));
}

function assertEventType({ bind, verbosity, registrations }: EventType): void {
  assert.ok(binds.includes(bind) && verbosities.includes(verbosity));
  for (const { safety } of registrations) assert.ok(safety.every((level) => safeties.includes(level)));
}

function assertEvent({ safety, time, elements }: MpiTEvent): void {
  assert.ok(safeties.includes(safety) && Number.isFinite(time));
  for (const { value } of elements) assert.ok(typeof value === 'string' || Number.isFinite(value));
}

/** A damaged region has no history, or one whose calls have names. */
async function assertHistories({ image }: MockRegion): Promise<void> {
  const read = await guard(async () => {
    const region = await Region.open(image);
    return HandleLives.of(region, await region.texts());
  });
  const history = read.ok ? read.value.historyOf('comm', 0x84n, false) : undefined;
  for (const call of [history?.created, history?.freed]) {
    if (call === undefined) continue;
    assert.equal(typeof call.call, 'string');
    assert.ok(Number.isFinite(call.time) && Number.isInteger(call.thread));
  }
  assert.ok((history?.earlier ?? []).length <= 8);
}

function assertOmpt({ threads, records, callbacks, devices }: Ompt): void {
  assert.equal(callbacks.length, 37);
  for (const { state, type, holds } of threads) {
    assert.match(state, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(['initial', 'worker', 'other', 'unknown'].includes(type) && holds.length <= 16);
  }
  for (const { time, fields } of [...records, ...devices.flatMap((device) => device.records)]) {
    assert.ok(Number.isFinite(time));
    for (const value of Object.values(fields)) assert.ok(value === null || typeof value !== 'undefined');
  }
}

function assertCalls({ thread, total, calls }: ThreadCalls): void {
  assert.equal(typeof thread, 'number');
  assert.notEqual(total, undefined);
  for (const { name, begin, peer } of calls) {
    assert.equal(typeof name, 'string');
    assert.ok(!Number.isNaN(begin));
    assert.ok(['number', 'undefined'].includes(typeof peer) || /^MPI_/.test(String(peer)));
  }
}
