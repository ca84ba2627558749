import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ByteSource } from '../../adapter/elf/byte-source';
import { checkRange, ElfError, FileSource } from '../../adapter/elf/byte-source';
import type { ElfFile } from '../../adapter/elf/elf-file';
import { readElf } from '../../adapter/elf/elf-file';
import { openWorkshop } from '../support/compile';
import { randomNumbers } from '../support/random-numbers';

const LIBRARY = `
  int shared_counter = 1;
  static int private_counter = 2;
  __thread int per_thread = 3;
  int old_name(void) { return private_counter; }
  int new_name(void) { return shared_counter; }
  __asm__(".symver old_name,read_counter@VERS_1");
  __asm__(".symver new_name,read_counter@@VERS_2");
`;
const VERSIONS = 'VERS_1 { global: read_counter; shared_counter; per_thread; local: *; }; VERS_2 { } VERS_1;';

class BufferSource implements ByteSource {
  readonly size: number;
  bytesRead = 0;

  constructor(readonly bytes: Buffer) {
    this.size = bytes.length;
  }

  read(offset: number, length: number): Buffer {
    checkRange(this, offset, length);
    this.bytesRead += length;
    return this.bytes.subarray(offset, offset + length);
  }
}

/** Everything that a caller can ask of a file. */
function askAll(source: ByteSource): ElfFile {
  const elf = readElf(source);
  for (const table of [elf.dynamicSymbols, elf.fullSymbols]) {
    for (const name of ['shared_counter', 'private_counter', 'main', '']) {
      table?.find(name, 'exported');
      table?.find(name, 'local');
    }
    for (const value of [0, 0x1100, 0x4010, 2 ** 52]) table?.at(value);
  }
  return elf;
}

/** What binutils says of the symbols of a file: name (with its version) -> value and size. */
function readSymbols(path: string, table: '.dynsym' | '.symtab'): Map<string, { value: number; size: number }> {
  const symbols = new Map<string, { value: number; size: number }>();
  const shown = execFileSync('readelf', ['-W', '--syms', path], { encoding: 'utf8' });
  const part = shown.split('Symbol table').find((text) => text.startsWith(` '${table}'`));
  for (const line of (part ?? '').split('\n')) {
    const [, value, size, section, name] =
      /^\s*\d+: ([0-9a-f]+)\s+(\d+) (?:OBJECT|FUNC)\s+(?:GLOBAL|WEAK)\s+DEFAULT\s+(\S+) (\S+)/.exec(line) ?? [];
    if (name !== undefined && section !== 'UND' && section !== 'ABS') {
      symbols.set(name, { value: parseInt(value ?? '', 16), size: Number(size) });
    }
  }
  assert.ok(symbols.size > 0, 'readelf of binutils shows no symbols');
  return symbols;
}

