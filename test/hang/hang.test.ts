/** Why programs of the corpus hang, and that none is called a deadlock that goes on. All of it: npm run hang:score. */
import assert from 'node:assert/strict';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { allMpis, eitherMpi } from '../support/sample-job';
import { hangs, programsThatGoOn } from './cases';
import { titleOf, type HangCase } from './hang-case';
import { Corpus, eachOf } from './corpus';

/** One of each type, with its near misses, of each kind of wait, and what looks most like them. */
const tested = [
  ...['recv_recv', 'big_sends', 'behind_a_ring', 'tag_before_allreduce', 'tag_ssend', 'comm_eager', 'no_send'],
  ...[
    'nobody_sends',
    'no_waitany',
    'no_sendrecv',
    'bcast 0',
    'missing barrier 3',
    'missing gather 3',
    'missing split 1',
  ],
  ...['ibarrier 3', 'order barrier allreduce 2', 'comm barrier 1', 'receives barrier 0', 'lock_held', 'own_threads'],
  ...['persistent_waitsome', 'neighbor_allgather awaited_edge', 'gatherv awaited', 'alltoallw both'],
  ...['multiple monitor', 'multiple reading', 'multiple word', 'funneled computing'],
  ...['1: post 0 0; win_wait | 2-3: barrier'],
  ...['in-fortran tag', 'in-cxx mixed', 'all: count 100000; scatterv@i 1', '1: spawn | 0,2-3: allreduce'],
  ...['0-1: create_group 0 2 7 | 2: create_group 0 2 8 | 3: barrier'],
  ...['all: pause 2 300000 | 3: irecv 2 8; test 0 | 0-2: recv 3 1'],
  ...['all: pause 1 500 | 2: issend 3 9; test 0 | 3: iprobe 2 8 | 0-1: ibarrier; test 0'],
  ...['slow_in_barrier', 'root_has_gone', 'goes-on ping_pong', 'server', 'pipeline', 'halo', 'slow_half', 'test_loop'],
  ...[
    'shared_flag',
    'poll_both',
    'scan_nothing',
    'live_bounded',
    'remote_flag',
    'own_lock',
    'asks_under_lock',
    'work_counter',
  ],
  ...['listener', 'barriers', 'in-fortran loop', 'slow_sender', 'hidden_sender', 'rung_sender', 'timer_sender'],
  ...['leaving-thread key', 'leaving-thread cleanup', 'catching_sender'],
  ...['napping_bell', 'timer_reader', 'child_reader', 'signal_taker'],
];
const cases = [...hangs, ...programsThatGoOn].filter((each) => tested.some((name) => titleOf(each).endsWith(name)));
/** For whom rank 0 waits: not for those whose messages have come, or were sent at once. */
const waitsOfRankZero: Record<string, readonly number[]> = {
  ...{ 'messages recv_recv': [1], 'messages tag_before_allreduce': [1], 'messages no_send': [1] },
  ...{ 'messages no_waitany': [1, 2], 'collectives missing barrier 3': [3] },
};
const fromCores = ['recv_recv', 'tag_ssend', 'missing barrier 3'];
const lanes = 2;

/** Jobs wait more than they compute: the next ones start while a test awaits its own. */
class Answers {
  private readonly told = new Map<HangCase, PromiseWithResolvers>();

  constructor(
    private readonly corpus: Corpus,
    cases: readonly HangCase[],
  ) {
    for (const each of cases) this.told.set(each, withResolvers());
  }

  begin(): void {
    void eachOf([...this.told.keys()], lanes, async (each) => {
      const { resolve, reject } = this.told.get(each)!;
      await this.ask(each).then(resolve, reject);
    });
  }

  of(each: HangCase): Promise<HangDocument[]> {
    return this.told.get(each)!.promise;
  }

  private async ask(each: HangCase): Promise<HangDocument[]> {
    const job = await this.corpus.start(each);
    try {
      if (each.unknown !== undefined) return [await job.askUntil('unknown')];
      if (each.expected === undefined) return [await job.ask()];
      job.giveWay();
      const live = await job.askUntil('deadlock');
      return fromCores.some((name) => titleOf(each).endsWith(name)) ? [live, await job.askCores()] : [live];
    } finally {
      await job.kill();
    }
  }
}

interface PromiseWithResolvers {
  promise: Promise<HangDocument[]>;
  resolve: (documents: HangDocument[]) => void;
  reject: (error: unknown) => void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve!: PromiseWithResolvers['resolve'], reject!: PromiseWithResolvers['reject'];
  const promise = new Promise<HangDocument[]>((yes, no) => ([resolve, reject] = [yes, no]));
  promise.catch(() => undefined); // its test awaits it
  return { promise, resolve, reject };
}

for (const mpi of allMpis)
  describe(`mpidbg hang: ${mpi}`, () => {
    const corpus = new Corpus(mpi);
    // Each kind of hang with both; of what goes on, and must not be called a hang, half of the programs with each.
    const tried = cases.filter((each) => each.expected !== undefined || eitherMpi(titleOf(each)).includes(mpi));
    const answers = new Answers(corpus, tried);

    before(async () => {
      await corpus.compile(tried.map(({ program }) => program));
      answers.begin();
    });
    after(() => corpus.remove());

    it('does not hang: a rank that somebody has stopped', async () => {
      const job = await corpus.start(programsThatGoOn.find((each) => titleOf(each) === 'goes-on barriers')!);
      try {
        const { verdict, sentence } = await job.askWhileStopped(1);
        assert.equal(verdict, 'unknown', sentence);
        assert.match(sentence, /Rank 1 is stopped by a signal/);
      } finally {
        await job.kill();
      }
    });

    for (const each of tried)
      it(`${each.expected?.type ?? 'goes on'}: ${titleOf(each)}`, async () => {
        for (const document of await answers.of(each)) {
          const { verdict, type, culprits, sentence } = document;
          if (each.unknown !== undefined) {
            assert.equal(verdict, 'unknown', sentence);
            assert.match(sentence, each.unknown);
          } else if (each.expected === undefined) assert.notEqual(verdict, 'deadlock', sentence);
          else assert.deepEqual({ verdict, type, culprits }, { verdict: 'deadlock', ...each.expected }, sentence);
          const waits = waitsOfRankZero[titleOf(each)];
          if (waits !== undefined) assert.deepEqual(waitsOf(document, 0), waits);
        }
      });
  });

function waitsOf({ ranks }: HangDocument, rank: number): readonly number[] | undefined {
  const position = ranks.find((each) => each.rank === rank && !('error' in each));
  return position !== undefined && 'waitsFor' in position ? position.waitsFor : undefined;
}
