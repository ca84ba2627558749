/** A program and a source in whose paths there are control characters: where it died is told all the same, on one line. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { eitherMpi, launchers } from '../support/sample-job';

const program = `
#include <mpi.h>
static void inner(void) {
  MPI_Abort(MPI_COMM_WORLD, 3); // here
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  inner();
}
`.trim();
const line = 1 + program.split('\n').findIndex((each) => each.endsWith('// here'));

const odd = '\u001b[31m\t\r\n';

for (const mpi of eitherMpi('odd paths')) {
  it(`the place of a death is told where a path has ESC, TAB, CR and LF in it, with ${mpi}`, async () => {
    const workshop = openWorkshop();
    try {
      mkdirSync(join(workshop.directory, `d${odd}`));
      const path = workshop.compile(`d${odd}/p${odd}`, program, `mpicc.${mpi}`, ['-g', '-O0']);
      const { command, args, env } = launchers[mpi];
      const { stderr } = await runCli(['run', '--', command, ...args, '-n', '1', path], undefined, env);
      const told = stderr.slice(stderr.indexOf('mpidbg: '));
      const file = String.raw`p\u001b[31m\u0009\u000d\u000a.c`;
      assert.ok(told.includes(`at ${file}:${line} in inner, called by main (${file}:`), told);
      assert.doesNotMatch(told, /[\u0000-\u0009\u000b-\u001f]/);
    } finally {
      workshop.close();
    }
  });
}
