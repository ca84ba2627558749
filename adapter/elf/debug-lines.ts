/** The rows of .debug_line (DWARF 2 to 5): for each instruction the line that the compiler has noted for it. */
import { ElfError, FileSource } from './byte-source';
import { readSectionNamed } from './elf-file';
import { LineBytes } from './line-bytes';
import { readLineHeader, type LineHeader } from './line-header';

/** The row that holds for an instruction, whether a statement begins there or not. */
export interface InstructionRow {
  /** Without its folders. */
  file: string;
  line: number;
}

/** Bytes: a second's reading. */
const longest = 64 << 20;

/**
 * By address, as the file is linked. Those that have no row are left out, and all where the file has no such section, where that is longer than is read, or
 * broken, or where the file cannot be opened.
 */
export function instructionRows(path: string, addresses: readonly bigint[]): ReadonlyMap<bigint, InstructionRow> {
  try {
    return rowsOfFile(path, addresses);
  } catch (error) {
    if (error instanceof ElfError || (error as NodeJS.ErrnoException).code !== undefined) return new Map();
    throw error;
  }
}

function rowsOfFile(path: string, addresses: readonly bigint[]): ReadonlyMap<bigint, InstructionRow> {
  const source = new FileSource(path);
  try {
    const section = readSectionNamed(source, '.debug_line', longest);
    if (section === undefined) return new Map();
    return rowsIn(section, readSectionNamed(source, '.debug_line_str', longest), addresses);
  } finally {
    source.close();
  }
}

/** `section`: .debug_line, `strings`: .debug_line_str. */
export function rowsIn(
  section: Buffer,
  strings: Buffer | undefined,
  addresses: readonly bigint[],
): ReadonlyMap<bigint, InstructionRow> {
  const found = new Map<bigint, InstructionRow>();
  const wanted = addresses.map(Number).toSorted((a, b) => a - b);
  const bytes = new LineBytes(section);
  while (!bytes.isAtEnd) {
    const header = readLineHeader(bytes, strings);
    // What a newer DWARF has there is not known.
    if (header !== undefined) runProgram(bytes, header, wanted, found);
    bytes.at = header?.end ?? bytes.at;
  }
  return found;
}

/** The registers of the machine that the rows are a program for. */
interface Row {
  address: number;
  file: number;
  line: number;
}

function runProgram(
  bytes: LineBytes,
  header: LineHeader,
  wanted: readonly number[],
  found: Map<bigint, InstructionRow>,
): void {
  const { minInstruction, lineBase, lineRange, opcodeBase, operands, end } = header;
  const row: Row = { address: 0, file: 1, line: 1 };
  let before: Row | undefined;

  while (bytes.at < end) {
    const opcode = bytes.u8();
    if (opcode >= opcodeBase) {
      const adjusted = opcode - opcodeBase;
      row.address += Math.floor(adjusted / lineRange) * minInstruction;
      row.line += lineBase + (adjusted % lineRange);
      emit();
      continue;
    }
    switch (opcode) {
      case 0:
        extended();
        break;
      case 1:
        emit();
        break;
      case 2:
        row.address += bytes.unsigned() * minInstruction;
        break;
      case 3:
        row.line += bytes.signed();
        break;
      case 4:
        row.file = bytes.unsigned();
        break;
      case 8:
        row.address += Math.floor((255 - opcodeBase) / lineRange) * minInstruction;
        break;
      case 9:
        row.address += bytes.u16();
        break;
      default:
        for (let i = 0; i < (operands[opcode - 1] ?? 0); i++) bytes.unsigned();
    }
  }

  function extended(): void {
    const length = bytes.unsigned();
    const next = bytes.at + length;
    if (length === 0) return;
    const opcode = bytes.u8();
    if (opcode === 1) {
      emit();
      Object.assign(row, { address: 0, file: 1, line: 1 });
      before = undefined;
    } else if (opcode === 2) {
      row.address = length === 9 ? Number(bytes.u64()) : Number.NaN;
    }
    bytes.at = next;
  }

  /** A row holds up to the next one, which is the last one at its address. */
  function emit(): void {
    if (before !== undefined && before.address < row.address) {
      for (const address of wanted) {
        if (address >= row.address) break;
        const file = header.files[before.file];
        if (address >= before.address && file !== undefined && before.line > 0)
          found.set(BigInt(address), { file, line: before.line });
      }
    }
    before = { ...row };
  }
}
