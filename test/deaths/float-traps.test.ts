/** mpidbg run --trap-fp: which rank makes the first NaN, in which line, of what; and that it leaves everything else as it is. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCoresBesideTheProgram } from '../../scripts/core-pattern.mjs';
import { CoreFolder } from '../support/core-files';
import { patienceMs } from '../support/patience';
import { runCli } from '../support/run-cli';
import { allMpis, eitherMpi } from '../support/sample-job';
import { FloatPrograms, trapLine } from './float-programs';

interface Trap {
  /** By default the C program; with its argument. */
  program?: string;
  how?: string;
  args?: readonly string[];
  kinds?: string;
  says: string;
  statement: string;
  at: string;
}

const line = (marker: string): string => trapLine('floats.c', marker);
const goesOn = '  ended by --trap-fp: by itself it would have gone on';
const dividing = 'double residual = r / norm (r = 0, norm = 0)';

const traps: readonly Trap[] = [
  {
    how: 'main',
    says: 'made a NaN: 0.0/0.0',
    statement: dividing,
    at: `${line('main')} in normalized, called by main`,
  },
  {
    how: 'zero',
    says: 'divided by zero: 1.0/0.0',
    statement: 'result = one / zero (one = 1, zero = 0)',
    at: line('zero'),
  },
  {
    ...{ how: 'overflow', says: 'overflowed: 1e+200*1e+200', statement: 'result = big * big (big = 1e+200)' },
    at: line('overflow'),
  },
  // The signal's code is that of the overflow.
  { how: 'after-others', kinds: 'invalid', says: 'made a NaN: 0.0/0.0', statement: dividing, at: line('main') },
  {
    ...{ how: 'compared', says: 'made an invalid operation: comparison of 1.0 with nan' },
    ...{ statement: 'result = quiet_nan < one (quiet_nan = nan, one = 1)', at: line('compared') },
  },
  // One of two numbers, the first of which divides by zero; which elements they are is not known.
  {
    ...{ how: 'vector', kinds: 'invalid', says: 'made a NaN: 0.0/0.0', at: line('vector') },
    statement: '*(pair *)&quotients[i] = *(pair *)&left[i] / *(pair *)&right[i]',
  },
  // What is declared has no value yet.
  {
    ...{ how: 'declared', says: 'made a NaN: 0.0/0.0', at: line('declared') },
    statement: 'double shares[2] = {zero / zero, one}, least = shares[1] (zero = 0, one = 1)',
  },
  // gdb shows the call, at the first instruction of what is inlined; and there names mean other variables.
  {
    ...{ program: 'inlined', says: 'made a NaN: 0.0/0.0', statement: 'return r / norm' },
    at: `${trapLine('inlined.c', 'inlined')} in ratio, called by main`,
  },
  {
    ...{ how: 'thread', says: 'made a NaN: inf - inf', statement: 'result = limit - limit (limit = inf)' },
    at: `${line('thread')} in in_thread, in its thread `,
  },
  {
    ...{ how: 'openmp', says: 'made a NaN: 0.0/0.0', statement: 'sum[i] = zero / zero (zero = 0)' },
    at: `${line('openmp')} in of_openmp`,
  },
  {
    ...{
      how: 'blas',
      says: 'made a NaN: 0.0*inf',
      statement:
        'sum += x[i * work.dx] * y[i * work.dy] (sum = 1, x[i * work.dx] = inf, i = 1, work.dx = 1, y[i * work.dy] = 0, work.dy = 1)',
    },
    at: `${trapLine('blas.c', 'dot')} in worker, in its thread 2`,
  },
  {
    ...{ how: 'later', args: ['./liblater.so'], says: 'made a NaN: 0.0/0.0' },
    ...{ statement: 'double quotient = x / x (x = 0)', at: `${trapLine('later.c', 'later')} in later` },
  },
  // Not called: without mpidbg nothing would have been wrong.
  { how: 'handler', says: 'made a NaN: 0.0/0.0', statement: dividing, at: line('main') },
  { how: 'ignored', says: 'made a NaN: 0.0/0.0', statement: dividing, at: line('main') },
  { how: 'disabled', says: 'made a NaN: 0.0/0.0', statement: dividing, at: line('main') },
  {
    ...{ program: 'floats-cxx', says: 'made a NaN: 0.0/0.0', statement: 'return mass / volume (mass = 0, volume = 0)' },
    at: `${trapLine('floats.cpp', 'cxx')} in Cell::density, called by main`,
  },
  {
    ...{ program: 'floats-fortran', says: 'made a NaN: 0.0/0.0' },
    ...{ statement: 'u(i) = u(i) / scale (u(i) = 0, i = 1, scale = 0)', at: trapLine('floats.f90', 'fortran') },
  },
];

/** What mpidbg says last. */
function saidIn(stderr: string): string[] {
  const start = stderr.lastIndexOf('mpidbg: ');
  return start < 0 ? [] : stderr.slice(start).trimEnd().split('\n');
}

const ownLines = (stdout: string): string[] => (stdout.match(/rank \d: .*|handled/g) ?? []).sort();

