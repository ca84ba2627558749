/** Instructions of one opcode byte. */
import type { Effect, Operand } from '../instruction';
import { rax, rcx, rdi, rdx, rsi, rsp } from './registers';
import {
  type Decoded,
  type InstructionBytes,
  next,
  nothing,
  type Prefixes,
  writing,
  writingConstant,
  writingOperand,
} from './instruction-bytes';

export function oneByteEffect(reader: InstructionBytes, opcode: number, prefixes: Prefixes): Decoded {
  const { rex, isShort } = prefixes;
  const bytes = (rex & 8) !== 0 ? 8 : isShort ? 2 : 4;
  const immediate = isShort && bytes === 2 ? 2 : 4;
  const low = (opcode & 7) | ((rex & 1) << 3);
  /** The register of an 8-bit operand: without REX, 4 to 7 are the second bytes of the first four. */
  const ofByte = (register: number): number => (rex === 0 && register >= 4 && register < 8 ? register - 4 : register);
  const byteOperand = (more: number[] = []): Decoded => {
    const { operand } = reader.modRm(prefixes);
    if (operand.kind === 'memory') return writingOperand(operand, 1, ...more);
    return writing(ofByte(operand.number), ...more);
  };
  if (opcode < 0x40) return arithmetic();
  if (opcode < 0x50) throw reader.unknown();
  if (opcode < 0x58) return { effect: { kind: 'push', from: isShort ? undefined : low }, flow: pushed() };
  if (opcode < 0x60) return { effect: { kind: 'pop', to: { kind: 'register', number: low } }, flow: pushed() };
  if (opcode >= 0x70 && opcode < 0x80) return branch(1);
  if (opcode >= 0x90 && opcode < 0x98) return opcode === 0x90 && (rex & 1) === 0 ? nothing : writing(rax, low);
  if (opcode >= 0xb0 && opcode < 0xb8) {
    reader.skip(1);
    return writing(ofByte(low));
  }
  if (opcode >= 0xb8 && opcode < 0xc0) {
    return writingConstant(low, reader.unsigned(bytes), bytes);
  }
  if (opcode >= 0xd8 && opcode < 0xe0) return floatingPoint();
  switch (opcode) {
    case 0x63: {
      const { register, operand } = reader.modRm(prefixes);
      if (bytes !== 8) return writing(register);
      return { effect: copy({ kind: 'register', number: register }, operand, 4, true), flow: next };
    }
    case 0x68:
    case 0x6a:
      reader.skip(opcode === 0x68 ? immediate : 1);
      return { effect: { kind: 'push', from: undefined }, flow: pushed() };
    case 0x69:
    case 0x6b: {
      const { register } = reader.modRm(prefixes);
      reader.skip(opcode === 0x69 ? immediate : 1);
      return writing(register);
    }
    case 0x80:
    case 0x81:
    case 0x83:
      return immediateArithmetic();
    case 0x84:
    case 0x85:
      reader.modRm(prefixes);
      return nothing;
    case 0x86: {
      const { register, operand } = reader.modRm(prefixes);
      if (operand.kind === 'memory') return writingOperand(operand, 1, ofByte(register));
      return writing(ofByte(register), ofByte(operand.number));
    }
    case 0x87: {
      const { register, operand } = reader.modRm(prefixes);
      return writingOperand(operand, bytes, register);
    }
    case 0x88:
      return byteOperand();
    case 0x89:
    case 0x8b: {
      const { register, operand } = reader.modRm(prefixes);
      const own = { kind: 'register', number: register } as const;
      const [to, from] = opcode === 0x89 ? [operand, own] : [own, operand];
      if (bytes === 2) return writingOperand(to, 2);
      return { effect: copy(to, from, bytes, false), flow: next };
    }
    case 0x8a: {
      const { register } = reader.modRm(prefixes);
      return writing(ofByte(register));
    }
    case 0x8c:
      return writingOperand(reader.modRm(prefixes).operand, 8);
    case 0x8d: {
      const { register, operand } = reader.modRm(prefixes);
      if (operand.kind === 'register') throw reader.unknown();
      if (bytes !== 8) return writing(register);
      return { effect: { kind: 'address', to: register, of: operand }, flow: next };
    }
    case 0x8e:
      reader.modRm(prefixes);
      return nothing;
    case 0x8f: {
      const { operand, extension } = reader.modRm(prefixes);
      // Others are AMD's XOP.
      if (extension !== 0 || isShort) throw reader.unknown();
      return { effect: { kind: 'pop', to: operand }, flow: next };
    }
    case 0x98:
      return writing(rax);
    case 0x99:
      return writing(rdx);
    case 0x9b:
    case 0x9e:
    case 0xf5:
    case 0xf8:
    case 0xf9:
    case 0xfc:
      return nothing;
    case 0x9c:
      return { effect: { kind: 'push', from: undefined }, flow: pushed() };
    case 0x9d:
      return { effect: { kind: 'add', to: rsp, value: 8 }, flow: pushed() };
    case 0x9f:
      return writing(rax);
    case 0xa4:
    case 0xa5:
    case 0xaa:
    case 0xab:
      return { effect: { kind: 'writeString' }, flow: next };
    case 0xa6:
    case 0xa7:
    case 0xae:
    case 0xaf:
      return writing(rcx, rsi, rdi);
    case 0xa8:
    case 0xa9:
      reader.skip(opcode === 0xa8 ? 1 : immediate);
      return nothing;
    case 0xac:
    case 0xad:
      return writing(rax, rcx, rsi);
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
      return shift();
    case 0xc2:
      reader.skip(2);
      return { effect: nothing.effect, flow: { kind: 'end', isReturn: true } };
    case 0xc3:
      return { effect: nothing.effect, flow: { kind: 'end', isReturn: true } };
    case 0xc6:
    case 0xc7: {
      const { operand, extension } = reader.modRm(prefixes);
      // Others begin and end transactions.
      if (extension !== 0) throw reader.unknown();
      if (opcode === 0xc7 && operand.kind === 'register' && bytes !== 2)
        return writingConstant(operand.number, BigInt(reader.signed(4)), bytes);
      reader.skip(opcode === 0xc6 ? 1 : immediate);
      if (operand.kind === 'register') return writing(opcode === 0xc6 ? ofByte(operand.number) : operand.number);
      return writingOperand(operand, opcode === 0xc6 ? 1 : bytes);
    }
    case 0xc9:
      return { effect: { kind: 'leave' }, flow: pushed() };
    case 0xe3:
      return branch(1);
    case 0xe0:
    case 0xe1:
    case 0xe2:
      return { ...branch(1), effect: writing(rcx).effect };
    case 0xe8:
      return { effect: nothing.effect, flow: { kind: 'call', target: reader.signed(4) } };
    case 0xe9:
      return { effect: nothing.effect, flow: { kind: 'jump', target: reader.signed(4) } };
    case 0xeb:
      return { effect: nothing.effect, flow: { kind: 'jump', target: reader.signed(1) } };
    case 0xf4:
      return { effect: nothing.effect, flow: { kind: 'end', isReturn: false } };
    case 0xf6:
    case 0xf7:
      return unary();
    case 0xfe:
      return byteOperand();
    case 0xff:
      return group();
    default:
      throw reader.unknown();
  }

  function pushed() {
    // 16 bits on the stack are nobody's way to save a register.
    if (isShort) throw reader.unknown();
    return next;
  }

  function branch(size: 1 | 4): Decoded {
    return { effect: nothing.effect, flow: { kind: 'branch', target: reader.signed(size) } };
  }

  function arithmetic(): Decoded {
    const isCompare = opcode >> 3 === 7;
    switch (opcode & 7) {
      case 0: {
        if (!isCompare) return byteOperand();
        reader.modRm(prefixes);
        return nothing;
      }
      case 1: {
        const { register, operand } = reader.modRm(prefixes);
        if (opcode === 0x31 && operand.kind === 'register' && operand.number === register)
          return writingConstant(register, 0n, bytes);
        return isCompare ? nothing : writingOperand(operand, bytes);
      }
      case 2:
      case 3: {
        const { register } = reader.modRm(prefixes);
        return isCompare ? nothing : writing((opcode & 7) === 2 ? ofByte(register) : register);
      }
      case 4:
      case 5: {
        // add and sub
        if (bytes === 8 && (opcode === 0x05 || opcode === 0x2d)) {
          const value = reader.signed(4);
          return { effect: { kind: 'add', to: rax, value: opcode === 0x05 ? value : -value }, flow: next };
        }
        reader.skip((opcode & 7) === 4 ? 1 : immediate);
        return isCompare ? nothing : writing(rax);
      }
      default:
        throw reader.unknown();
    }
  }

  function immediateArithmetic(): Decoded {
    const { operand, extension } = reader.modRm(prefixes);
    const isWord = opcode === 0x81 && immediate === 2;
    const value = isWord ? 0 : reader.signed(opcode === 0x81 ? 4 : 1);
    if (isWord) reader.skip(2);
    if (extension === 7) return nothing;
    if (operand.kind === 'register' && opcode !== 0x80 && bytes === 8 && (extension === 0 || extension === 5))
      return {
        effect: { kind: 'add', to: operand.number, value: extension === 0 ? value : -value },
        flow: next,
      };
    if (opcode !== 0x80) return writingOperand(operand, bytes);
    return operand.kind === 'register' ? writing(ofByte(operand.number)) : writingOperand(operand, 1);
  }

  function shift(): Decoded {
    const { operand } = reader.modRm(prefixes);
    if (opcode < 0xd0) reader.immediate = reader.byte();
    if ((opcode & 1) === 1) return writingOperand(operand, bytes);
    return operand.kind === 'register' ? writing(ofByte(operand.number)) : writingOperand(operand, 1);
  }

  function unary(): Decoded {
    const isByte = opcode === 0xf6;
    const { operand, extension } = reader.modRm(prefixes);
    if (extension < 2) {
      reader.skip(isByte ? 1 : immediate);
      return nothing;
    }
    if (extension >= 4) return writing(rax, rdx);
    if (isByte && operand.kind === 'register') return writing(ofByte(operand.number));
    return writingOperand(operand, isByte ? 1 : bytes);
  }

  function group(): Decoded {
    const { operand, extension } = reader.modRm(prefixes);
    switch (extension) {
      case 0:
      case 1:
        return writingOperand(operand, bytes);
      case 2:
        return { effect: nothing.effect, flow: { kind: 'indirectCall', through: operand } };
      case 4:
        return { effect: nothing.effect, flow: { kind: 'indirectJump', through: operand } };
      case 6:
        return {
          effect: { kind: 'push', from: operand.kind === 'register' ? operand.number : undefined },
          flow: pushed(),
        };
      default:
        throw reader.unknown();
    }
  }

  function floatingPoint(): Decoded {
    const { operand } = reader.modRm(prefixes);
    // A register: of the floating-point unit, except fnstsw, which writes ax.
    return operand.kind === 'register' ? writing(...(opcode === 0xdf ? [rax] : [])) : writingOperand(operand, 108);
  }
}

function copy(to: Operand, from: Operand, bytes: 4 | 8, isExtended: boolean): Effect {
  return { kind: 'copy', to, from, bytes, isExtended };
}
