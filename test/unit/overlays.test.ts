/** The collector's region: what it tells, and 100 000 damaged ones, of which none may end or hold up the reader. */
import assert from 'node:assert/strict';
import { readOverlay, type ProcessOverlay } from '../../plugin-api/overlays/read-overlay';
import { binds, pvarClasses, scopes, verbosities } from '../../plugin-api/overlays/mpi-t-words';
import type { Cvar, Pvar } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { MockImage } from '../support/mock-image';
import { MockRegion } from '../support/mock-region';
import { randomNumbers } from '../support/random-numbers';

const damaged = 100_000;

describe('the region of the collector', () => {
  it('tells variables with their values, enumerations and categories', async () => {
    const { image } = new MockRegion();
    const { collector, pvars, categories, categoriesChanged } = await readOverlay(image, 'pvars');
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
    assert.deepEqual(
      categories,
      [
        { name: 'pml', pvars: [0], cvars: ['eager_limit'], categories: ['inner'] },
        { name: 'inner', pvars: [1], cvars: [], categories: [] },
      ].map(({ pvars: members, ...category }) => ({
        ...{ ...category, description: '', events: [] },
        pvars: members.map((i) => ({ name: pvars[i]!.name, class: pvars[i]!.class })),
      })),
    );
    const { cvars } = await readOverlay(image, 'cvars');
    assert.ok(cvars !== undefined && !isUnavailable(cvars));
    assert.deepEqual(
      cvars.map(({ name, value }) => [name, value]),
      [
        ['eager_limit', [4096]],
        ['file', '/etc/x'],
      ],
    );
  });

  it('is missed with what to do about it', async () => {
    const { collector } = await readOverlay(new MockImage(), 'pvars');
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
      assertShape(await readOverlay(region.image, i % 2 === 0 ? 'pvars' : 'cvars'));
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
function assertShape({ collector, pvars, cvars, categories }: ProcessOverlay): void {
  if (isUnavailable(collector)) return;
  assert.ok(!Number.isNaN(Date.parse(collector.clock.start)));
  if (pvars !== undefined && !isUnavailable(pvars)) pvars.forEach(assertPvar);
  if (cvars !== undefined && !isUnavailable(cvars)) cvars.forEach(assertCvar);
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
