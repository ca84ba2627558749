/** Conditions and watches with iterators, bit fields, registers and numbers of C++14. Truth: what the program finds itself. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { openWorkshop } from '../support/compile';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

const program = `
#include <mpi.h>
#include <cstdio>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
struct Cell {
  unsigned three : 3;
  int five : 5;
  unsigned long wide : 40;
  int plain;
};
struct Node {
  char tag;
  double x;
  Cell cell;
};
#define TELL(condition) std::printf("CONDITION %s\\t%d\\n", #condition, bool(condition))
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const Cell cell{5, -3, 1ul << 35, 7};
  std::map<int, int> m{{1, 10}, {2, 20}, {3, 30}};
  auto mi = m.find(2), end = m.end();
  std::map<std::string, Node> named{{"east", {'e', 2.5, cell}}, {"west", {'w', 4.5, cell}}};
  auto east = named.cbegin();
  std::unordered_map<std::string, int> hashed{{"four", 40}};
  auto hi = hashed.begin();
  std::vector<Node> v{{'a', 1.5, cell}, {'b', 3.5, cell}};
  auto vi = v.begin() + 1;
  auto back = v.rbegin();
  std::set<long> s{8, 9};
  auto si = s.begin();
  std::list<int> l{6, 7};
  auto li = l.begin();
  std::forward_list<char> f{'f', 'g'};
  auto fi = f.begin();
  std::deque<int> d(1000, 5);
  d[600] = 16;
  auto di = d.begin() + 600;
  std::string text = "ocean";
  auto ti = text.begin() + 1;
  long big = 1000000;
  TELL(mi->second == 20);
  TELL(mi->first == 3);
  TELL((*mi).second + 1 > 20);
  TELL(east->second.x == 2.5);
  TELL(east->first == "east");
  TELL(east->second.cell.five == -3);
  TELL(hi->second == 40);
  TELL(hi->first == "four");
  TELL(vi->x == 3.5);
  TELL(vi->tag == 'b');
  TELL(vi->cell.three == 5);
  TELL(back->x == 3.5);
  TELL(*si == 8);
  TELL(*li == 7);
  TELL(*fi == 'f');
  TELL(*di == 16);
  TELL(*ti == 'c');
  TELL(ti[1] == 'e');
  TELL(big == 1'000'000);
  TELL(big == 0xf'4240 && *ti != 'x');
  TELL(cell.three == 5);
  TELL(cell.three >= 6);
  TELL(cell.five == -3);
  TELL(cell.five < -15);
  TELL(cell.wide == 34359738368);
  std::fflush(stdout);
  MPI_Finalize(); // stop
}
`;

const neverTrue: readonly (readonly [string, RegExp])[] = [
  ['cell.three == 9', /of 3 bits, from 0 to 7: this is never true/],
  ['8 == cell.three', /of 3 bits, from 0 to 7/],
  ['cell.three > 7', /of 3 bits/],
  ['cell.five == 16', /of 5 bits, from -16 to 15/],
  ['cell.five == -17', /of 5 bits/],
];

for (const mpi of allMpis) {
  it(`iterators, bit fields and registers mean in conditions and watches what they mean in C++, with ${mpi}`, async () => {
    const workshop = openWorkshop();
    try {
      const path = workshop.compile('iterators', program, `mpicxx.${mpi}`, ['-std=c++17', '-g', '-O0']);
      const line = 1 + program.split('\n').findIndex((each) => each.includes('// stop'));
      const told = [...program.matchAll(/TELL\((.*)\);/g)].map(([, condition = '']) => condition);
      const registers = ['$rip != 0', '$xmm0.v4_int32[0] == $xmm0.v4_int32[0]', '$eflags != 0'];
      const conditions = [...told, ...registers, 'end->second == 20'];
      const run = await DebugRun.open();
      await run.launch({ mpi, program: 'ring', ranks: 1, attributes: { program: path, stopOnEntry: true } });
      const { threadId } = await run.nextStop();
      const { breakpoints } = await run.client.request<{ breakpoints: DebugProtocol.Breakpoint[] }>('setBreakpoints', {
        source: { path: `${path}.cpp` },
        breakpoints: [
          ...conditions.map((condition, i) => ({ line, condition, logMessage: `HOLDS ${i}` })),
          ...neverTrue.map(([condition]) => ({ line, condition })),
          { line },
        ],
      });
      for (const [i, condition] of conditions.entries())
        assert.equal(breakpoints[i]?.verified, true, `${condition}: ${breakpoints[i]?.message}`);
      for (const [i, [condition, why]] of neverTrue.entries()) {
        assert.equal(breakpoints[conditions.length + i]?.verified, false, condition);
        assert.match(breakpoints[conditions.length + i]?.message ?? '', why, condition);
      }
      await run.client.request('continue', { threadId });
      await run.nextStop();
      const truths = new Map(
        [...run.client.outputText('stdout').matchAll(/CONDITION (.*)\t([01])/g)].map(([, c, t]) => [c, t === '1']),
      );
      const { id } = await run.topFrame(0);
      const held = [...run.client.outputText('console').matchAll(/HOLDS (\d+)/g)].map(
        ([, i]) => conditions[Number(i)]!,
      );
      for (const condition of told) {
        // As the preprocessor writes it.
        const truth = truths.get(condition);
        assert.notEqual(truth, undefined, condition);
        assert.equal((await run.evaluate(condition, 'watch', id)).result, String(truth), condition);
        assert.equal(held.includes(condition), truth, condition);
      }
      for (const condition of registers) assert.ok(held.includes(condition), condition);
      await assert.rejects(run.evaluate('end->second', 'watch', id), /it is at the end/);
      await run.close();
    } finally {
      workshop.close();
    }
  });
}