describe('ELF files', () => {
  const workshop = openWorkshop();
  let library = '';
  let program = '';

  before(() => {
    const script = join(workshop.directory, 'versions');
    writeFileSync(script, VERSIONS);
    library = workshop.compile('libcounter.so', LIBRARY, 'gcc', [
      ...[
        '-shared',
        '-fPIC',
        '-Wl,-soname,libcounter.so.1',
        `-Wl,--version-script=${script}`,
        '-Wl,--build-id=0xabcdef',
      ],
    ]);
    program = workshop.compile(
      'counter',
      'extern int shared_counter; int main(void) { return shared_counter; }',
      'gcc',
      [...['-no-pie', library, '-Wl,-rpath,$ORIGIN/lib:/opt/lib', '-Wl,--disable-new-dtags']],
    );
  });
  after(() => workshop.close());

  const open = (path: string): ElfFile => askAll(new BufferSource(readFileSync(path)));

  it('tell what they need and where to look for it', () => {
    const { dynamic, interpreter, type } = open(program);
    assert.equal(type, 2);
    assert.match(interpreter ?? '', /ld-linux|ld-musl/);
    assert.ok(dynamic !== undefined && dynamic.needed.includes('libcounter.so.1'));
    assert.equal(dynamic.rpath, '$ORIGIN/lib:/opt/lib');
    assert.equal(dynamic.runpath, undefined);
    assert.equal(open(library).dynamic?.soname, 'libcounter.so.1');
    assert.equal(open(library).buildId, 'abcdef');
  });

  it('have the symbols that readelf shows', () => {
    for (const [table, symbols] of [
      ['.dynsym', open(library).dynamicSymbols],
      ['.symtab', open(library).fullSymbols],
    ] as const) {
      for (const [versioned, { value, size }] of readSymbols(library, table)) {
        // name@@VERSION is the default version; in .symtab the version of another is part of the name.
        const name = versioned.replace(table === '.dynsym' ? /@@.*/ : /^$/, '');
        if (name.includes('@') && table === '.dynsym') continue;
        assert.deepEqual(symbols?.find(name, 'exported'), { name, value, size });
      }
    }
  });

  it('give the default version of a versioned symbol', () => {
    const symbols = readSymbols(library, '.dynsym');
    const wanted = symbols.get('read_counter@@VERS_2');
    assert.ok(wanted !== undefined && wanted.value !== symbols.get('read_counter@VERS_1')?.value);
    assert.equal(open(library).dynamicSymbols?.find('read_counter', 'exported')?.value, wanted.value);
  });

  it('keep static data apart, and pass over thread-local and undefined symbols', () => {
    const { dynamicSymbols, fullSymbols } = open(library);
    assert.equal(dynamicSymbols?.find('private_counter', 'local'), undefined);
    assert.equal(fullSymbols?.find('private_counter', 'exported'), undefined);
    assert.equal(fullSymbols?.find('private_counter', 'local')?.size, 4);
    assert.equal(dynamicSymbols?.find('per_thread', 'exported'), undefined);
    assert.equal(open(program).dynamicSymbols?.find('__libc_start_main', 'exported'), undefined);
    assert.notEqual(open(program).dynamicSymbols?.find('shared_counter', 'exported'), undefined, 'copy relocation');
  });

  it('name what lies at an address', () => {
    const { fullSymbols } = open(program);
    const main = fullSymbols?.find('main', 'exported');
    assert.ok(main !== undefined && main.size > 0);
    assert.equal(fullSymbols?.at(main.value)?.name, 'main');
    assert.equal(fullSymbols?.at(main.value + main.size - 1)?.name, 'main');
    assert.notEqual(fullSymbols?.at(main.value + main.size)?.name, 'main');
    assert.equal(fullSymbols?.at(8), undefined);
  });

  for (const style of ['gnu', 'sysv'] as const) {
    it(`have their dynamic symbols without section headers, by the ${style} hash table`, () => {
      const path = workshop.compile(`libhash-${style}.so`, LIBRARY.replace(/__asm__.*/g, ''), 'gcc', [
        ...['-shared', '-fPIC', `-Wl,--hash-style=${style}`],
      ]);
      const bytes = readFileSync(path);
      bytes.fill(0, 40, 48);
      bytes.fill(0, 58, 64);
      const { fullSymbols, dynamicSymbols } = askAll(new BufferSource(bytes));
      assert.equal(fullSymbols, undefined);
      for (const [name, symbol] of readSymbols(path, '.dynsym')) {
        assert.deepEqual(dynamicSymbols?.find(name, 'exported'), { name, ...symbol });
      }
    });
  }

  it('are refused with a sentence when they are none', () => {
    const refuse = (bytes: Buffer, message: RegExp): void => {
      assert.throws(
        () => askAll(new BufferSource(bytes)),
        (error) => error instanceof ElfError && message.test(error.message),
      );
    };
    const bytes = readFileSync(program);
    refuse(Buffer.alloc(0), /not an ELF file/);
    refuse(Buffer.from('#!/bin/sh\n'), /not an ELF file/);
    refuse(bytes.subarray(0, 40), /truncated/);
    refuse(bytes.subarray(0, 200), /truncated/);
    const other = Buffer.from(bytes);
    other[4] = 1;
    refuse(other, /not a 64-bit little-endian/);
    assert.throws(() => new FileSource(workshop.directory), { name: 'ElfError', message: /not a regular file/ });
    assert.throws(() => new FileSource(join(workshop.directory, 'missing')), { code: 'ENOENT' });
  });

  it('survive 20 000 mutations with an ElfError or an answer, reading no more than the file holds', () => {
    const random = randomNumbers(20261121);
    let answered = 0;
    for (const path of [library, program]) {
      const original = readFileSync(path);
      const sensitive = interestingOffsets(original);
      for (let round = 0; round < 10_000; round++) {
        const bytes = Buffer.from(original);
        for (let count = 1 + random(4); count > 0; count--) mutate(bytes, sensitive, random);
        const source = new BufferSource(random(10) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes);
        try {
          askAll(source);
          answered++;
        } catch (error) {
          if (!(error instanceof ElfError)) throw error;
        }
        assert.ok(source.bytesRead <= 40 * original.length, `${source.bytesRead} bytes read`);
      }
    }
    assert.ok(answered > 1000 && answered < 19_000, `${answered} mutations were harmless: the others test nothing`);
  });
});

/** Headers, the dynamic section and the symbol tables: where a changed byte is noticed. */
function interestingOffsets(bytes: Buffer): [start: number, length: number][] {
  const elf = readElf(new BufferSource(bytes));
  return [
    [0, 64],
    [Number(bytes.readBigUInt64LE(40)), bytes.readUInt16LE(60) * 64],
    ...elf.segments
      .filter(({ type }) => type !== 1)
      .map(({ offset, fileSize }): [number, number] => [offset, fileSize]),
    [64, bytes.readUInt16LE(56) * 56],
  ];
}

function mutate(bytes: Buffer, sensitive: [number, number][], random: (limit: number) => number): void {
  const [start, length] = sensitive[random(sensitive.length)] ?? [0, 64];
  const at = Math.min(start + random(Math.max(1, length)), bytes.length - 8);
  const wild = [0n, 1n, 0x7fffffffn, 0xffffffffn, 2n ** 63n, 2n ** 64n - 1n, BigInt(bytes.length)];
  if (random(2) === 0) bytes[at] = random(256);
  else bytes.writeBigUInt64LE(wild[random(wild.length)] ?? 0n, at - (at % 8));
}
