/**
 * What mpidbg itself takes for the answers of very many ranks: npm run bench:scale [-- RANKS...]. What ranks tell is made up, since no machine
 * of ours has so many: it costs neither a network nor a gdb, and every rank of a communicator has the same list of its members. Each
 * case runs in a process of its own, once it has answered for a few ranks (V8 has compiled it then).
 */
import { execFileSync } from 'node:child_process';
import type { Frame } from '../adapter/stacks/frame';
import { mergeStacks, type RankStacks } from '../adapter/query/across-ranks/stacks';
import { hangText } from '../plugin-api/answers/text/hang-text';
import { stacksText } from '../plugin-api/answers/text/stacks-text';
import { valueOverRanks } from '../plugin-api/answers/value-over-ranks';
import { verdictOf } from '../plugin-api/hang/verdict';
import { shippedMpis } from '../plugin-api/plugins/shipped';
import { computes, finalizes, inCall, jobOf, receives, type Told } from '../test/support/hang-state';

/** Asks about so many ranks; the answer as people read it. */
type Case = (ranks: number) => () => string;

const hang =
  (each: (rank: number, ranks: number) => Told): Case =>
  (ranks) => {
    const look = jobOf(Array.from({ length: ranks }, (_, rank) => each(rank, ranks)));
    return () => hangText(verdictOf({ target: 'live', looks: [look, look], seconds: 1 }).document);
  };

/** One rank's tag is another one. */
function exchanges(rank: number, ranks: number): Told {
  const side = Math.floor(Math.sqrt(ranks));
  const others = [rank - side, rank - 1, rank + 1, rank + side].filter((other) => other >= 0 && other < ranks);
  const posted = others.map((peer, index) => ({ handle: `0x${index + 1}`, peer, tag: rank === 9 ? 113 : 13 }));
  const requests = posted.map((each) => ({ ...each, operation: 'receive' as const }));
  const passed = posted.map(({ handle }) => ({ kind: 'request' as const, handle }));
  return inCall('MPI_Waitall', { requests: passed }, { requests, queues: { posted, sends: posted } });
}

const places = ['solve', 'exchange', 'sweep', 'iterate', 'run', 'main'];

function stackOf(rank: number): RankStacks {
  const call = rank % 1000 === 7 ? 'usleep' : 'PMPI_Waitall';
  const names = ['poll', 'opal_progress', call, ...places];
  const frames = names.map((name, level): Frame => ({
    ...{ kind: 'native', level, address: BigInt(4096 + level), function: name, from: undefined },
    ...(places.includes(name)
      ? { file: 'solver.c', fullName: '/src/solver.c', line: 10 * level }
      : { file: undefined, fullName: undefined, line: undefined }),
  }));
  return { id: { rank }, code: { modules: [], mpis: shippedMpis }, threads: [frames] };
}

const cases: Record<string, Case> = {
  'stacks, one rank in a thousand elsewhere': (ranks) => {
    const all = Array.from({ length: ranks }, (_, rank) => stackOf(rank));
    return () => stacksText(mergeStacks(all, [], 'live', 'calls'));
  },
  'a number that is another one in each rank': (ranks) => {
    const all = Array.from({ length: ranks }, (_, rank) => ({ rank: { rank }, text: String(rank) }));
    return () => JSON.stringify(valueOverRanks('me', all));
  },
  'a number that is another one in one rank': (ranks) => {
    const all = Array.from({ length: ranks }, (_, rank) => ({ rank: { rank }, text: rank === 7 ? '13' : '12' }));
    return () => JSON.stringify(valueOverRanks('phase', all));
  },
  'hang: one rank in another collective operation': hang((rank) =>
    inCall(rank === 5 ? 'MPI_Allreduce' : 'MPI_Barrier', { where: rank === 5 ? 'a.c:9' : 'a.c:3' }),
  ),
  'hang: half of the ranks in another one': hang((rank) => inCall(rank % 2 === 0 ? 'MPI_Allreduce' : 'MPI_Barrier')),
  'hang: a ring of receives': hang((rank, ranks) => receives((rank + 1) % ranks, 7)),
  'hang: receives from any rank': hang(() => receives('MPI_ANY_SOURCE', 7)),
  'hang: an exchange with four neighbors, one tag wrong': hang(exchanges),
  'hang: all wait for one that has gone to MPI_Finalize': hang((rank) =>
    rank === 4 ? finalizes : inCall('MPI_Barrier'),
  ),
  'no deadlock: all wait for one that computes': hang((rank) => (rank === 3 ? computes : inCall('MPI_Barrier'))),
};

function measure(name: string, ranks: number): void {
  cases[name]!(64)();
  const ask = cases[name]!(ranks);
  const { user, system } = process.cpuUsage();
  const text = ask();
  const used = process.cpuUsage({ user, system });
  const seconds = ((used.user + used.system) / 1e6).toFixed(2);
  const memory = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(
    `${String(ranks).padStart(6)}  ${seconds.padStart(6)} s  ${String(memory).padStart(5)} MiB  ${name}: ${text.length} characters`,
  );
}

const [what, ...rest] = process.argv.slice(2);
if (what !== undefined && what in cases) measure(what, Number(rest[0]));
else {
  const sizes = process.argv.slice(2).map(Number);
  console.log(' ranks  processor  memory');
  for (const ranks of sizes.length > 0 ? sizes : [1024, 10_000])
    for (const name of Object.keys(cases))
      execFileSync(process.execPath, ['--require', 'tsx/cjs', __filename, name, String(ranks)], { stdio: 'inherit' });
}
