/** What stands before the rows of one compilation in .debug_line. */
import { basename } from 'node:path';
import type { LineBytes } from './line-bytes';

export interface LineHeader {
  minInstruction: number;
  lineBase: number;
  lineRange: number;
  opcodeBase: number;
  /** How many numbers follow each standard opcode, from 1. */
  operands: readonly number[];
  /** The names of the files without folders, by the number that the rows have. */
  files: readonly (string | undefined)[];
  /** Where the next one begins. */
  end: number;
}

/** Leaves `bytes` at the first opcode. undefined: it is in a form that is not known, and `bytes` is at the next one. */
export function readLineHeader(bytes: LineBytes, strings: Buffer | undefined): LineHeader | undefined {
  const short = bytes.u32();
  const isLong = short === 0xffff_ffff;
  const length = isLong ? Number(bytes.u64()) : short;
  const offset = (): number => (isLong ? Number(bytes.u64()) : bytes.u32());
  const end = bytes.at + length;
  const version = bytes.u16();
  const isKnown = version >= 2 && version <= 5;
  if (version === 5) bytes.skip(2);
  const headerLength = isKnown ? offset() : 0;
  const program = bytes.at + headerLength;
  const minInstruction = bytes.u8();
  if (version >= 4) bytes.skip(1);
  bytes.skip(1);
  const lineBase = bytes.i8();
  const lineRange = bytes.u8();
  const opcodeBase = bytes.u8();
  if (!isKnown || lineRange === 0 || opcodeBase === 0) {
    bytes.at = end;
    return undefined;
  }
  const operands = Array.from({ length: opcodeBase - 1 }, () => bytes.u8());
  const files = version === 5 ? filesOf5(bytes, strings, offset) : filesBefore5(bytes);
  bytes.at = program;
  return { minInstruction, lineBase, lineRange, opcodeBase, operands, files, end };
}

/** Numbered from 1. */
function filesBefore5(bytes: LineBytes): (string | undefined)[] {
  while (bytes.text() !== '') continue;
  const files: (string | undefined)[] = [undefined];
  for (let name = bytes.text(); name !== ''; name = bytes.text()) {
    for (let i = 0; i < 3; i++) bytes.unsigned();
    files.push(basename(name));
  }
  return files;
}

/** Numbered from 0. */
function filesOf5(bytes: LineBytes, strings: Buffer | undefined, offset: () => number): (string | undefined)[] {
  readEntries();
  return readEntries();

  function readEntries(): (string | undefined)[] {
    const formats = Array.from({ length: bytes.u8() }, () => ({ content: bytes.unsigned(), form: bytes.unsigned() }));
    return Array.from({ length: bytes.count() }, () => {
      let name: string | undefined;
      for (const { content, form } of formats) {
        const value = read(form);
        if (content === pathContent && value !== undefined) name = basename(value);
      }
      return name;
    });
  }

  /** The text that a form holds; undefined: it holds none. */
  function read(form: number): string | undefined {
    if (form === DW_FORM_string) return bytes.text();
    if (form === DW_FORM_line_strp) {
      const at = offset();
      const until = strings?.indexOf(0, at) ?? -1;
      return until < 0 ? undefined : strings?.toString('utf8', at, until);
    }
    const length = fixedLengths.get(form);
    if (length !== undefined) bytes.skip(length);
    else if (form === DW_FORM_strp) offset();
    else if (form === DW_FORM_block) bytes.skip(bytes.unsigned());
    else bytes.unsigned();
    return undefined;
  }
}

const DW_FORM_string = 0x08;
const DW_FORM_block = 0x09;
const DW_FORM_strp = 0x0e;
const DW_FORM_line_strp = 0x1f;
/** In bytes: DW_FORM_data1, 2, 4, 8 and 16. */
const fixedLengths: ReadonlyMap<number, number> = new Map([
  [0x0b, 1],
  [0x05, 2],
  [0x06, 4],
  [0x07, 8],
  [0x1e, 16],
]);

/** DW_LNCT_path. */
const pathContent = 1;
