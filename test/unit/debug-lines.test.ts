import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { BytesSource, ElfError } from '../../adapter/elf/byte-source';
import { instructionRows, rowsIn } from '../../adapter/elf/debug-lines';
import { readSectionNamed } from '../../adapter/elf/elf-file';
import { openWorkshop, type Workshop } from '../support/compile';
import { randomNumbers } from '../support/random-numbers';

const program = `
#include <memory>
#include <string>
#include <vector>
struct Cell { double mass, speed; };
std::unique_ptr<Cell> cell;
std::vector<std::string> names;
int main(int argc, char **argv)
{
    double total = cell->speed;
    for (int i = 0; i < argc; i++)
        names.push_back(argv[i]);
    for (const auto &name : names)
        total += name.size() + name[0];
    return total > 3;
}
`;

/** By the addresses at which rows begin: the last one there. */
function decodedRows(path: string): Map<bigint, { file: string; line: number }> {
  const shown = execFileSync('readelf', ['-W', '--debug-dump=decodedline', path], { encoding: 'utf8' });
  const rows = new Map<bigint, { file: string; line: number }>();
  for (const text of shown.split('\n')) {
    const [, file = '', line, address] = /^(\S+) +(\d+|-) +(0x[0-9a-f]+)\b/.exec(text) ?? [];
    if (address === undefined) continue;
    // What ends a run of code belongs to none of its rows.
    if (line === '-') rows.delete(BigInt(address));
    else rows.set(BigInt(address), { file, line: Number(line) });
  }
  return rows;
}

describe('lines of instructions', () => {
  let workshop: Workshop;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());

  for (const options of [
    ['-gdwarf-5'],
    ['-gdwarf-4'],
    ['-gdwarf-5', '-gz=zlib'],
    ['-gdwarf-3', '-gno-variable-location-views'],
  ]) {
    it(`are the last rows that binutils list: ${options.join(' ')}`, () => {
      const path = compiled(options);
      const wanted = decodedRows(path);
      const addresses = [...wanted.keys()];
      const rows = instructionRows(path, addresses);
      assert.ok(wanted.size > 100);
      assert.deepEqual(rows, wanted);
    });
  }

  it('are unknown where a file has none', () => {
    assert.equal(instructionRows(compiled(['-s']), [0x1000n]).size, 0);
    assert.equal(instructionRows('/nowhere', [0x1000n]).size, 0);
  });

  it('of broken bytes are an ElfError at most', () => {
    const source = new BytesSource(readFileSync(compiled(['-gdwarf-5'])));
    const section = readSectionNamed(source, '.debug_line', 1 << 20)!;
    const strings = readSectionNamed(source, '.debug_line_str', 1 << 20);
    const random = randomNumbers(7);
    for (let run = 0; run < 300; run++) {
      const broken = Buffer.from(section.subarray(0, random(section.length)));
      for (let i = 0; i < 4; i++) broken[random(broken.length || 1)] = random(256);
      try {
        rowsIn(broken, strings, [0x1100n, 0x1200n]);
      } catch (error) {
        assert.ok(error instanceof ElfError, String(error));
      }
    }
  });

  it('are not looked for in lists longer than the bytes that are there', () => {
    const fixed = [5, 0, 8, 0, 64, 0, 0, 0, 1, 1, 1, 0xfb, 14, 1];
    const endlessFolders = [0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    const section = Buffer.from([100, 0, 0, 0, ...fixed, ...endlessFolders, ...Array<number>(100).fill(0)]);
    assert.throws(() => rowsIn(section, undefined, [0x1100n]), ElfError);
  });

  function compiled(options: readonly string[]): string {
    return workshop.compile(`lines${options.join('')}`, program, 'g++', ['-O2', ...options]);
  }
});
