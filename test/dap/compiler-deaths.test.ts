/** Ranks that the run-time library of their compiler ends: a sanitizer, or Fortran's. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkshop } from '../support/compile';
import type { Mpi } from '../support/sample-job';
import { DebugRun } from './debug-run';
import { end, shownLine } from './stopped-dying';

const sanitized = readFileSync(join(__dirname, '../deaths/programs/sanitizers.c'), 'utf8');

const withoutFile = `program reads
  use mpi
  integer :: rank, value, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  open (10, status='scratch')
  read (10, *, iostat=error) value
  rewind (10)
  if (rank == 1) then
    read (10, *) value ! stop: reads past the end
  end if
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
`;

function lineWith(source: string, text: string): number {
  return source.split('\n').findIndex((line) => line.includes(text)) + 1;
}

/** `words`: the beginning. The program's name is its file's. */
const ofTheCompiler: readonly {
  mpi: Mpi;
  name: string;
  language: 'cc' | 'fort';
  source: string;
  args: string[];
  filter: string;
  words: RegExp;
  marker: string;
}[] = [
  {
    mpi: 'openmpi',
    name: 'overrun',
    language: 'cc',
    source: sanitized,
    args: ['heap'],
    filter: 'abort',
    words: /^rank 1: AddressSanitizer: heap-buffer-overflow on address 0x[0-9a-f]+: WRITE of size 4$/,
    marker: 'dies: heap',
  },
  {
    mpi: 'mpich',
    name: 'overflow',
    language: 'cc',
    source: sanitized,
    args: ['integer'],
    filter: 'abort',
    words:
      /^rank 1: UndefinedBehaviorSanitizer: signed integer overflow: \d+ \+ \d+ cannot be represented in type 'int'$/,
    marker: 'dies: integer',
  },
  {
    mpi: 'openmpi',
    name: 'reads',
    language: 'fort',
    source: withoutFile,
    args: [],
    filter: 'exit-without-finalize',
    words: /^rank 1: At line 10 of file \S+: End of file: exit with status 2 without MPI_Finalize$/,
    marker: 'reads past the end',
  },
];

describe('a rank that the run-time library of its compiler ends', () => {
  for (const { mpi, name, language, source, args, filter, words, marker } of ofTheCompiler) {
    it(`stops where it ends, with what that has found: ${marker}`, async () => {
      const workshop = openWorkshop();
      try {
        const checks = language === 'cc' ? ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'] : [];
        const program = workshop.compile(name, source, `mpi${language}.${mpi}`, ['-g', '-O0', ...checks]);
        const run = await DebugRun.open();
        await run.launch({ mpi, program: 'dying', ranks: 2, attributes: { program, args } }, () =>
          run.client.request('setExceptionBreakpoints', { filters: [filter] }),
        );
        const stop = await run.nextStop();
        assert.match(stop.description ?? '', words);
        assert.equal(await shownLine(run, stop), lineWith(source, marker));
        await end(run, stop);
        assert.equal(run.stops, 1);
        await run.close();
      } finally {
        workshop.close();
      }
    });
  }
});
