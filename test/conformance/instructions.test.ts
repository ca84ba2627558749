/** Every instruction of the libraries that calls of MPI stand in: its length, and the register that it writes, as objdump says. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FileSource } from '../../adapter/elf/byte-source';
import { readElf } from '../../adapter/elf/elf-file';
import { decode, maxInstructionLength } from '../../plugin-api/processor/x86-64/decode';
import { type Instruction, UnknownInstructionError } from '../../plugin-api/processor/instruction';

const run = promisify(execFile);
const maxBytes = 4 << 20;

/** The folder of Debian's libraries of this machine. */
const folder = readdirSync('/usr/lib')
  .map((name) => join('/usr/lib', name))
  .find((path) => existsSync(join(path, 'libc.so.6')))!;
const libraries = ['libmpi.so.40', 'libmpich.so.12', 'libc.so.6', 'libm.so.6'].map((name) => join(folder, name));

/** x86-64's numbers of them, by their 64-bit name; of the shorter names the beginning tells. */
const registers = ['ax', 'cx', 'dx', 'bx', 'sp', 'bp', 'si', 'di'];

function registerNumber(operand: string): number | undefined {
  const name = /^%(\w+)$/.exec(operand)?.[1] ?? '';
  const numbered = /^r(\d+)[dwb]?$/.exec(name)?.[1];
  if (numbered !== undefined) return Number(numbered);
  const found = registers.findIndex((each) => new RegExp(`^[re]?${each}$|^${each}l$`).test(name));
  if (found >= 0) return found;
  const byByte = /^([abcd])[lh]$/.exec(name)?.[1];
  return byByte === undefined ? undefined : registers.indexOf(`${byByte}x`);
}

function written({ effect }: Instruction): readonly number[] {
  switch (effect.kind) {
    case 'copy':
    case 'pop':
      return effect.to.kind === 'register' ? [effect.to.number] : [];
    case 'address':
    case 'add':
      return [effect.to];
    case 'write':
      return effect.registers;
    case 'writeString':
      return [1, 6, 7];
    case 'leave':
      return [4, 5];
    case 'push':
      return [];
  }
}

/** They read the last operand, or jump to it. */
const readers =
  /^((lock|rep\w*|bnd|notrack|cs|ds|data16|rex(\.\w+)?) )*(cmp[bwlq]?|test[bwlq]?|push[wq]?|bt[wlq]?|call[q]?|jmp[q]?|nop[wl]?|out|i?div[bwlq]?|mul[bwlq]?|imul[bwlq]?(?=\s+[^,]*$)|ver[rw]|l[lm]sw|ltr|lldt|wrfsbase|wrgsbase|rdrand|incssp[dq]|umonitor|ud1|cmps|scas)\b/;

interface Line {
  address: number;
  text: string;
}

async function disassembly(file: string, start: number, end: number): Promise<Line[]> {
  const range = [`--start-address=${start}`, `--stop-address=${end}`];
  const { stdout } = await run('objdump', ['-d', '-w', '--no-show-raw-insn', '-j', '.text', ...range, file], {
    maxBuffer: 1 << 30,
  });
  return stdout.split('\n').flatMap((line) => {
    const [, address, text] = /^\s*([0-9a-f]+):\s+(.*)$/.exec(line) ?? [];
    return address === undefined || text === undefined ? [] : [{ address: parseInt(address, 16), text: text.trim() }];
  });
}

/** The last operand, without a comment. */
function lastOperand(text: string): string {
  const operands = text.replace(/\s*[#<].*$/, '').replace(/^(\S+ )*?\S+\s+(?=[%$(*\-0-9])/, '');
  return /%\w+$/.exec(operands)?.[0] ?? '';
}

for (const library of libraries)
  it(`instructions of ${library.replace(/^.*\//, '')}`, async () => {
    const file = realpathSync(library);
    const { segments } = readElf(new FileSource(file));
    const code = segments.find(({ executable, type }) => executable && type === 1)!;
    const bytes = readFileSync(file);
    const end = Math.min(code.address + code.size, code.address + maxBytes);
    const lines = await disassembly(file, code.address, end);
    assert.ok(lines.length > 50_000, `only ${lines.length} instructions`);
    let unknown = 0;
    for (const [index, { address, text }] of lines.entries()) {
      const next = lines[index + 1];
      // The end may cut one. Of the floating-point unit some are two instructions in one line.
      const isOdd = /\(bad\)|^xchg +%ax,%ax|^f(st|in|cl|sa)/.test(text);
      if (next === undefined || address > end - maxInstructionLength || isOdd) continue;
      const at = address - code.address + code.offset;
      let instruction: Instruction;
      try {
        instruction = decode(bytes.subarray(at, at + 16));
      } catch (error) {
        if (!(error instanceof UnknownInstructionError)) throw error;
        unknown++;
        continue;
      }
      assert.equal(instruction.length, next.address - address, `${address.toString(16)}: ${text}`);
      const register = readers.test(text) ? undefined : registerNumber(lastOperand(text));
      if (register !== undefined)
        assert.ok(written(instruction).includes(register), `${address.toString(16)}: ${text} writes ${register}`);
    }
    assert.ok(unknown < lines.length / 10_000, `${unknown} of ${lines.length} are unknown`);
  }).timeout(120_000);
