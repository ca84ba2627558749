/** Ranks that are held without a debugger: their stacks are those that gdb finds, and nothing is left of it. */
import assert from 'node:assert/strict';
import { Holder } from '../../adapter/agent/holder';
import { ThreadListings } from '../../adapter/gdb/mi/thread-commands';
import { HostProcess } from '../../adapter/hosts/host-process';
import { localHost } from '../../adapter/hosts/local-host';
import { CachedImage } from '../../adapter/images/cached-image';
import { LiveImage } from '../../adapter/images/live/live-image';
import { openJob } from '../../adapter/job-sources/open-job';
import { processesAt } from '../../adapter/job-sources/job-finder';
import { HeldLooks } from '../../adapter/query/hang/held-look';
import { loadPlugins } from '../../adapter/query/load-plugin';
import { heldStack } from '../../adapter/query/positions/held-stack';
import { eventually, isFree, processState, tracerOf } from '../support/process-state';
import { eitherMpi, type Mpi, SampleJob } from '../support/sample-job';

const plugins = loadPlugins([]);
const noGdb = '/nonexistent/gdb';

/** By thread: the addresses of its frames. */
type Stacks = Map<number, bigint[]>;

async function stacksOfGdb(pid: number): Promise<Stacks> {
  const { job } = await openJob({ kind: 'pids', pids: [pid] }, { plugins });
  try {
    const stacks: Stacks = new Map();
    for (const thread of job.ranks[0]!.threads) {
      const { tid } = (await new ThreadListings().of(thread.gdb)).get(thread.gdbThread)!;
      // Where gdb knows the source it also lists functions that are inlined, and those that have jumped to another one.
      const next = 'f = lambda e: [] if e is None else [e] + f(e.older())';
      const wanted = 'e.type() in (gdb.NORMAL_FRAME, gdb.SIGTRAMP_FRAME)';
      const script = `python ${next}; print(*[e.pc() for e in f(gdb.newest_frame()) if ${wanted}])`;
      const addresses = await thread.gdb.console(script, thread);
      stacks.set(tid!, addresses.trim().split(' ').map(BigInt));
    }
    return stacks;
  } finally {
    await job.release();
  }
}

async function stacksWithoutGdb(pid: number): Promise<Stacks> {
  const process = new HostProcess(localHost, pid);
  const image = new CachedImage(new LiveImage(process));
  const holder = new Holder();
  try {
    const threads = (await holder.hold([pid]))!.get(pid)!;
    const held = { image, process, mpis: plugins.known, gdb: noGdb };
    const stacks: Stacks = new Map();
    for (const thread of threads) {
      const { frames } = await heldStack(held, thread);
      stacks.set(
        thread.tid,
        frames.map(({ address }) => address!),
      );
    }
    return stacks;
  } finally {
    await holder.end();
    image.invalidate();
  }
}

for (const mpi of eitherMpi('held without gdb')) {
  describe(`ranks of ${mpi} that are held without gdb`, () => {
    let job: SampleJob;
    const start = async (name: string, started: Mpi = mpi): Promise<number[]> => {
      job = await SampleJob.startWaiting(started, name, { ranks: 2 });
      return [...job.pids];
    };
    afterEach(() => job.kill());

    it('have the stacks that gdb finds, and stay stopped if they were', async () => {
      const [pid] = (await start('threads')) as [number];
      // What spins in MPI would be elsewhere for each of the two.
      process.kill(pid, 'SIGSTOP');
      await eventually('the rank is stopped', () => processState(pid) === 'T');
      const expected = await stacksOfGdb(pid);
      assert.ok(expected.size > 1);
      assert.deepEqual(await stacksWithoutGdb(pid), expected);
      // The kernel stops it again before it runs one instruction.
      await eventually('it is stopped again', () => processState(pid) === 'T' && tracerOf(pid) === 0);
      process.kill(pid, 'SIGCONT');
    });

    it('are looked at without any gdb, and go on', async () => {
      const pids = await start('threads');
      const looks = new HeldLooks(plugins, noGdb);
      // The second one finds most as it was, and does not decode it again.
      for (let count = 0; count < 2; count++) {
        const seen = await looks.look(await processesAt(pids, plugins), new AbortController().signal);
        assert.deepEqual(
          seen?.look.map(({ id, error, comms }) => [
            id.rank,
            error,
            comms.some(({ name }) => name === 'MPI_COMM_WORLD'),
          ]),
          pids.map((_, rank) => [rank, undefined, true]),
        );
      }
      for (const pid of pids) assert.equal(tracerOf(pid), 0);
      await job.finish();
    });

    it('go on when whoever holds them is killed', async () => {
      const pids = await start('threads');
      const holder = new Holder();
      assert.equal((await holder.hold(pids))?.size, pids.length);
      const holding = tracerOf(pids[0]!)!;
      assert.notEqual(holding, 0);
      process.kill(holding, 'SIGKILL');
      await holder.end();
      await eventually('the ranks are free', () => pids.every(isFree));
      await job.finish();
    });

    it('are held when another one is not there, which is told', async () => {
      const pids = await start('threads');
      const holder = new Holder();
      try {
        const gone = 2 ** 22 + 1;
        const held = await holder.hold([...pids, gone]);
        assert.deepEqual(held?.get(gone), []);
        for (const pid of pids) assert.ok(held.get(pid)!.length > 0);
      } finally {
        await holder.end();
      }
      for (const pid of pids) assert.equal(tracerOf(pid), 0);
    });
  });
}
