/** Instructions whose opcode begins with 0f: branches, bit operations, SSE. */
import { rax, rbx, rcx, rdi, rdx, rsp } from './registers';
import {
  type Decoded,
  type InstructionBytes,
  next,
  nothing,
  type Prefixes,
  writing,
  writingOperand,
} from './instruction-bytes';
import { ofVectorMap } from './vector-opcodes';

const r11 = 11;

export function twoByteEffect(reader: InstructionBytes, prefixes: Prefixes): Decoded {
  const { rex, isShort, repeat } = prefixes;
  const bytes = (rex & 8) !== 0 ? 8 : isShort ? 2 : 4;
  const opcode = reader.byte();
  if (opcode === 0x38 || opcode === 0x3a) return ofLongOpcode(opcode === 0x38 ? 2 : 3);
  if (opcode >= 0x40 && opcode < 0x50) return writing(reader.modRm(prefixes).register);
  if (opcode >= 0x80 && opcode < 0x90)
    return { effect: nothing.effect, flow: { kind: 'branch', target: reader.signed(4) } };
  if (opcode >= 0x90 && opcode < 0xa0) {
    const { operand } = reader.modRm(prefixes);
    return operand.kind === 'register' ? writing(ofByte(operand.number)) : writingOperand(operand, 1);
  }
  if (opcode >= 0xc8 && opcode < 0xd0) return writing((opcode & 7) | ((rex & 1) << 3));
  switch (opcode) {
    case 0x01:
      return system();
    case 0x05:
      return writing(rax, rcx, r11);
    case 0x0b:
      return { effect: nothing.effect, flow: { kind: 'end', isReturn: false } };
    case 0x0d:
    case 0x18:
    case 0x19:
    case 0x1a:
    case 0x1b:
    case 0x1c:
    case 0x1d:
    case 0x1f:
      reader.modRm(prefixes);
      return nothing;
    case 0x1e: {
      // rdsspq is a nop where there is no shadow stack; endbr64 is one everywhere.
      const { operand } = reader.modRm(prefixes);
      return operand.kind === 'register' && repeat === 0xf3 ? writing(operand.number) : nothing;
    }
    case 0x31:
      return writing(rax, rdx);
    case 0xa0:
    case 0xa8:
      return { effect: { kind: 'push', from: undefined }, flow: next };
    case 0xa1:
    case 0xa9:
      return { effect: { kind: 'add', to: rsp, value: 8 }, flow: next };
    case 0xa2:
      return writing(rax, rbx, rcx, rdx);
    case 0xa3:
      reader.modRm(prefixes);
      return nothing;
    case 0xa4:
    case 0xac: {
      const { operand } = reader.modRm(prefixes);
      reader.skip(1);
      return writingOperand(operand, bytes);
    }
    case 0xa5:
    case 0xad:
      return writingOperand(reader.modRm(prefixes).operand, bytes);
    case 0xab:
    case 0xb3:
    case 0xbb: {
      // Its number may lead to a place beside a memory operand.
      const { operand } = reader.modRm(prefixes);
      return operand.kind === 'memory' ? writingOperand({ ...operand, isExact: false }, 8) : writing(operand.number);
    }
    case 0xae: {
      const { operand } = reader.modRm(prefixes);
      // Fences; rdfsbase and its like write.
      return operand.kind === 'register' ? writing(...(repeat === 0xf3 ? [operand.number] : [])) : stateSaved(operand);
    }
    case 0xaf:
    case 0xb6:
    case 0xb7:
    case 0xb8:
    case 0xbc:
    case 0xbd:
    case 0xbe:
    case 0xbf:
      return writing(reader.modRm(prefixes).register);
    case 0xb0:
    case 0xb1: {
      const { operand } = reader.modRm(prefixes);
      const isByte = opcode === 0xb0;
      if (isByte && operand.kind === 'register') return writing(rax, ofByte(operand.number));
      return writingOperand(operand, isByte ? 1 : bytes, rax);
    }
    case 0xba: {
      const { operand, extension } = reader.modRm(prefixes);
      reader.skip(1);
      return extension === 4 ? nothing : writingOperand(operand, bytes);
    }
    case 0xc0:
    case 0xc1: {
      const { register, operand } = reader.modRm(prefixes);
      const isByte = opcode === 0xc0;
      const own = isByte ? ofByte(register) : register;
      if (isByte && operand.kind === 'register') return writing(own, ofByte(operand.number));
      return writingOperand(operand, isByte ? 1 : bytes, own);
    }
    case 0xc3:
      return writingOperand(reader.modRm(prefixes).operand, bytes);
    case 0xc7: {
      const { operand } = reader.modRm(prefixes);
      return operand.kind === 'register' ? writing(operand.number) : stateSaved(operand, rax, rdx);
    }
    default:
      if (!isVector(opcode)) throw reader.unknown();
      return ofVectorMap(reader, { map: 1, opcode, hasRepeatF3: repeat === 0xf3, modRm: () => reader.modRm(prefixes) });
  }

  function ofByte(register: number): number {
    return rex === 0 && register >= 4 && register < 8 ? register - 4 : register;
  }

  function ofLongOpcode(map: 2 | 3): Decoded {
    const third = reader.byte();
    // movbe and crc32; adcx and adox.
    if (map === 2 && (third === 0xf0 || third === 0xf1)) {
      const { register, operand } = reader.modRm(prefixes);
      return third === 0xf1 && repeat !== 0xf2 ? writingOperand(operand, bytes) : writing(register);
    }
    if (map === 2 && third === 0xf6) return writing(reader.modRm(prefixes).register);
    return ofVectorMap(reader, {
      map,
      opcode: third,
      hasRepeatF3: repeat === 0xf3,
      modRm: () => reader.modRm(prefixes),
    });
  }

  /** xgetbv, rdtscp, monitor and their like. */
  function system(): Decoded {
    const { operand } = reader.modRm(prefixes);
    return operand.kind === 'register' ? writing(rax, rbx, rcx, rdx, rdi) : stateSaved(operand);
  }
}

function stateSaved(operand: Parameters<typeof writingOperand>[0], ...registers: number[]): Decoded {
  return writingOperand(operand, maxStateBytes, ...registers);
}

/** What xsave writes, at most. */
const maxStateBytes = 16384;

/** MMX, SSE and SSE2: no other opcode of this map is in programs. */
function isVector(opcode: number): boolean {
  return (
    (opcode >= 0x10 && opcode < 0x18) ||
    (opcode >= 0x28 && opcode < 0x30) ||
    (opcode >= 0x50 && opcode < 0x80) ||
    opcode === 0xc2 ||
    (opcode >= 0xc4 && opcode < 0xc7) ||
    opcode >= 0xd0
  );
}
