/** Log messages say what handles are. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { allMpis, launchers } from '../support/sample-job';
import { DebugRun } from './debug-run';

for (const mpi of allMpis) {
  describe(`handles in log messages under ${mpi}`, () => {
    const logged = async (
      program: string,
      source: string,
      marker: string,
      logMessage: string,
      attributes = {},
    ): Promise<string[]> => {
      const breakpoints = [{ source, marker, logMessage }];
      const run = await DebugRun.launch({ mpi, program, ranks: 2, breakpoints, attributes });
      await run.terminated();
      const lines = run.client.events
        .filter((event): event is DebugProtocol.OutputEvent => event.event === 'output')
        .filter(({ body }) => body.category === 'console' && /^\[\d+\] /.test(body.output))
        .map(({ body }) => body.output);
      assert.equal(run.stops, 0);
      await run.close();
      return lines.sort();
    };

    it('of C are what they are at that moment, beside plain values and braces', async () => {
      const message = '{{{ocean}}} lap {lap}, {token}';
      const lines = await logged('ring', 'ring.c', 'token arrived', message);
      const expected = [0, 1].flatMap((rank) =>
        [1, 2, 3].map((lap) => `[${rank}] {MPI_Comm "ocean" · rank ${rank} of 2} lap ${lap}, ${lap}\n`),
      );
      assert.deepEqual(lines, expected);
    });

    it('are told where TMPDIR is too long for a socket', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mpidbg-long-'));
      const own = process.env['TMPDIR'];
      process.env['TMPDIR'] = join(folder, 'x'.repeat(100));
      try {
        mkdirSync(process.env['TMPDIR']);
        // The ranks have the short one: launchers put sockets there, too.
        const env = { ...launchers[mpi].env, TMPDIR: folder };
        const lines = await logged('ring', 'ring.c', 'token arrived', '{ocean}', { env });
        assert.equal(lines.length, 6);
        for (const line of lines) assert.match(line, /^\[\d\] MPI_Comm "ocean" · rank \d of 2$/m);
      } finally {
        if (own === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = own;
        rmSync(folder, { recursive: true });
      }
    });

    it('of mpi_f08 are read as what they stand for', async () => {
      const marker = 'all communicators made';
      const lines = await logged('communicators-f08', 'communicators-f08.f90', marker, '{ocean} and {rank}');
      assert.deepEqual(
        lines,
        [0, 1].map((rank) => `[${rank}] MPI_Comm "ocean" · rank ${rank} of 2 and ${rank}\n`),
      );
    });
  });
}
