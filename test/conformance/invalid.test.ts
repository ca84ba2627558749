/** Values that are no handles of a kind, in running programs: each gets a code and a reason, and never an object. */
import assert from 'node:assert/strict';
import { CachedImage } from '../../adapter/images/cached-image';
import { LiveImage } from '../../adapter/images/live/live-image';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { askPlugin } from '../support/ask-plugin';
import { assertAgree, compareFacts } from '../support/compare-facts';
import { libraryOf } from '../support/excused';
import { randomNumbers } from '../support/random-numbers';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';
import { handleKinds } from '../support/stopped-ranks';
import type { TruthRecord } from '../support/truth';
import { localProcess } from '../support/local-process';

for (const mpi of allMpis) {
  describe(`a value that is no handle, in a program of ${mpi}`, () => {
    let job: SampleJob;
    let truth: TruthRecord[];
    const images: LiveImage[] = [];
    let asked: MpiProcess;

    before(async () => {
      job = await SampleJob.startWaiting(mpi, 'freed', { ranks: 2 });
      truth = job.truth.filter(({ rank }) => rank === 0);
      asked = await open(job.pids[0]!, images);
    });

    after(async () => {
      for (const image of images) image.close();
      await (job as SampleJob | undefined)?.kill();
    });

    it('is told when it was freed, of every kind', async () => {
      const freed = truth.filter(({ bad }) => bad !== undefined).map(({ kind }) => kind);
      const missing = handleKinds.filter((kind) => !freed.includes(kind) && !(kind === 'session' && mpi === 'openmpi'));
      assert.deepEqual(missing, []);
      const library = libraryOf(mpi, asked.implementation.version);
      assertAgree(compareFacts(truth, await askPlugin(asked, truth), library), 200);
    });

    it('is told when it is a live handle of another kind', async () => {
      const live = liveHandles(truth);
      for (const kind of handleKinds)
        for (const other of live)
          if (other.kind !== kind && !isSameObject(mpi, other.kind, kind))
            await refused(asked, kind, other.handle, `a ${other.kind}`);
    });

    it('is told when it was never set, or holds anything', async () => {
      const random = randomNumbers(4711);
      const any = () => (BigInt(random(0x7fffffff)) << 33n) | (BigInt(random(0x7fffffff)) << 2n);
      const values = [0n, 1n, 7n, 4095n, 0xdeadbeefn, 0xcccccccccccccccn, 2n ** 63n, 2n ** 64n - 1n];
      for (let i = 0; i < 50; i++) values.push(any(), any() & 0xffffffffn);
      for (const kind of handleKinds) {
        const constants = [...(await asked.constants()).values()];
        const isPredefined = (value: bigint) =>
          constants.some((c) => c.kind === 'handle' && c.handleKind === kind && c.handle === value);
        for (const value of values) if (!isPredefined(value)) await refused(asked, kind, value, 'garbage');
      }
    });

    it('is told when it is an address within an object', async () => {
      for (const { kind, handle } of liveHandles(truth)) {
        if (handle < 2n ** 32n) continue;
        for (let offset = 1n; offset < 256n; offset += offset < 8n ? 1n : 8n)
          await refused(asked, kind, handle + offset, `${offset} bytes behind a handle`);
      }
    });
  });

  for (const stage of ['before-init', 'after-finalize']) {
    it(`no kind of handle is told in a program of ${mpi} ${stage}, but the null handles`, async () => {
      const job = await SampleJob.startWaiting(mpi, 'lifecycle', { ranks: 2, args: [stage] });
      const images: LiveImage[] = [];
      try {
        const outside = await open(job.pids[0]!, images);
        for (const kind of handleKinds) {
          const list = await outside.handles(kind);
          assert.ok(!list.ok && list.code === 'MPIDBG_ERR_UNAVAILABLE' && list.reason !== '', `${kind}: a list`);
          for (const [name, constant] of await outside.constants()) {
            if (constant.kind !== 'handle' || constant.handleKind !== kind) continue;
            const answer = await outside.query(kind, constant.handle);
            if (name.endsWith('_NULL')) assert.equal(answer.ok && 'name' in answer.value && answer.value.name, name);
            else assert.ok(!answer.ok && answer.code === 'MPIDBG_ERR_UNAVAILABLE' && answer.reason !== '', name);
          }
        }
        await job.finish();
      } finally {
        for (const image of images) image.close();
        await job.kill();
      }
    });
  }
}

async function open(pid: number, images: LiveImage[]): Promise<MpiProcess> {
  const image = new LiveImage(localProcess(pid));
  images.push(image);
  const found = await new PluginRegistry().open(new CachedImage(image));
  assert.ok(found, 'no plugin found the MPI');
  return found;
}

function liveHandles(truth: readonly TruthRecord[]): { kind: HandleKind; handle: bigint }[] {
  return truth.flatMap(({ kind, told }) => {
    const handle = told?.info['handle'];
    return typeof handle === 'string' ? [{ kind, handle: BigInt(handle) }] : [];
  });
}

/** A message is one of MPICH's requests. */
function isSameObject(mpi: Mpi, kind: HandleKind, asKind: HandleKind): boolean {
  return mpi === 'mpich' && kind === 'message' && asKind === 'request';
}

async function refused(asked: MpiProcess, kind: HandleKind, handle: bigint, what: string): Promise<void> {
  const answer = await asked.query(kind, handle);
  const where = `${what}, 0x${handle.toString(16)}, as ${kind}`;
  assert.ok(!answer.ok, `${where} is taken for ${answer.ok ? JSON.stringify(answer.value) : ''}`);
  assert.notEqual(answer.reason, '', where);
}
