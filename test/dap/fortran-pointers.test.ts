/** Numbers, LOGICALs and texts of Fortran that are POINTER or ALLOCATABLE: their names mean what they lead to. The program prints it. */
import assert from 'node:assert/strict';
import { eventually } from '../support/process-state';
import { eitherMpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

const place = { source: 'pointed.f90', marker: 'all are there' };
const nothing = '<not allocated or associated>';

for (const mpi of eitherMpi('pointers of Fortran'))
  describe(`pointers of Fortran to what is no array, with ${mpi}`, () => {
    let run: DebugRun;
    let frameId: number;

    before(async () => {
      // Hit in rank 1 only, by what its pointers lead to.
      const condition =
        "one%count == 3 .and. number == 41 .and. one%depth > 0.4 .and. one%is_open .and. one%label == 'reef'";
      run = await DebugRun.launch({ mpi, program: 'pointed', ranks: 2, attributes: { stopOnEntry: true } });
      await run.nextStops([0, 1], 'entry');
      const [breakpoint] = await run.setBreakpoints(place.source, [{ ...place, condition }]);
      assert.equal(breakpoint?.verified, true, breakpoint?.message);
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      await run.nextStops([1], 'breakpoint');
      frameId = (await run.topFrame(1)).id;
    });
    after(() => run.close());

    it('are what they lead to', async () => {
      const [, number, count, depth, isOpen, label] = await toldBy(run, 1, 'before');
      assert.equal(await watched('number'), number);
      assert.equal(await watched('one%count'), count);
      assert.equal(await watched('one%count + number'), String(Number(count) + Number(number)));
      assert.equal(Number(await watched('one%depth')), Number(depth));
      assert.equal(await watched('one%is_open'), isOpen === 'T' ? '.TRUE.' : '.FALSE.');
      assert.equal(await watched('one%label'), `'${label!.slice(0, -1)}'`);
      assert.equal(await watched('level'), '(1,2)');
      const locals = new Map((await run.locals(frameId)).map(({ name, value, type }) => [name, { value, type }]));
      assert.deepEqual(locals.get('number'), { value: number, type: 'integer(kind=4)' });
      assert.equal(locals.get('level')?.value, '(1,2)');
      assert.equal(await watched('&number').then((text) => /^0x[0-9a-f]+/.test(text)), true);
    });

    it('lead to nothing, which is said', async () => {
      for (const expression of ['nowhere', 'one%next%count', 'one%next%label', 'one%next%next'])
        assert.equal(await watched(expression), nothing, expression);
      await assert.rejects(set('one%next%count', '4'), /absent: OPTIONAL and not passed, not allocated, or a POINTER/);
      assert.equal((await dataOf('one%next%count')).dataId, null);
    });

    it('are set, and watched, where they lead to', async () => {
      const of = await dataOf('one%count');
      assert.match(of.description, /^one%count of rank 1 \(0x[0-9a-f]+, 4 bytes\)$/);
      assert.notEqual(of.dataId, null);
      assert.equal(await set('number', '77'), '77');
      assert.equal(await set('one%count', 'number + 1'), '78');
      assert.equal(await set('one%depth', '0.25'), '0.25');
      assert.equal(await set('one%is_open', '.false.'), '.FALSE.');
      assert.equal(await set('one%label', "'bay'"), "'bay '");
      await assert.rejects(
        set('one%label', "'lagoon'"),
        /"lagoon" is longer than one%label, which has room for 4 bytes/,
      );
      assert.equal(await set('level', '(3, 4)'), '(3,4)');
      await run.setBreakpoints(place.source, []);
      await run.client.request('continue', { threadId: await run.threadOf(1) });
      await run.terminated();
      assert.deepEqual(await toldBy(run, 1, 'after'), ['after', '77', '78', '.25', 'F', 'bay', '.', '3.00', '4.00']);
    });

    async function watched(expression: string): Promise<string> {
      return (await run.evaluate(expression, 'watch', frameId)).result;
    }
    async function set(expression: string, value: string): Promise<string> {
      return (await run.client.request<{ value: string }>('setExpression', { expression, value, frameId })).value;
    }
    function dataOf(name: string): Promise<{ dataId: string | null; description: string }> {
      return run.client.request('dataBreakpointInfo', { name, frameId });
    }
  });

/** The words of the line that this rank prints. */
async function toldBy(run: DebugRun, rank: number, when: string): Promise<string[]> {
  const beginning = `[${rank}] `;
  const lineOf = (): string | undefined =>
    run.client
      .outputText('stdout')
      .split('\n')
      .find((each) => each.startsWith(`${beginning}${when} `));
  await eventually(`rank ${rank} prints its line "${when}"`, () => lineOf() !== undefined);
  return lineOf()!.slice(beginning.length).trim().split(/\s+/);
}
