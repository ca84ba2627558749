/** What an instruction does to registers and memory, as far as it matters where values come from. */

/** base, index: numbers of registers. scale: of the index. isRelative: to the end of the instruction. isExact: false where its scale is not known. */
export interface MemoryOperand {
  base: number | undefined;
  index: number | undefined;
  scale: 1 | 2 | 4 | 8;
  displacement: number;
  isRelative: boolean;
  isExact: boolean;
}

export type Operand = { kind: 'register'; number: number } | ({ kind: 'memory' } & MemoryOperand);

export type Effect =
  /** bytes: 4 or 8. Into a register 4 clear its upper half; `isExtended`: 4 are read and 8 written. */
  | { kind: 'copy'; to: Operand; from: Operand; bytes: 4 | 8; isExtended: boolean }
  | { kind: 'address'; to: number; of: MemoryOperand }
  | { kind: 'add'; to: number; value: number }
  | { kind: 'push'; from: number | undefined }
  | { kind: 'pop'; to: Operand }
  | { kind: 'leave' }
  /** Anything that no argument survives; memory: so many bytes of it. constant: what the one register gets, of 4 or 8 bytes. */
  | {
      kind: 'write';
      registers: readonly number[];
      memory?: { operand: MemoryOperand; bytes: number };
      constant?: bigint;
    }
  /** rep stos and their like: from where rdi points on. */
  | { kind: 'writeString' };

/** Where the next instruction is. Targets count from the instruction's own address. */
export type Flow =
  | { kind: 'next' }
  | { kind: 'branch'; target: number }
  | { kind: 'jump'; target: number }
  | { kind: 'indirectJump'; through: Operand }
  | { kind: 'call'; target: number }
  | { kind: 'indirectCall'; through: Operand }
  | { kind: 'end'; isReturn: boolean };

/** How an instruction is encoded. */
export interface InstructionForm {
  /** One byte, or 0f and another one; undefined: longer. */
  opcode: number | undefined;
  /** Size of its operands, as far as they are not those of one byte. */
  bytes: 2 | 4 | 8;
  /** Missing: it has none. */
  operands?: { register: number; other: Operand };
  /** By how many bits it shifts; missing: it is no shift, or a register says it. */
  immediate?: number;
}

export interface Instruction {
  length: number;
  form: InstructionForm;
  effect: Effect;
  flow: Flow;
}

/** The bytes are no instruction that is known. */
export class UnknownInstructionError extends Error {
  constructor(bytes: Uint8Array) {
    super(`unknown instruction ${Array.from(bytes.subarray(0, 8), hexOf).join('')}`);
    this.name = 'UnknownInstructionError';
  }
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** Where the address of what is called lies, as far as the instruction tells; `next`: the address behind it. */
export function slotOf(through: Operand, next: number): number | undefined {
  return through.kind === 'memory' && through.isRelative ? next + through.displacement : undefined;
}
