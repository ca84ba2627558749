/**
 * Call frame information of x86-64: where a function's caller has its registers while the function is at some address. As .eh_frame has it
 * (the Linux Standard Base and DWARF 5, section 6.4).
 */
import type { ProcessImage } from '../../image';
import { ByteReader } from './byte-reader';
import { UnwindError } from './unwind-error';

/** DWARF's numbers of rsp, and of the return address. */
export const stackPointer = 7;
export const returnAddress = 16;

/** Where a register of the caller is. offset: stored at the CFA plus so many bytes; value: it is that address itself. */
export type RegisterRule =
  | { kind: 'offset' | 'value'; offset: number }
  | { kind: 'register'; register: number }
  /** The expression's address holds it, or is it. */
  | { kind: 'expression' | 'valueExpression'; expression: Uint8Array }
  /** For a return address: there is no caller. */
  | { kind: 'undefined' };

export type CfaRule =
  { kind: 'register'; register: number; offset: number } | { kind: 'expression'; expression: Uint8Array };

export interface FrameRules {
  cfa: CfaRule;
  /** By DWARF's numbers; what is not listed calls keep or lose, as the machine's conventions say. */
  registers: ReadonlyMap<number, RegisterRule>;
  /** What the kernel makes for a signal's handler: its caller did not call, it was interrupted. */
  isSignal: boolean;
  /** Behind libc's call of clone: the thread that it has made, which has 0 in rax there, has no caller. */
  makesThread: boolean;
}

/** More than any compiler writes. */
const maxBytes = 1 << 16;

interface CommonInformation {
  codeAlign: number;
  dataAlign: number;
  pointerEncoding: number;
  /** The pointers' encoding in the language's own tables; undefined: it has none. */
  tableEncoding: number | undefined;
  hasAugmentation: boolean;
  isSignal: boolean;
  instructions: Uint8Array;
}

const systemCall = Uint8Array.of(0x0f, 0x05);
/** libc describes nothing from its call of clone to the return of the thread that called. */
const maxUndescribed = 10n;

/** `description`: where the function's entry is in memory. Throws UnwindError, and as readMemory does. */
export async function frameRules(image: ProcessImage, description: bigint, address: bigint): Promise<FrameRules> {
  const entry = await entryAt(image, description);
  const toCommon = entry.here;
  const common = commonInformation(await entryAt(image, toCommon - BigInt(entry.u32())));
  const start = entry.pointer(common.pointerEncoding);
  const length = entry.extent(common.pointerEncoding);
  const end = start + length;
  const makesThread = address >= end && (await isBehindSystemCall(image, end, address));
  if (address < start || (address >= end && !makesThread)) throw new UnwindError('another function was found');
  if (common.hasAugmentation) entry.bytes(entry.unsigned());
  const rows = new Rows(common);
  rows.run(common.instructions, undefined);
  rows.keepInitial();
  // A system call leaves the stack as it is.
  rows.run(entry.rest(), Number((makesThread ? end - 1n : address) - start));
  return { ...rows.rules(), makesThread };
}

/** The function that the entry describes, and where the tables of its language are, for exceptions. Throws as frameRules does. */
export async function languageTables(
  image: ProcessImage,
  description: bigint,
): Promise<{ start: bigint; end: bigint; tables: bigint | undefined }> {
  const entry = await entryAt(image, description);
  const toCommon = entry.here;
  const common = commonInformation(await entryAt(image, toCommon - BigInt(entry.u32())));
  const start = entry.pointer(common.pointerEncoding);
  const end = start + entry.extent(common.pointerEncoding);
  if (common.tableEncoding === undefined || entry.unsigned() === 0) return { start, end, tables: undefined };
  const { here } = entry;
  const tables = entry.pointer(common.tableEncoding);
  // A zero means that there are none, also where it would be relative to its place.
  return { start, end, tables: tables === 0n || tables === here ? undefined : tables };
}

async function isBehindSystemCall(image: ProcessImage, end: bigint, address: bigint): Promise<boolean> {
  const offset = address - end;
  if (offset < systemCall.length || offset >= maxUndescribed) return false;
  const code = await image.readMemory(end, systemCall.length);
  return code.every((byte, i) => byte === systemCall[i]);
}

/** Behind its length. */
async function entryAt(image: ProcessImage, address: bigint): Promise<ByteReader> {
  const length = new ByteReader(await image.readMemory(address, 4), address).u32();
  if (length === 0 || length > maxBytes) throw new UnwindError('unwinding information has an unusual length');
  return new ByteReader(await image.readMemory(address + 4n, length), address + 4n);
}

function commonInformation(reader: ByteReader): CommonInformation {
  if (reader.u32() !== 0) throw new UnwindError('unwinding information is damaged');
  const version = reader.u8();
  if (version !== 1 && version !== 3) throw new UnwindError(`unwinding information has version ${version}`);
  const augmentation = reader.text();
  const codeAlign = reader.unsigned();
  const dataAlign = reader.signedLeb();
  const register = version === 1 ? reader.u8() : reader.unsigned();
  if (register !== returnAddress) throw new UnwindError('unwinding information is of another machine');
  let [pointerEncoding, isSignal] = [0, false];
  let tableEncoding: number | undefined;
  const hasAugmentation = augmentation.startsWith('z');
  if (hasAugmentation) {
    reader.unsigned();
    for (const letter of augmentation.slice(1)) {
      if (letter === 'R') pointerEncoding = reader.u8();
      else if (letter === 'L') tableEncoding = reader.u8();
      else if (letter === 'P') {
        const encoding = reader.u8();
        reader.bytes(pointerSize(encoding));
      } else if (letter === 'S') isSignal = true;
      else throw new UnwindError('unwinding information has an unknown part');
    }
  } else if (augmentation !== '') throw new UnwindError('unwinding information has an unknown part');
  const instructions = reader.rest();
  return { codeAlign, dataAlign, pointerEncoding, tableEncoding, hasAugmentation, isSignal, instructions };
}

