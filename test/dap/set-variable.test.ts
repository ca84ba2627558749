/** mpidbg/setVariable: the collector's thread starts, stops and writes variables of MPI_T where the library allows it. */
import assert from 'node:assert/strict';
import type { OverlayDocument, Pvar, VariableChange, VariableChangeAnswer } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { eventually } from '../support/process-state';
import { DebugRun } from './debug-run';

const counter = 'coll_monitoring_a2a_count';

describe('mpidbg/setVariable', () => {
  let run: DebugRun;
  before(async () => {
    // Its variables are not continuous: they can be stopped.
    const env = { OMPI_MCA_pml_monitoring_enable: '2' };
    const attributes = { args: ['--wait'], collector: { period: 20 }, env };
    run = await DebugRun.launch({ mpi: 'openmpi', program: 'tool-variables', ranks: 2, attributes });
    await eventually(
      'the collector tells its variables',
      async () => (await ofWorld().catch(() => undefined)) !== undefined,
    );
  });
  after(() => run.close());

  const change = (asked: VariableChange): Promise<VariableChangeAnswer> =>
    run.client.request('mpidbg/setVariable', { rank: 1, ...asked });

  const ofWorld = async (): Promise<Pvar['instances'][number] | undefined> => {
    const { ranks }: OverlayDocument = await run.client.request('mpidbg/pvars', { ranks: '1', patterns: [counter] });
    const [rank] = ranks;
    assert.ok(rank !== undefined && 'pvars' in rank && rank.pvars !== undefined && !isUnavailable(rank.pvars));
    return rank.pvars[0]?.instances.find(({ object }) => object?.name === 'MPI_COMM_WORLD');
  };

  it('stops and starts a variable while the rank runs', async () => {
    const world = await ofWorld();
    const of = { kind: 'pvar', name: counter, object: world!.object!.handle } as const;
    // The program may still be counting when it is asked first; what is stopped counts no more.
    const { done, values } = await change({ ...of, action: 'stop' });
    assert.equal(done, true);
    const stopped = await ofWorld();
    assert.deepEqual([stopped?.started, stopped?.values], [false, values]);
    assert.deepEqual(await change({ ...of, action: 'start' }), { done: true, values });
    assert.equal((await ofWorld())?.started, true);
  });

  it('says in the words of MPI_T why something is refused', async () => {
    const settings: VariableChange = { kind: 'cvar', name: 'mpi_leave_pinned', action: 'write', value: [1] };
    assert.deepEqual(await change(settings), { done: false, error: 'MPI_T_ERR_CVAR_SET_NEVER' });
    const pool = { kind: 'pvar', name: 'mpool_hugepage_bytes_allocated', action: 'stop' } as const;
    assert.deepEqual(await change(pool), { done: false, error: 'MPI_T_ERR_PVAR_NO_STARTSTOP' });
  });

  it('says what is missing', async () => {
    const cases: [VariableChange, RegExp][] = [
      [{ kind: 'pvar', name: counter, action: 'stop' }, /is bound to 5 objects: name the handle of one/],
      [{ kind: 'pvar', name: counter, action: 'stop', object: '0x1' }, /is not bound to 0x1/],
      [{ kind: 'pvar', name: 'osc_rdma_put_retry_count', action: 'stop' }, /^denied: .*can crash Open MPI/],
      [{ kind: 'pvar', name: 'x', action: 'stop' }, /there is no performance variable x/],
      [{ kind: 'cvar', name: 'mpi_leave_pinned', action: 'start' }, /can only be written/],
      [{ kind: 'cvar', name: 'mpi_leave_pinned', action: 'write', value: 'x' }, /is to be a list of numbers/],
    ];
    for (const [asked, error] of cases) {
      const { done, error: told } = await change(asked);
      assert.equal(done, false);
      assert.match(told ?? '', error);
    }
  });

  it('takes effect in a stopped rank when it goes on', async () => {
    const of = { kind: 'pvar', name: counter, object: (await ofWorld())!.object!.handle } as const;
    const threadId = await run.threadOf(1);
    await run.client.request('pause', { threadId });
    await run.nextStop();
    assert.deepEqual(await change({ ...of, action: 'stop' }), {
      done: false,
      error: 'stopped: takes effect when the rank goes on',
    });
    assert.equal((await ofWorld())?.started, true);
    await run.client.request('continue', { threadId });
    await eventually('it is stopped', async () => (await ofWorld())?.started === false);
  });
});
