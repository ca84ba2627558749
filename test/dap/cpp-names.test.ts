/**
 * Names of C++ that lead through inline namespaces, operators that are words, and casts that would run code, wherever an expression is
 * taken. Truth: what the program has worked out with the same expressions.
 */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { openWorkshop } from '../support/compile';
import { eitherMpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

const program = `
#include <mpi.h>
#include <string>
namespace lib {
  inline namespace v2 {
    int count = 41;
    struct cell { static int made; };
    int cell::made = 7;
    enum class mode { off, on = 5 };
    mode current = mode::on;
    inline namespace inner { double deep = 2.5; }
  }
  namespace v1 { int count = -1, old = 3; }
}
namespace outer { namespace mid { inline namespace x2 { namespace leaf { int far = 99; } } } }
namespace other { namespace v2 { int plain = 6; } }
namespace named = outer::mid;
namespace text { inline namespace abi { std::string tag = "ocean"; } }
namespace { int hidden = 77; }
static int calls = 0;
struct Heat {
  double degrees;
  Heat(double d) : degrees(d) { ++calls; }
  operator double() const { ++calls; return 2 * degrees; }
};
using namespace lib;
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  Heat heat{3};
  double twice = heat, known = lib::count + lib::deep + deep + count + lib::cell::made + (int)lib::current + named::leaf::far + hidden;
  int before = calls;
  for (int lap = 0; lap < 4; lap++) {
    lib::count += lap == 2;
    text::tag = lap == 2 ? "reef" : "ocean";
    known += lap - twice; // stop
  }
  int status = calls != before || known == 0;
  MPI_Finalize();
  return status;
}
`;

for (const mpi of eitherMpi('names of C++')) {
  describe(`names of C++, with ${mpi}`, () => {
    const workshop = openWorkshop();
    let run: DebugRun;
    let place: { source: { path: string } };
    let line: number;
    let frameId: number;

    before(async () => {
      const built = workshop.compile('names', program, `mpicxx.${mpi}`, ['-g', '-O0']);
      line = 1 + program.split('\n').findIndex((each) => each.includes('// stop'));
      place = { source: { path: `${built}.cpp` } };
      run = await DebugRun.open();
      const attributes = { program: built };
      await run.launch({ mpi, program: 'ring', ranks: 1, attributes }, () =>
        set({ condition: 'lib::count == 41 and not lap' }),
      );
      await run.nextStop();
      ({ id: frameId } = await run.topFrame(0));
    });

    after(async () => {
      await run.close();
      workshop.close();
    });

    async function set(rules: object): Promise<DebugProtocol.Breakpoint> {
      const { breakpoints } = await run.client.request<DebugProtocol.SetBreakpointsResponse['body']>('setBreakpoints', {
        ...place,
        breakpoints: [{ line, ...rules }],
      });
      return breakpoints[0]!;
    }

    it('lead through inline namespaces', async () => {
      for (const [expression, value] of [
        ['lib::count', '41'],
        ['::lib::count', '41'],
        ['count', '41'],
        ['lib::deep + deep', '5'],
        ['lib::cell::made', '7'],
        ['lib::current == lib::mode::on', 'true'],
        ['lib::v1::count', '-1'],
        ['outer::mid::leaf::far + named::leaf::far', '198'],
        ['text::tag == "ocean" and lap == 0', 'true'],
        ['(anonymous namespace)::hidden', '77'],
        [
          'lib::count + lib::deep + deep + count + lib::cell::made + (int)lib::current + named::leaf::far + hidden == known',
          'true',
        ],
      ] as const)
        for (const context of ['watch', 'hover', 'repl'])
          assert.equal((await run.evaluate(expression, context, frameId)).result, value, expression);
      assert.equal((await run.evaluate('sizeof(lib::cell)', 'watch', frameId)).result, '1');
    });

    it('are not guessed', async () => {
      for (const [expression, why] of [
        ['lib::old', /No symbol "old" in namespace "lib"; there is lib::v1::old/],
        ['other::plain', /No symbol "plain" in namespace "other"; there is other::v2::plain/],
        ['lib::nothing', /No symbol "nothing" in namespace "lib"/],
      ] as const) {
        await assert.rejects(run.evaluate(expression, 'watch', frameId), why);
        const { verified, message } = await set({ condition: `${expression} == 1` });
        assert.equal(verified, false, expression);
        assert.match(message ?? '', /No symbol/);
      }
    });

    it('are no casts that run code', async () => {
      for (const cast of ['(Heat)lap', '(double)heat', 'static_cast<Heat>(lap)', '((Heat)lap).degrees']) {
        const why = /would run code of the program/;
        for (const context of ['watch', 'repl']) await assert.rejects(run.evaluate(cast, context, frameId), why, cast);
        const { verified, message } = await set({ condition: `${cast} == 6` });
        assert.equal(verified, false, cast);
        assert.match(message ?? '', why);
        await assert.rejects(run.client.request('mpidbg/rankSet', { where: cast }), why);
      }
      assert.equal((await run.evaluate('(int)heat.degrees + (long)lap', 'watch', frameId)).result, '3');
    });

    it('stop and log where they hold, and nothing was called', async () => {
      const { breakpoints } = await run.client.request<DebugProtocol.SetBreakpointsResponse['body']>('setBreakpoints', {
        ...place,
        breakpoints: [
          { line, condition: 'text::tag not_eq "ocean" and lib::count == 42 or lib::current == lib::mode::off' },
          { line, logMessage: 'lap {lap}: {lib::count} {text::tag} {named::leaf::far}; END' },
          { line, logMessage: '{(double)heat}' },
        ],
      });
      const cast = breakpoints.pop();
      assert.match(cast?.message ?? '', /^a cast from Heat to double would run code of the program/);
      for (const { verified, message } of breakpoints) assert.equal(verified, true, message);
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      const { description } = await run.nextStop();
      assert.doesNotMatch(description ?? '', /cannot/);
      assert.equal((await run.evaluate('lap', 'watch', (await run.topFrame(0)).id)).result, '2');
      const told = run.client.outputText('console');
      assert.match(told, /lap 1: 41 "ocean" 99; END/);
      await run.client.request('setBreakpoints', { ...place, breakpoints: [] });
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      assert.equal(await run.terminated(), 0);
    });
  });
}
