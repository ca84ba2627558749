/** The parts that instructions are made of. */
import { type Effect, type Flow, type MemoryOperand, type Operand, UnknownInstructionError } from '../instruction';

export interface Prefixes {
  /** 0: none. */
  rex: number;
  /** 66 */
  isShort: boolean;
  /** f2, f3 or 0 */
  repeat: number;
  /** fs or gs: memory of the thread. */
  isSegment: boolean;
  /** 67 */
  isAddress32: boolean;
}

/** A relative target counts from the end of the instruction. */
export interface Decoded {
  effect: Effect;
  flow: Flow;
}

export const next: Flow = { kind: 'next' };

export function writing(...registers: number[]): Decoded {
  return { effect: { kind: 'write', registers }, flow: next };
}

/** `bytes`: 4 clear the upper half. */
export function writingConstant(register: number, value: bigint, bytes: number): Decoded {
  const constant = BigInt.asUintN(bytes === 8 ? 64 : 32, value);
  return { effect: { kind: 'write', registers: [register], ...(bytes === 2 ? {} : { constant }) }, flow: next };
}

export const nothing = writing();

/** An r/m operand, and the other register of the instruction. */
export interface ModRm {
  register: number;
  /** The three bits of `register`, which tell instructions apart. */
  extension: number;
  operand: Operand;
}

export class InstructionBytes {
  length = 0;
  /** What the instruction names beside its opcode, once it is read. */
  operands: { register: number; other: Operand } | undefined;
  /** By how many bits it shifts, where it says so itself. */
  immediate: number | undefined;

  constructor(private readonly bytes: Uint8Array) {}

  peek(): number {
    const byte = this.bytes[this.length];
    if (byte === undefined) throw this.unknown();
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.length++;
    return byte;
  }

  signed(size: 1 | 4): number {
    let value = 0;
    for (let i = 0; i < size; i++) value |= this.byte() << (8 * i);
    return size === 1 ? (value << 24) >> 24 : value;
  }

  unsigned(size: number): bigint {
    let value = 0n;
    for (let i = 0; i < size; i++) value |= BigInt(this.byte()) << BigInt(8 * i);
    return value;
  }

  skip(count: number): void {
    for (let i = 0; i < count; i++) this.byte();
  }

  unknown(): UnknownInstructionError {
    return new UnknownInstructionError(this.bytes);
  }

  modRm({ rex, isSegment, isAddress32 }: Pick<Prefixes, 'rex' | 'isSegment' | 'isAddress32'>, isExact = true): ModRm {
    const byte = this.byte();
    const mode = byte >> 6;
    const extension = (byte >> 3) & 7;
    const register = extension | ((rex & 4) << 1);
    const low = byte & 7;
    const operand: Operand =
      mode === 3
        ? { kind: 'register', number: low | ((rex & 1) << 3) }
        : { kind: 'memory', ...this.memory(mode, low, rex), isExact: isExact && !isSegment && !isAddress32 };
    this.operands = { register, other: operand };
    return { register, extension, operand };
  }

  private memory(mode: number, low: number, rex: number): Omit<MemoryOperand, 'isExact'> {
    let base: number | undefined = low | ((rex & 1) << 3);
    let index: number | undefined;
    let scale: MemoryOperand['scale'] = 1;
    let isRelative = false;
    let size: 0 | 1 | 4 = mode === 1 ? 1 : mode === 2 ? 4 : 0;
    if (low === 4) {
      const sib = this.byte();
      base = (sib & 7) | ((rex & 1) << 3);
      const scaled = ((sib >> 3) & 7) | ((rex & 2) << 2);
      if (scaled !== 4) index = scaled;
      scale = ([1, 2, 4, 8] as const)[sib >> 6]!;
      if ((sib & 7) === 5 && mode === 0) {
        base = undefined;
        size = 4;
      }
    } else if (low === 5 && mode === 0) {
      base = undefined;
      isRelative = true;
      size = 4;
    }
    return { base, index, scale, displacement: size === 0 ? 0 : this.signed(size), isRelative };
  }
}

/** A write of this operand that keeps nothing. */
export function writingOperand(operand: Operand, bytes: number, ...more: number[]): Decoded {
  if (operand.kind === 'register') return writing(operand.number, ...more);
  return { effect: { kind: 'write', registers: more, memory: { operand, bytes } }, flow: next };
}
