/** Names that a frame lacks and gdb would take from a library that is not meant. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { openWorkshop } from '../support/compile';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

function onlyInPart(name: string): RegExp {
  return new RegExp(`No symbol "${name}" in current context, only in dlopened-part\\.so, which is not the program's`);
}

const depths = `
module depths
  integer :: fathoms = 3
end module
`;

const inFortran = `
program sail
  use mpi
  use depths
  implicit none
  interface
    integer(4) function tides() bind(c)
    end function
  end interface
  integer :: lap, code, legs(2)
  call MPI_Init(code)
  do lap = 0, 2
    legs = [lap, 10 * lap]
    if (tides() < fathoms) print *, lap ! stop
  end do
  call MPI_Finalize(code)
end program
`;

for (const mpi of allMpis) {
  it(`a static of a library answers there only, what it offers to all everywhere, with ${mpi}`, async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi,
      program: 'dlopened',
      ranks: 1,
      breakpoints: [{ source: 'dlopened.c', marker: 'no MPI yet' }],
    });
    const place = { source: 'dlopened-part.c', marker: 'all communicators made' };
    await run.setBreakpoints('dlopened.c', []);
    await run.setBreakpoints(place.source, [place]);
    await run.client.request('continue', { threadId: stop.threadId });
    const { threadId = 0 } = await run.nextStop();
    const frames = await run.frames(threadId);
    const [inLibrary, inProgram] = ['sail', 'main'].map((name) => frames.find((frame) => frame.name === name)?.id);
    assert.equal((await run.evaluate('soundings + 1', 'watch', inLibrary)).result, '43');
    assert.equal((await run.evaluate('flood + (coast.tide == flood)', 'watch', inLibrary)).result, '7');
    assert.equal((await run.evaluate('sizeof(chart)', 'watch', inLibrary)).result, '16');
    assert.equal((await run.evaluate('fathoms + argc', 'watch', inProgram)).result, '3');
    for (const expression of ['soundings', 'soundings + 1', 'sizeof(soundings)', 'argc * soundings'])
      for (const context of ['watch', 'hover', 'repl'])
        await assert.rejects(
          run.evaluate(expression, context, inProgram),
          onlyInPart('soundings'),
          `${context}: ${expression}`,
        );
    const names = {
      flood: ['argc + flood', 'sizeof(flood)'],
      reef: ['&reef', 'sizeof(reef)'],
      chart: ['sizeof(chart)'],
    };
    for (const [name, expressions] of Object.entries({ ...names, tide: ['(enum tide) argc'] }))
      for (const expression of expressions)
        await assert.rejects(run.evaluate(expression, 'watch', inProgram), onlyInPart(name), expression);
    const info = { name: 'soundings', frameId: inProgram };
    const { dataId, description } = await run.client.request<{ dataId: string | null; description: string }>(
      'dataBreakpointInfo',
      info,
    );
    assert.equal(dataId, null);
    assert.match(description, /only in dlopened-part\.so/);
    const [own, other] = await run.setBreakpoints(place.source, [
      { ...place, condition: 'soundings == 42' },
      { ...place, condition: 'sounding == 42' },
    ]);
    assert.deepEqual([own?.verified, other?.verified], [true, false]);
    const [constant] = await run.setBreakpoints(place.source, [{ ...place, condition: 'coast.tide == flood' }]);
    assert.equal(constant?.verified, true);
    for (const name of ['soundings', 'flood', 'reef', 'chart']) {
      const late = { source: 'dlopened.c', marker: 'no MPI yet', condition: `sizeof(${name}) == 4` };
      const [foreign] = await run.setBreakpoints(late.source, [late]);
      assert.match(foreign?.message ?? '', new RegExp(`No symbol "${name}" in current context, only in a library`));
    }
    await run.close();
  });
  it(`in a condition of Fortran a static of C does not answer, a module of a library does, with ${mpi}`, async () => {
    const workshop = openWorkshop();
    try {
      const { directory } = workshop;
      const library = ['-g', '-O0', '-fPIC', '-shared'];
      workshop.compile(
        'libtides.so',
        'static int high_tide = 46;\nstruct lap { int at; } of_lap;\nstruct legs { int at; } of_legs;\nstruct fathoms { int at; } of_fathoms;\n' +
          'int tides(void) { return high_tide; }\n',
        'gcc',
        library,
      );
      workshop.compile('libdepths.so', depths, 'gfortran', library);
      const linked = [`-I${directory}`, `-L${directory}`, '-ltides', '-ldepths', `-Wl,-rpath,${directory}`];
      const program = workshop.compile('sail', inFortran, `mpifort.${mpi}`, ['-g', '-O0', ...linked]);
      const line = 1 + inFortran.split('\n').findIndex((each) => each.includes('! stop'));
      const run = await DebugRun.open();
      await run.launch({ mpi, program: 'ring', ranks: 1, attributes: { program, stopOnEntry: true } });
      await run.nextStop();
      const conditions = [
        'high_tide == 46',
        'lap > 0 .and. HIGH_TIDE > 0',
        'legs(2)==10.and.fathoms==3.and..not.lap==0.and.size(legs)==2',
      ];
      const foreign = ['high_tide', 'sizeof(high_tide)', '.not. high_tide == 46'].map((each) => `{${each}}`);
      const messages = [...foreign, '{fathoms + lap}; {lap}{legs(2)}; END'];
      const answer = await run.client.request<{ breakpoints: DebugProtocol.Breakpoint[] }>('setBreakpoints', {
        source: { path: `${program}.f90` },
        breakpoints: [
          ...conditions.map((condition) => ({ line, condition })),
          ...messages.map((logMessage) => ({ line, logMessage })),
        ],
      });
      const [first, second, third] = answer.breakpoints;
      assert.match(first?.message ?? '', /No symbol "high_tide" in current context, only in a library/);
      assert.match(second?.message ?? '', /No symbol "HIGH_TIDE" in current context, only in a library/);
      assert.equal(third?.verified, true, third?.message);
      const { threadId } = await run.client
        .request('continue', { threadId: await run.threadOf(0) })
        .then(() => run.nextStop());
      const { id } = (await run.frames(threadId ?? 0))[0]!;
      for (const expression of ['.not. high_tide == 46', 'lap + high_tide'])
        await assert.rejects(
          run.evaluate(expression, 'watch', id),
          /No symbol "high_tide" in current context/,
          expression,
        );
      // The library has structs of these names.
      assert.equal((await run.evaluate('lap', 'watch', id)).result, '1');
      assert.equal((await run.evaluate('legs(2) + fathoms', 'watch', id)).result, '13');
      for (const { verified, message } of answer.breakpoints.slice(conditions.length, -1)) {
        assert.equal(verified, false);
        assert.match(message ?? '', /No symbol "high_tide" in current context, only in a library/);
      }
      assert.match(run.client.outputText('console'), /^\[0\] 3; 00; END$/m);
      await run.close();
    } finally {
      workshop.close();
    }
  });
}
