/** SSE, AVX and AVX-512: which of them write general-purpose registers or memory, and which have an immediate byte. */
import { rcx } from './registers';
import { type Decoded, type InstructionBytes, type ModRm, nothing, writing, writingOperand } from './instruction-bytes';

const maxVectorBytes = 64;

export interface VectorOpcode {
  map: number;
  opcode: number;
  hasRepeatF3: boolean;
  modRm: () => ModRm;
  /** The register beside the two of ModRM, where the encoding has one. */
  third?: number;
}

/** VEX and EVEX: `first` is c4, c5 or 62. */
export function vectorEffect(reader: InstructionBytes, first: number): Decoded {
  const one = reader.byte();
  let map = 1;
  let rex = (~one >> 5) & 4;
  let last = one;
  if (first !== 0xc5) {
    map = first === 0xc4 ? one & 0x1f : one & 7;
    // Inverted: they are R, X and B.
    rex = (~one >> 5) & 7;
    last = reader.byte();
  }
  if (first === 0x62) reader.byte();
  const opcode = reader.byte();
  const third = (~last >> 3) & 15;
  const plain = { rex, isSegment: false, isAddress32: false };
  // A displacement of EVEX is scaled by what the instruction reads.
  const modRm = (): ModRm => reader.modRm(plain, first !== 0x62);
  if (map === 1 && opcode === 0x77 && first !== 0x62) return nothing;
  if (first !== 0x62) {
    const onBits = bitOperation(map, opcode, third, modRm, reader);
    if (onBits !== undefined) return onBits;
  }
  if (map === 0 || map === 4 || map > 6) throw reader.unknown();
  return ofVectorMap(reader, { map, opcode, hasRepeatF3: (last & 3) === 2, modRm, third });
}

/** BMI, and the masks of AVX-512, on general-purpose registers. */
function bitOperation(
  map: number,
  opcode: number,
  third: number,
  modRm: () => ModRm,
  reader: InstructionBytes,
): Decoded | undefined {
  if (map === 2 && opcode >= 0xf2 && opcode <= 0xf7) {
    const { register } = modRm();
    return writing(register, third);
  }
  if (map === 3 && opcode === 0xf0) {
    const { register } = modRm();
    reader.skip(1);
    return writing(register);
  }
  if (map === 1 && (opcode === 0x91 || opcode === 0x93)) {
    const { register, operand } = modRm();
    return opcode === 0x93 ? writing(register) : writingOperand(operand, 8);
  }
  return undefined;
}

export function ofVectorMap(reader: InstructionBytes, { map, opcode, hasRepeatF3, modRm }: VectorOpcode): Decoded {
  // emms
  if (map === 1 && opcode === 0x77) return nothing;
  const { register, operand } = modRm();
  if (map === 3 || (map === 1 && immediates.has(opcode))) reader.skip(1);
  if (operand.kind === 'memory') {
    const isStore = !operand.isExact || stores[map]?.has(opcode) === true;
    const isLoad = map === 1 && opcode === 0x7e && hasRepeatF3;
    const result = toRegister[map]?.has(opcode) === true ? [register] : [];
    const counted = map === 3 && (opcode === 0x61 || opcode === 0x63) ? [rcx] : [];
    if (isStore && !isLoad) return writingOperand(operand, maxVectorBytes, ...result, ...counted);
    return writing(...result, ...counted);
  }
  if (map === 1 && opcode === 0x7e) return hasRepeatF3 ? nothing : writing(operand.number);
  if (map === 3 && opcode >= 0x14 && opcode <= 0x17) return writing(operand.number);
  // pcmpestri and pcmpistri
  if (map === 3 && (opcode === 0x61 || opcode === 0x63)) return writing(rcx);
  // maskmovq
  if (map === 1 && opcode === 0xf7) return { effect: { kind: 'writeString' }, flow: nothing.flow };
  return toRegister[map]?.has(opcode) === true ? writing(register) : nothing;
}

const immediates = new Set([0x70, 0x71, 0x72, 0x73, 0xc2, 0xc4, 0xc5, 0xc6]);

/** From vectors to general-purpose registers. */
const toRegister: Readonly<Record<number, ReadonlySet<number>>> = {
  1: new Set([0x2c, 0x2d, 0x50, 0x78, 0x79, 0xc5, 0xd7]),
};

const stores: Readonly<Record<number, ReadonlySet<number>>> = {
  1: new Set([0x11, 0x13, 0x17, 0x29, 0x2b, 0x7e, 0x7f, 0xd6, 0xe7]),
  2: new Set([0x2e, 0x2f, 0x8e]),
  3: new Set([0x14, 0x15, 0x16, 0x17, 0x19, 0x1d, 0x39]),
};