function pointerSize(encoding: number): number {
  const size = [8, undefined, 2, 4, 8][encoding & 0x07];
  if (size === undefined) throw new UnwindError('a pointer is stored in an unusual form');
  return size;
}

interface Row {
  cfa: CfaRule | undefined;
  registers: Map<number, RegisterRule>;
}

/** Runs the instructions that make the rows of a function's table, up to the row of an address. */
class Rows {
  private row: Row = { cfa: undefined, registers: new Map() };
  private initial: ReadonlyMap<number, RegisterRule> = new Map();
  private readonly remembered: Row[] = [];

  constructor(private readonly common: CommonInformation) {}

  keepInitial(): void {
    this.initial = new Map(this.row.registers);
  }

  rules(): Omit<FrameRules, 'makesThread'> {
    const { cfa, registers } = this.row;
    if (cfa === undefined) throw new UnwindError('unwinding information defines no frame');
    return { cfa, registers, isSignal: this.common.isSignal };
  }

  /** `until`: the address, counted from the function's start. */
  run(instructions: Uint8Array, until: number | undefined): void {
    const reader = new ByteReader(instructions, 0n);
    let location = 0;
    while (!reader.isAtEnd) {
      const instruction = reader.u8();
      const operand = instruction & 0x3f;
      const advance = this.advance(reader, instruction, operand);
      if (advance === undefined) continue;
      location += advance * this.common.codeAlign;
      if (until !== undefined && location > until) return;
    }
  }

  /** How far the instruction goes on; undefined: it changes the row. */
  private advance(reader: ByteReader, instruction: number, operand: number): number | undefined {
    if (instruction >> 6 === 1) return operand;
    if (instruction >> 6 === 2)
      this.set(operand, { kind: 'offset', offset: reader.unsigned() * this.common.dataAlign });
    else if (instruction >> 6 === 3) this.restore(operand);
    else if (instruction === 0x02) return reader.u8();
    else if (instruction === 0x03) return reader.u16();
    else if (instruction === 0x04) return reader.u32();
    else this.change(reader, instruction);
    return undefined;
  }

  private change(reader: ByteReader, instruction: number): void {
    const scaled = (factor: number): number => factor * this.common.dataAlign;
    switch (instruction) {
      case 0x00: // DW_CFA_nop
        return;
      case 0x05: // offset_extended
        return this.set(reader.unsigned(), { kind: 'offset', offset: scaled(reader.unsigned()) });
      case 0x06: // restore_extended
        return this.restore(reader.unsigned());
      case 0x07: // undefined
        return this.set(reader.unsigned(), { kind: 'undefined' });
      case 0x08: // same_value
        this.row.registers.delete(reader.unsigned());
        return;
      case 0x09: // register
        return this.set(reader.unsigned(), { kind: 'register', register: reader.unsigned() });
      case 0x0a: // remember_state
        this.remembered.push({ cfa: this.row.cfa, registers: new Map(this.row.registers) });
        return;
      case 0x0b: // restore_state
        this.row = this.remembered.pop() ?? this.row;
        return;
      case 0x0c: // def_cfa
        this.row.cfa = { kind: 'register', register: reader.unsigned(), offset: reader.unsigned() };
        return;
      case 0x0d: // def_cfa_register
        return this.moveCfa({ register: reader.unsigned() });
      case 0x0e: // def_cfa_offset
        return this.moveCfa({ offset: reader.unsigned() });
      case 0x0f: // def_cfa_expression
        this.row.cfa = { kind: 'expression', expression: reader.bytes(reader.unsigned()) };
        return;
      case 0x10: // expression
        return this.set(reader.unsigned(), { kind: 'expression', expression: reader.bytes(reader.unsigned()) });
      case 0x11: // offset_extended_sf
        return this.set(reader.unsigned(), { kind: 'offset', offset: scaled(reader.signedLeb()) });
      case 0x12: // def_cfa_sf
        this.row.cfa = { kind: 'register', register: reader.unsigned(), offset: scaled(reader.signedLeb()) };
        return;
      case 0x13: // def_cfa_offset_sf
        return this.moveCfa({ offset: scaled(reader.signedLeb()) });
      case 0x14: // val_offset
        return this.set(reader.unsigned(), { kind: 'value', offset: scaled(reader.unsigned()) });
      case 0x15: // val_offset_sf
        return this.set(reader.unsigned(), { kind: 'value', offset: scaled(reader.signedLeb()) });
      case 0x16: // val_expression
        return this.set(reader.unsigned(), { kind: 'valueExpression', expression: reader.bytes(reader.unsigned()) });
      case 0x2e: // GNU_args_size
        reader.unsigned();
        return;
      default:
        throw new UnwindError(`unwinding information has the unknown instruction ${instruction}`);
    }
  }

  private set(register: number, rule: RegisterRule): void {
    this.row.registers.set(register, rule);
  }

  private restore(register: number): void {
    const rule = this.initial.get(register);
    if (rule === undefined) this.row.registers.delete(register);
    else this.row.registers.set(register, rule);
  }

  private moveCfa(change: { register?: number; offset?: number }): void {
    if (this.row.cfa?.kind !== 'register') throw new UnwindError('unwinding information moves no frame');
    this.row.cfa = { ...this.row.cfa, ...change };
  }
}
