/** Every kind of death, with the library that sees it and without: the same output and end, and one record of what it was. */
import assert from 'node:assert/strict';
import { openWorkshop, type Workshop } from '../support/compile';
import { allMpis, type Mpi } from '../support/sample-job';
import { deathCases, type DeathCase, lineThatDies } from './death-case';
import { type Death, DeathListener, RecordLayout } from './death-listener';
import { DyingPrograms, type Seen } from './built-programs';

/** Launchers lose lines (Open MPI's every second one of an MPI error) and choose among statuses by chance, also without the library. */
const maxRuns = { itself: 1, launcher: 12 };
/** At a time: most of a run is waiting. */
const lanes = 4;

for (const mpi of allMpis) {
  describe(`programs of ${mpi} that die`, () => {
    let workshop: Workshop;
    let layout: RecordLayout;
    const dying = new DyingPrograms(mpi);
    before(async () => {
      workshop = openWorkshop();
      layout = new RecordLayout(workshop);
      await dying.build();
    });
    after(() => {
      workshop.close();
      dying.remove();
    });

    const check = async (each: DeathCase, by: 'itself' | 'launcher', problems: string[]): Promise<void> => {
      const name = `${by}-${each.program}-${each.how}`;
      const without = new Set<string>();
      const withLibrary = new Set<string>();
      const listener = await DeathListener.open(dying.socketPath(name), layout);
      try {
        for (let run = 1; run <= maxRuns[by] && ![...without].some((seen) => withLibrary.has(seen)); run++) {
          listener.deaths.length = 0;
          const [plain, watched] = await Promise.all([dying.run(each, by), dying.run(each, by, listener.path)]);
          without.add(textOf(plain));
          withLibrary.add(textOf(watched));
          compareRecords(each, listener.deaths, mpi, layout);
        }
        const same = [...withLibrary].filter((seen) => without.has(seen));
        assert.ok(
          same.length > 0,
          `with the library\n${[...withLibrary].join('\n')}\nwithout\n${[...without].join('\n')}`,
        );
      } catch (error) {
        problems.push(`${name}: ${(error as Error).message}`);
      } finally {
        listener.close();
      }
    };

    const checkAll = async (cases: readonly DeathCase[], by: 'itself' | 'launcher'): Promise<void> => {
      const waiting = cases.filter(({ mpis }) => mpis === undefined || mpis.includes(mpi));
      const problems: string[] = [];
      const lane = async (): Promise<void> => {
        for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) await check(each, by, problems);
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      assert.deepEqual(problems, []);
    };

    for (const program of new Set(deathCases.map((each) => each.program))) {
      it(`end as without the library, and tell why: ${program}`, () =>
        checkAll(
          deathCases.filter((each) => each.program === program),
          'itself',
        ));
    }

    it('end as without the library where a launcher ends the others', () =>
      checkAll(
        deathCases.filter(({ isLaunched }) => isLaunched === true),
        'launcher',
      ));
  });
}

function textOf({ status, signal, lines }: Seen): string {
  return [`status ${status} ${signal}`, ...lines].join('\n');
}

/** One record of this rank, which says what the case does, as far as it says it. */
function compareRecords(each: DeathCase, deaths: readonly Death[], mpi: Mpi, layout: RecordLayout): void {
  if (each.kind === undefined) {
    assert.deepEqual(deaths, []);
    return;
  }
  // MPICH may tell the other rank to exit.
  const own = deaths.filter(({ number }) => number['rank'] === 1);
  assert.equal(own.length, 1, 'records');
  const [{ number, text, flag, place, thrown }] = own as [Death];
  const line = (marker: string | undefined): number | undefined =>
    marker === undefined ? undefined : lineThatDies(each, marker);
  if (each.below !== undefined) line(each.below);
  const { words = text['words']!, text: errorText = text['error_text']!, errorClass = number['error_class'] } = each;
  const { isOwnHandler = false } = each;
  const expected = {
    ...{ kind: layout.kinds[each.kind], rank: 1, signal: each.signal ?? 0 },
    status: each.status ?? number['status'],
    place: line(each.place) ?? place,
    thrown: line(each.thrown) ?? thrown,
    words: words === '' ? '' : true,
    function: each.function ?? text['function'],
    object: each.object === undefined ? number['object_kind'] : layout.objects[each.object],
    errorClass: typeof errorClass === 'object' ? errorClass[mpi] : errorClass,
    text: true,
    type: each.type ?? text['type'],
    isStackFull: each.isStackFull ?? false,
    isOwnHandler: typeof isOwnHandler === 'object' ? isOwnHandler[mpi] : isOwnHandler,
    isFortran: each.isFortran ?? false,
  };
  const found = {
    ...{ kind: number['kind'], rank: number['rank'], signal: number['signal'] },
    ...{ status: number['status'], place, thrown },
    words: words === '' ? text['words'] : text['words']!.includes(words),
    function: text['function'],
    object: number['object_kind'],
    errorClass: number['error_class'],
    text: text['error_text']!.includes(errorText),
    type: text['type'],
    ...{ isStackFull: flag.isStackFull, isOwnHandler: flag.isOwnHandler, isFortran: flag.isFortran },
  };
  assert.deepEqual(found, expected, JSON.stringify(text));
}
