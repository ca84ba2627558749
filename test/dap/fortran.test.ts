/** Fortran's own: bounds, allocatable and pointer arrays, strings, module variables, and names that gdb takes for intrinsics. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { areWatched } from '../support/watchpoints';
import { DebugRun, type Place } from './debug-run';

const allSet: Place = { source: 'fortran-values.f90', marker: 'all values set' };

describe('Fortran', () => {
  let run: DebugRun;
  let frameId: number;
  before(async () => {
    const place = { ...allSet, condition: 'rank >= 0 .and. shape < 100 .and. buoys(1)%size >= 100' };
    ({ run } = await DebugRun.stopped({ mpi: 'openmpi', program: 'fortran-values', ranks: 2, breakpoints: [place] }));
    frameId = (await run.topFrame(1)).id;
  });
  after(() => run.close());

  const scopes = async (): Promise<DebugProtocol.Scope[]> =>
    (await run.client.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId })).scopes;
  const childrenOf = async (name: string): Promise<string[]> => {
    const locals = await run.variables((await scopes())[0]!.variablesReference);
    const found = locals.find((each) => each.name === name);
    const children = await run.variables(found!.variablesReference);
    return children.map((child) => `${child.name} ${child.value}`);
  };

  it('expressions take names that gdb takes for intrinsics', async () => {
    for (const [expression, value] of [
      ['rank', '1'],
      ['size + shape', '43'],
      ['mod', '7'],
      ['loc', '.TRUE.'],
      ['kind', '3'],
      ['ocean_state::kind', '3'],
      ['buoys(1)%size', '101'],
      ['2 * buoys(1)%size + buoys(rank + 1) % size - size', '301'],
      ['buoys(1)%size > 100 .and. (loc)', '.TRUE.'],
      ['size(table)', '6'],
      ['size(Table, 2) + table(mod(SIZE, 2) + 1, 2)', '16'],
      ['mod(shape, 2) + size(shape(table)) + mod', '10'],
      ['mod(buoys(1)%size, 2)', '1'],
      ['shape == 41 .and. rank == 1', '.TRUE.'],
    ] as const) {
      assert.equal((await run.evaluate(expression, 'watch', frameId)).result, value, expression);
    }
    assert.equal((await run.evaluate('rank', 'repl')).result, '0: 0\n1: 1');
  });

  it('arrays have the bounds and the order of their declaration', async () => {
    assert.deepEqual(await childrenOf('bounds'), ['(-2) -20', '(-1) -10', '(0) 0', '(1) 10', '(2) 20']);
    assert.deepEqual(await childrenOf('table'), ['(:,0) (11, 21)', '(:,1) (12, 22)', '(:,2) (13, 23)']);
    assert.deepEqual(await childrenOf('every_other'), ['(1) 2', '(2) 4', '(3) 6']);
    assert.equal((await run.evaluate('depth(0, 3)', 'watch', frameId)).result, '1.5');
  });

  it('allocatable and pointer arrays tell when they are not there, strings are text', async () => {
    for (const [name, value] of [
      ['missing', '<not allocated>'],
      ['nowhere', '<not associated>'],
      ['message', "'all well'"],
      ['words', "('tide ', 'ebb  ')"],
    ] as const)
      assert.equal((await run.local(1, name)).value, value);
  });

  it('module variables are a scope', async () => {
    const modules = (await scopes()).find(({ name }) => name === 'Modules');
    const ocean = (await run.variables(modules!.variablesReference)).find(({ name }) => name === 'ocean_state');
    const variables = await run.variables(ocean!.variablesReference);
    assert.deepEqual(
      variables.map(({ name, value, evaluateName }) => [name, value, evaluateName]),
      [
        ['depth', '((1.5, 2.5), (3.5, 4.5))', 'ocean_state::depth'],
        ['kind', '3', 'ocean_state::kind'],
        ['region', "'north '", 'ocean_state::region'],
      ],
    );
  });

  it('data breakpoints and assignments take such names', async () => {
    type Info = DebugProtocol.DataBreakpointInfoResponse['body'];
    const { dataId, description } = await run.client.request<Info>('dataBreakpointInfo', { frameId, name: 'shape' });
    assert.ok(dataId, description);
    const body = await run.client.request<DebugProtocol.SetExpressionResponse['body']>('setExpression', {
      frameId,
      expression: 'shape',
      value: 'size + 48',
    });
    assert.equal(body.value, '50');
    const component = { frameId, name: 'buoys(2)%size' };
    assert.match((await run.client.request<Info>('dataBreakpointInfo', component)).description, /of rank 1 .*4 bytes/);
    const assigned = await run.client.request<DebugProtocol.SetExpressionResponse['body']>('setExpression', {
      frameId,
      expression: 'buoys(2)%size',
      value: 'buoys(1)%size + 5',
    });
    assert.equal(assigned.value, '106');
    const setData = async (ids: readonly string[]): Promise<DebugProtocol.Breakpoint[]> =>
      (
        await run.client.request<DebugProtocol.SetDataBreakpointsResponse['body']>('setDataBreakpoints', {
          breakpoints: ids.map((each) => ({ dataId: each, accessType: 'write' })),
        })
      ).breakpoints;
    // Fortran has no type double, and no array in the place of a type.
    for (const name of ['depth(0, 3)', 'words(1)', 'message', 'region']) {
      const other = await run.client.request<Info>('dataBreakpointInfo', { frameId, name });
      assert.ok(other.dataId, `${name}: ${other.description}`);
      const set = await setData([other.dataId]);
      if (areWatched(set)) assert.equal(set[0]?.verified, true, `${name}: ${set[0]?.message}`);
    }
    const breakpoints = await setData([dataId]);
    if (!areWatched(breakpoints)) return;
    const threadId = await run.threadOf(1);
    await run.client.request('continue', { threadId, singleThread: true });
    const hit = await run.nextStop();
    assert.equal(hit.description, 'rank 1: data breakpoint, 50 → 57');
  });
});
