/** Data breakpoints on bit fields: only changes of the field itself stop. Truth: the program's own lines. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { openWorkshop } from '../support/compile';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

const program = `
#include <mpi.h>
struct cell { unsigned first : 3; int second : 5; unsigned third : 12; int plain; };
struct { struct cell inner; struct cell *other; } outer;
int main(int argc, char **argv) {
  struct cell cell = {1, -3, 100, 7};
  outer.other = &cell;
  MPI_Init(&argc, &argv);
  cell.first = 2; // stop
  cell.third = 101;
  cell.plain = 8;
  cell.second = -4;
  outer.inner.first = 1; // after
  cell.second = -4;
  cell.first = 3;
  cell.third = 4000;
  outer.inner.third = 77;
  cell.plain = 9; // at last
  MPI_Finalize(); // end
}
`.trim();
const lineOf = (marker: string): number => 1 + program.split('\n').findIndex((line) => line.endsWith(`// ${marker}`));

type Info = DebugProtocol.DataBreakpointInfoResponse['body'];

for (const mpi of allMpis) {
  it(`a data breakpoint on a bit field stops for no other bits of the same word, with ${mpi}`, async () => {
    const workshop = openWorkshop();
    try {
      const path = workshop.compile('bits', program, `mpicc.${mpi}`, ['-g', '-O0']);
      const run = await DebugRun.open();
      await run.launch({ mpi, program: 'ring', ranks: 1, attributes: { program: path, stopOnEntry: true } });
      const { threadId } = await run.nextStop();
      await run.client.request('setBreakpoints', {
        source: { path: `${path}.c` },
        breakpoints: [{ line: lineOf('stop') }, { line: lineOf('end') }],
      });
      await run.client.request('continue', { threadId });
      await run.nextStop();
      const frameId = (await run.topFrame(0)).id;
      const infos: Info[] = [];
      for (const name of ['outer.other->second', 'outer.inner.third'])
        infos.push(await run.client.request<Info>('dataBreakpointInfo', { frameId, name }));
      assert.match(infos[0]!.description, /^outer\.other->second of rank 0 \(0x[0-9a-f]+, 5 bits\)$/);
      assert.match(infos[1]!.description, /^outer\.inner\.third of rank 0 \(0x[0-9a-f]+, 12 bits\)$/);
      assert.deepEqual(infos[0]!.accessTypes, ['write']);
      const { breakpoints } = await run.client.request<DebugProtocol.SetDataBreakpointsResponse['body']>(
        'setDataBreakpoints',
        {
          breakpoints: [
            ...infos.map(({ dataId }) => ({ dataId: dataId!, accessType: 'write' as const })),
            { dataId: infos[0]!.dataId!, accessType: 'read' as const },
          ],
        },
      );
      assert.equal(breakpoints[2]?.verified, false);
      assert.match(breakpoints[2]?.message ?? '', /of a bit field only changes can be watched/);
      if (breakpoints[0]?.verified === true) {
        for (const [before, change, marker] of [
          ['-3', '-4', 'after'],
          ['0', '77', 'at last'],
        ] as const) {
          await run.client.request('continue', { threadId });
          const { reason, description } = await run.nextStop();
          assert.equal(reason, 'data breakpoint');
          assert.equal(description, `rank 0: data breakpoint, ${before} → ${change}`);
          assert.equal((await run.topFrame(0)).line, lineOf(marker));
        }
      } else assert.match(breakpoints[0]?.message ?? '', /takes data breakpoints and reports none/);
      await run.close();
    } finally {
      workshop.close();
    }
  });
}
