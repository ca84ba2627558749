/** mpidbg run --watch-nan: which rank passed a NaN to MPI first, and by which calls others got it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patienceMs } from '../support/patience';
import { runCli } from '../support/run-cli';
import { allMpis, launchers, type Mpi } from '../support/sample-job';

const sources = join(__dirname, 'carried');

interface Row {
  name: string;
  /** What a rank gives, as the sentence has it; undefined: it is not seen to. */
  gives?: string | Record<Mpi, string>;
  /** undefined: the other rank is not seen to get anything. */
  takes?: string | Partial<Record<Mpi, string>>;
  isInfinity?: true;
}

/** Row n is what ranks 2n and 2n + 1 do; null: nothing may be told of it. */
const rowsInC: readonly (Row | null)[] = [
  { name: 'plain', gives: 'MPI_Send to rank 1, tag 7', takes: 'MPI_Recv from rank 0, tag 7' },
  { name: 'any', gives: 'MPI_Ssend to rank 3, tag 8', takes: 'MPI_Recv from rank 2, tag 8' },
  { name: 'single', gives: 'MPI_Isend to rank 5, tag 9', takes: 'MPI_Irecv from rank 4, tag 9' },
  { name: 'column', gives: 'MPI_Isend to rank 7, tag 10', takes: 'MPI_Irecv from rank 6, tag 10' },
  { name: 'cells', gives: 'MPI_Send to rank 9, tag 11', takes: 'MPI_Recv from rank 8, tag 11' },
  { name: 'block', gives: 'MPI_Send to rank 11, tag 12', takes: 'MPI_Recv from rank 10, tag 12' },
  {
    ...{ name: 'replaced', gives: 'MPI_Sendrecv_replace to rank 13, tag 13' },
    takes: 'MPI_Sendrecv_replace from rank 12, tag 13',
  },
  { name: 'reduced', gives: 'MPI_Allreduce', takes: 'MPI_Allreduce' },
  { name: 'told', gives: 'MPI_Bcast', takes: 'MPI_Bcast' },
  { name: 'gathered', gives: 'MPI_Gatherv', takes: 'MPI_Gatherv from rank 18' },
  { name: 'later', gives: 'MPI_Iallreduce', takes: 'MPI_Iallreduce' },
  { name: 'put', gives: 'MPI_Put to rank 23' },
  { name: 'started', gives: 'MPI_Send_init to rank 25, tag 14', takes: 'MPI_Recv_init from rank 24, tag 14' },
  {
    ...{ name: 'infinite', gives: 'MPI_Send to rank 27, tag 15', takes: 'MPI_Recv from rank 26, tag 15' },
    isInfinity: true,
  },
  null,
  null,
  { name: 'packed', gives: 'MPI_Pack', takes: 'MPI_Unpack' },
  { name: 'seen', gives: 'MPI_Send to rank 35, tag 19', takes: 'MPI_Irecv from rank 34, tag 19' },
];

const exchangedRows: readonly (Row | null)[] = [
  { name: 'typed', gives: 'MPI_Alltoallw to rank 1', takes: 'MPI_Alltoallw from rank 0' },
  { name: 'later', gives: 'MPI_Ialltoallv to rank 3', takes: 'MPI_Ialltoallv from rank 2' },
  { name: 'in_place', gives: 'MPI_Allgather', takes: 'MPI_Allgather from rank 4' },
  { name: 'got', takes: 'MPI_Get from rank 6' },
  { name: 'requested', takes: 'MPI_Rget from rank 8' },
  { name: 'fetched', takes: 'MPI_Fetch_and_op from rank 10' },
  { name: 'across', gives: 'MPI_Bcast', takes: 'MPI_Bcast' },
  { name: 'both_ways', gives: 'MPI_Allgather', takes: 'MPI_Allgather from rank 14' },
];

const rowsOfNeighbours: readonly (Row | null)[] = [
  { name: 'each_block', gives: 'MPI_Neighbor_alltoall to rank 1', takes: 'MPI_Neighbor_alltoall from rank 0' },
  { name: 'one_to_all', gives: 'MPI_Ineighbor_allgather', takes: 'MPI_Ineighbor_allgather from rank 2' },
  { name: 'directed', gives: 'MPI_Neighbor_alltoallv to rank 5', takes: 'MPI_Neighbor_alltoallv from rank 4' },
  {
    ...{ name: 'typed', gives: 'MPI_Neighbor_alltoallw to rank 7' },
    // MPICH 4.0 does not deliver it: the program sees nothing, either.
    takes: { openmpi: 'MPI_Neighbor_alltoallw from rank 6' },
  },
  { name: 'gathered', gives: 'MPI_Neighbor_allgatherv', takes: 'MPI_Neighbor_allgatherv from rank 8' },
  null,
  { name: 'dealt', gives: 'MPI_Isend to rank 13, tag 21', takes: 'MPI_Irecv from rank 12, tag 21' },
  { name: 'dealt', gives: 'MPI_Isend to rank 15, tag 21', takes: 'MPI_Irecv from rank 14, tag 21' },
];