for (const mpi of allMpis) {
  describe(`mpidbg run --trap-fp with ${mpi}`, function () {
    this.timeout(patienceMs);
    const programs = new FloatPrograms(mpi);
    before(() => programs.build());
    after(() => programs.remove());
    /** It is the processor that traps: both have to be tried only where MPI computes, or starts with threads. */
    const itWithEither = (title: string, test: () => Promise<void>): void => {
      if (eitherMpi(title).includes(mpi)) it(title, test);
    };

    for (const { program = 'floats', how = '', args = [], kinds = 'invalid,zero,overflow', ...told } of traps)
      itWithEither(`tells the operation, the line and its values: ${program} ${how}`, async () => {
        const { status, stderr } = await programs.run(program, [how, ...args], ['--trap-fp', kinds]);
        assert.notEqual(status, 0);
        const [first, statement, at, wouldHave] = saidIn(stderr);
        assert.equal(first, `mpidbg: rank 1 ${told.says}`, stderr);
        assert.equal(statement, `  in ${told.statement}`);
        assert.ok(at?.startsWith(`  at ${told.at}`), at);
        assert.equal(wouldHave, goesOn);
      });

    it('tells the function of a library, and the call of MPI, that computes it', async () => {
      const inLibm = saidIn((await programs.run('floats', ['libm'], ['--trap-fp', 'invalid'])).stderr);
      assert.match(inLibm[1] ?? '', /^ {2}in result = log\(-one\) \(one = 1\), inside .*libm\.so\.6$/);
      assert.ok(inLibm[2]?.startsWith(`  at ${line('libm')} in main`));
      const inReduction = saidIn((await programs.run('floats', ['reduction'], ['--trap-fp', 'invalid'])).stderr);
      assert.match(inReduction[0] ?? '', /^mpidbg: ranks? [01](-1)? made a NaN: -?inf \+ -?inf/);
      assert.match(inReduction[1] ?? '', /^ {2}in MPI_Allreduce\(.* MPI_SUM, .*, inside (libmpich|mca_op|libmpi).*$/);
      assert.ok(inReduction[2]?.startsWith(`  at ${line('reduction')} in reduced`));
    });

    it('finds it in threads that were there before MPI_Init', async () => {
      const said = saidIn((await programs.run('floats', ['pool'], ['--trap-fp', 'invalid'])).stderr);
      assert.match(said[0] ?? '', /^mpidbg: ranks? [01](-1)? made a NaN: inf - inf/);
      assert.ok(said[2]?.startsWith(`  at ${line('thread')} in in_thread, called by in_pool`), said.join('\n'));
    });

    itWithEither('calls no handler of the program in a thread that is told late to trap', async () => {
      const late = ['env', 'BLAS_IS_IDLE=1', 'taskset', '-c', '0'];
      const { status, stdout, stderr } = await programs.run('floats', ['handlers'], ['--trap-fp', 'invalid'], late);
      assert.deepEqual([status, saidIn(stderr)], [0, []], stdout);
    });

    for (const how of ['', 'on-purpose', 'forked'])
      itWithEither(`changes nothing in a program that makes none, or on purpose: floats ${how}`, async () => {
        const plain = await programs.run('floats', [how], []);
        const trapping = await programs.run('floats', [how], ['--trap-fp', 'invalid,zero,overflow']);
        assert.equal(trapping.status, plain.status);
        assert.deepEqual(ownLines(trapping.stdout), ownLines(plain.stdout));
        assert.equal(ownLines(plain.stdout).length, 2);
        assert.deepEqual(saidIn(trapping.stderr), []);
      });

    for (const [program, how, says] of [
      ['floats', 'own-trap', 'died of SIGFPE (invalid operation), and its own handler ended it with 3'],
      ['floats', 'integer', 'died of SIGFPE (integer division by zero, or of the least number by -1)'],
      ['floats-fpe-trap', '', 'died of SIGFPE (invalid operation)'],
    ] as const)
      itWithEither(`leaves the program what it traps itself: ${program} ${how}`, async () => {
        const plain = await programs.run(program, [how], []);
        const trapping = await programs.run(program, [how], ['--trap-fp', 'invalid,zero,overflow']);
        for (const { stderr } of [plain, trapping]) assert.equal(saidIn(stderr)[0], `mpidbg: rank 1 ${says}`, stderr);
        assert.deepEqual(ownLines(trapping.stdout), ownLines(plain.stdout));
      });

    itWithEither('leaves a core file, in which mpidbg nan finds what the operation reads', async () => {
      const cores = new CoreFolder();
      const restore = writeCoresBesideTheProgram();
      try {
        await programs.run('floats', ['thread'], ['--trap-fp', 'invalid'], cores.inFolderOfRank());
        const core = cores.found('floats', 2).get(1);
        assert.ok(core !== undefined);
        const { stdout } = await runCli(['nan', '--core', core]);
        const place = `in_thread of thread \\d+ \\(${trapLine('floats.c', 'declares limit').replace('.', '\\.')}\\)`;
        assert.match(stdout, new RegExp(`^limit +1  Infinity · ${place}$`, 'm'));
      } finally {
        restore();
        cores.remove();
      }
    });

    itWithEither('writes it to the report, SARIF and JUnit, also of a job that is watched for a hang', async () => {
      const files = ['--report', 'page.html', '--sarif', 'found.sarif', '--junit', 'test.xml'];
      await programs.run('floats', ['main'], ['--trap-fp', 'invalid', '--hang-after', '100', ...files]);
      const read = (name: string): string => readFileSync(join(programs.folder, name), 'utf8');
      const { runs } = JSON.parse(read('found.sarif')) as {
        runs: { results: { ruleId: string; locations: { physicalLocation: { region: { startLine: number } } }[] }[] }[];
      };
      const [result] = runs[0]!.results;
      assert.equal(result?.ruleId, 'floating-point/invalid');
      assert.equal(`floats.c:${result.locations[0]?.physicalLocation.region.startLine}`, line('main'));
      for (const name of ['page.html', 'test.xml', 'found.sarif'])
        for (const words of ['rank 1 made a NaN: 0.0/0.0', dividing]) assert.ok(read(name).includes(words), name);
    });
  });
}
