/** What an instruction reads to make what it writes. */
import type { InstructionForm } from '../instruction';

export interface Rule {
  from: readonly ('register' | 'other' | 'rax' | 'rcx' | 'flags')[];
  setsFlags: boolean;
  /** Bytes that it reads, where that is not the size of its operands. */
  bytes?: 1 | 2;
  /** Bytes of a register that it writes, where it is not what it reads. */
  writes?: number;
  /** The result is what it reads, with its sign. */
  extends?: boolean;
}

const nothing: Rule = { from: [], setsFlags: false };

/** undefined: what it reads is not known. */
export function ruleOf(form: InstructionForm): Rule | undefined {
  const rule = ruleOfOpcode(form);
  const { operands } = form;
  if (rule?.bytes !== 1 || operands === undefined) return rule;
  // Without REX these are the second bytes of the first four registers.
  const isUnclear = (number: number): boolean => number >= 4 && number < 8;
  const named = [
    ...(rule.from.includes('register') ? [operands.register] : []),
    ...(operands.other.kind === 'register' ? [operands.other.number] : []),
  ];
  return named.some(isUnclear) ? undefined : rule;
}

function ruleOfOpcode({ opcode, operands, bytes, immediate = 0 }: InstructionForm): Rule | undefined {
  if (opcode === undefined) return undefined;
  const size = (opcode & 1) === 0 ? ({ bytes: 1 } as const) : {};
  const extension = (operands?.register ?? 0) & 7;
  if (opcode < 0x40) {
    const own = (opcode & 7) < 4 ? (['register', 'other'] as const) : (['rax'] as const);
    // With the carry.
    const from = opcode >> 4 === 1 ? ([...own, 'flags'] as const) : own;
    return { from, setsFlags: true, ...size };
  }
  if (opcode >= 0x0f40 && opcode < 0x0f50) return { from: ['register', 'other', 'flags'], setsFlags: false };
  if (opcode >= 0x0f90 && opcode < 0x0fa0) return { from: ['flags'], setsFlags: false, bytes: 1 };
  switch (opcode) {
    case 0x69:
    case 0x6b:
      return { from: ['other'], setsFlags: true };
    case 0xc1:
      // By no bits the flags stay as they are, and two that rotate take the carry in.
      if ((immediate & (bytes === 8 ? 63 : 31)) !== 0 && extension !== 2 && extension !== 3)
        return { from: ['other'], setsFlags: extension >= 4 };
      return { from: ['other', 'flags'], setsFlags: true };
    case 0xc0:
    case 0xd0:
    case 0xd1:
      return { from: ['other', 'flags'], setsFlags: true, ...size };
    case 0xd2:
    case 0xd3:
      return { from: ['other', 'rcx', 'flags'], setsFlags: true, ...size };
    // test and neg; others set no flags, or write two registers.
    case 0xf6:
    case 0xf7:
      return extension < 2 || extension === 3 ? { from: ['other'], setsFlags: true, ...size } : undefined;
    case 0xfe:
    case 0xff:
      return { from: ['other', 'flags'], setsFlags: true, ...size };
    case 0x80:
      return { from: ['other', 'flags'].slice(0, withCarry(extension)) as Rule['from'], setsFlags: true, bytes: 1 };
    case 0x81:
    case 0x83:
      return { from: ['other', 'flags'].slice(0, withCarry(extension)) as Rule['from'], setsFlags: true };
    case 0x84:
    case 0x85:
      return { from: ['register', 'other'], setsFlags: true, ...size };
    case 0xa8:
    case 0xa9:
      return { from: ['rax'], setsFlags: true, ...size };
    case 0x88:
      return { from: ['register'], setsFlags: false, bytes: 1 };
    case 0x8a:
      return { from: ['other'], setsFlags: false, bytes: 1 };
    case 0x90:
    case 0xc6:
    case 0xc7:
    case 0x0f0d:
    case 0x0f18:
    case 0x0f1e:
    case 0x0f1f:
    case 0x0fae:
      return nothing;
    case 0x98:
      return { from: ['rax'], setsFlags: false, extends: true };
    case 0x99:
      return { from: ['rax'], setsFlags: false };
    case 0x0fa3:
    case 0x0faf:
      return { from: ['register', 'other'], setsFlags: true };
    case 0x0fb6:
    case 0x0fbe:
      return { from: ['other'], setsFlags: false, bytes: 1, writes: 4 };
    case 0x0fb7:
    case 0x0fbf:
      return { from: ['other'], setsFlags: false, bytes: 2, writes: 4 };
    case 0x0fba:
      return { from: ['other'], setsFlags: true };
    default:
      return undefined;
  }
}

/** How many of an operand and the flags an operation with an immediate reads. */
function withCarry(extension: number): number {
  return extension === 2 || extension === 3 ? 2 : 1;
}