/** Open MPI 4 has persistent collectives under names of an extension, and neither partitioned messages nor large counts. */
function preparedRows(mpi: Mpi): readonly Row[] {
  const prefix = mpi === 'openmpi' ? 'MPIX' : 'MPI';
  const rows = [
    { name: 'told', gives: `${prefix}_Bcast_init`, takes: `${prefix}_Bcast_init` },
    { name: 'reduced', gives: `${prefix}_Allreduce_init`, takes: `${prefix}_Allreduce_init` },
    { name: 'in_place', gives: `${prefix}_Allreduce_init`, takes: `${prefix}_Allreduce_init` },
    { name: 'own_block', gives: `${prefix}_Allgather_init`, takes: `${prefix}_Allgather_init from rank 6` },
    {
      ...{ name: 'each_block', gives: `${prefix}_Alltoallv_init to rank 9` },
      takes: `${prefix}_Alltoallv_init from rank 8`,
    },
  ];
  if (mpi === 'openmpi') return rows;
  return [
    ...rows,
    { name: 'in_parts', gives: 'MPI_Psend_init to rank 11, tag 17', takes: 'MPI_Precv_init from rank 10, tag 17' },
    { name: 'large', gives: 'MPI_Alltoallv_c to rank 13', takes: 'MPI_Alltoallv_c from rank 12' },
    { name: 'arrived', gives: 'MPI_Psend_init to rank 15, tag 18', takes: 'MPI_Precv_init from rank 14, tag 18' },
    { name: 'swapped', gives: 'MPI_Isendrecv to rank 17, tag 19', takes: 'MPI_Isendrecv from rank 16, tag 19' },
  ];
}

const rowsInFortran: readonly (Row | null)[] = [
  { name: 'whole', gives: 'MPI_Send to rank 1, tag 7', takes: 'MPI_Recv from rank 0, tag 7' },
  { name: 'reduced', gives: 'MPI_Allreduce', takes: 'MPI_Allreduce' },
  { name: 'complex', gives: 'MPI_Send to rank 5, tag 9', takes: 'MPI_Recv from any rank, tag 9' },
  { name: 'row', gives: 'MPI_Send to rank 7, tag 10', takes: 'MPI_Recv from rank 6, tag 10' },
  null,
  { name: 'root', gives: 'MPI_Reduce', takes: 'MPI_Reduce' },
  { name: 'section', gives: 'MPI_Send to rank 13, tag 12', takes: 'MPI_Recv from rank 12, tag 12' },
  null,
];

/** "carried.c:36": the line with "gives: MARKER" or "takes: MARKER". */
function lineOf(source: string, marker: string): string {
  const lines = readFileSync(join(sources, source), 'utf8').split('\n');
  const found = lines.flatMap((line, i) => (new RegExp(`${marker}( |$)`).test(line) ? [i + 1] : []));
  assert.equal(found.length, 1, `${source} has ${found.length} lines with "${marker}"`);
  return `${source}:${found[0]}`;
}

/** What may be told of the two ranks of each row, as "rank 1 in MPI_Recv from rank 0 (carried.c:44)". */
function expected(mpi: Mpi, source: string, rows: readonly (Row | null)[], isInfinity: boolean): string[] {
  return rows.flatMap((row, n) => {
    if (row === null || (row.isInfinity ?? false) !== isInfinity) return [];
    const line = (rank: number, direction: string, side: 'gives' | 'takes'): string[] => {
      const call = row[side];
      const words = typeof call === 'object' ? call[mpi] : call;
      return words === undefined
        ? []
        : [`rank ${rank} ${direction} ${words} (${lineOf(source, `${side}: ${row.name}`)})`];
    };
    return [...line(2 * n, 'out', 'gives'), ...line(2 * n + 1, 'in', 'takes')];
  });
}

interface Result {
  ruleId: string;
  level: string;
  locations: { message: { text: string } }[];
  relatedLocations?: { message: { text: string } }[];
}

/** The same of a finding; that a rank gets back what it has given itself is left out. */
function told({ locations, relatedLocations = [] }: Result): string[] {
  const each = (direction: string, texts: readonly { message: { text: string } }[]): string[] =>
    texts.flatMap(({ message: { text } }) => {
      const [, ranks = '', call = ''] =
        /^ranks? ([\d,-]+): (.*?\))(?:, (?:the \w+ time|completed by .*|started by .*|ready by .*))*$/.exec(
          text.replace(/, "[^"]*"/, ''),
        ) ?? [];
      return ranks.split(',').flatMap((part) => {
        const [from = NaN, to = from] = part.split('-').map(Number);
        return Array.from({ length: to - from + 1 }, (_, i) => `rank ${from + i} ${direction} ${call}`);
      });
    });
  const out = each('out', locations);
  const own = new Set(out.map((text) => text.split(' out ')[0]));
  return [...out, ...each('in', relatedLocations).filter((text) => !own.has(text.split(' in ')[0]))];
}

describe('what --watch-nan takes for a NaN or an infinity', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-scanned-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [how, option] of [
    ['AVX2, where there is one', '-DUSES_WHAT_IS_THERE'],
    ['no AVX2', '-D__builtin_cpu_supports(what)=0'],
  ] as const)
    it(`is what C does, with ${how}`, () => {
      const program = join(folder, 'scanned');
      const collector = join(__dirname, '../../adapter/collector/calls');
      execFileSync('gcc', ['-w', '-O1', option, '-I', collector, '-o', program, join(sources, 'scanned.c'), '-lm']);
      assert.match(execFileSync(program, { encoding: 'utf8' }), /^with(out)? AVX2\n$/);
    });
});

for (const mpi of allMpis) {
  describe(`mpidbg run --watch-nan with ${mpi}`, function () {
    this.timeout(patienceMs);
    const folder = mkdtempSync(join(tmpdir(), 'mpidbg-carried-'));
    before(() => {
      const compile = (compiler: string, output: string, source: string, ...options: string[]): unknown =>
        execFileSync(compiler, ['-g', '-w', '-o', output, ...options, join(sources, source), '-lm'], { cwd: folder });
      compile(`mpicc.${mpi}`, 'c', 'carried.c');
      for (const each of ['exchanged', 'neighbours', 'prepared', 'made']) compile(`mpicc.${mpi}`, each, `${each}.c`);
      const fortran = ['-cpp', '-fallow-argument-mismatch'];
      compile(`mpifort.${mpi}`, 'f08', 'carried.f90', ...fortran, '-DBINDING=mpi_f08', '-DF08');
      compile(`mpifort.${mpi}`, 'mpi', 'carried.f90', ...fortran, '-DBINDING=mpi');
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    for (const [program, source, rows] of [
      ['c', 'carried.c', rowsInC],
      ['exchanged', 'exchanged.c', exchangedRows],
      ['neighbours', 'neighbours.c', rowsOfNeighbours],
      ['prepared', 'prepared.c', preparedRows(mpi)],
      ['f08', 'carried.f90', rowsInFortran],
      ['mpi', 'carried.f90', rowsInFortran],
    ] as const)
      it(`tells what ${source} carries, built as ${program}, and nothing else`, async () => {
        const { stdout, status, findings } = await run(mpi, folder, program, 2 * rows.length);
        assert.deepEqual([status, stdout], [0, '']);
        for (const isInfinity of [false, true]) {
          const found = findings.filter(({ ruleId }) => ruleId === `carried/${isInfinity ? 'infinity' : 'nan'}`);
          assert.deepEqual(found.flatMap(told).sort(), expected(mpi, source, rows, isInfinity).sort());
        }
        assert.ok(findings.every(({ level }) => level === 'note'));
      });

    it('names the line that made it and goes on, with --trap-fp', async () => {
      const at = (marker: string): string => lineOf('made.c', marker);
      const { status, stdout, told } = await run(mpi, folder, 'made', 4, ['--trap-fp', 'invalid']);
      assert.deepEqual([status, stdout], [0, 'none\n']);
      assert.deepEqual(told, [
        'mpidbg: rank 1 made a NaN: 0.0/0.0',
        '  in return value / by (value = 0, by = 0)',
        `  at ${at('makes it')} in scaled, called by main (${at('value = scaled.*')})`,
        `  rank 1 passed it to MPI: MPI_Isend to rank 2, tag 7, "ring" (${at('gives: it')}), the 3rd time`,
        `  rank 3 passed one, too: MPI_Reduce root 0 (${at('gives: own takes: own')}); none was seen to come there, and no operation ` +
          'that was watched made it: it may be from a file, from memory that was not set, or put there',
        `  it came to rank 2 by MPI_Irecv from rank 1, tag 7, "ring" (${at('takes: it')}), the 3rd time, ` +
          `completed by MPI_Waitall (${at('MPI_Waitall.*')})`,
        `  it came to rank 0 by MPI_Reduce root 0 (${at('gives: own takes: own')})`,
      ]);
    });

    it('still tells how a rank dies that has made one, or gone on while others did', async () => {
      const { status, told } = await run(mpi, folder, 'made', 4, ['--trap-fp', 'invalid'], ['dies']);
      assert.ok(status !== 0 && told.includes('mpidbg: rank 1 made a NaN: 0.0/0.0'), told.join('\n'));
      assert.ok(
        told.some((line) => /rank 2 called abort\(\)/.test(line)),
        told.join('\n'),
      );
    });
  });
}

async function run(
  mpi: Mpi,
  folder: string,
  program: string,
  ranks: number,
  more: readonly string[] = [],
  words: readonly string[] = [],
) {
  const { command, args, env } = launchers[mpi];
  const launcher = [command, ...args, '-n', String(ranks), `./${program}`, ...words];
  const options = ['--watch-nan', ...more, '--hold-dying', '100', '--sarif', 'found.sarif'];
  const { status, stdout, stderr } = await runCli(['run', ...options, '--', ...launcher], undefined, env, folder);
  const { runs } = JSON.parse(readFileSync(join(folder, 'found.sarif'), 'utf8')) as { runs: { results: Result[] }[] };
  const lines = stderr.trimEnd().split('\n');
  const told = lines.slice(lines.findIndex((line) => line.startsWith('mpidbg: ')));
  return { status, stdout, told, findings: runs[0]!.results };
}
