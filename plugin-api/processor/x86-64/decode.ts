/** x86-64 instructions: how long each is, and what it does to the general-purpose registers and to memory. */
import { oneByteEffect } from './one-byte-opcodes';
import { twoByteEffect } from './two-byte-opcodes';
import { vectorEffect } from './vector-opcodes';
import { InstructionBytes, type Prefixes } from './instruction-bytes';
import { type Instruction, type InstructionForm, UnknownInstructionError } from '../instruction';

/** No instruction is longer. */
export const maxInstructionLength = 15;

/** The instruction at the beginning of the bytes. Throws UnknownInstructionError. */
export function decode(bytes: Uint8Array): Instruction {
  const reader = new InstructionBytes(bytes);
  const prefixes = readPrefixes(reader);
  const opcode = reader.byte();
  const second = opcode === 0x0f ? reader.peek() : undefined;
  const decoded = opcode === 0x0f ? twoByteEffect(reader, prefixes) : decodeOther(reader, opcode, prefixes);
  if (reader.length > maxInstructionLength) throw new UnknownInstructionError(bytes);
  const { flow } = decoded;
  const isRelative = flow.kind === 'branch' || flow.kind === 'jump' || flow.kind === 'call';
  return {
    length: reader.length,
    form: formOf(opcode, second, prefixes, reader),
    effect: decoded.effect,
    flow: isRelative ? { ...flow, target: flow.target + reader.length } : flow,
  };
}

function formOf(
  opcode: number,
  second: number | undefined,
  { rex, isShort }: Prefixes,
  { operands, immediate }: InstructionBytes,
): InstructionForm {
  const isLong = isVector(opcode) || second === 0x38 || second === 0x3a;
  return {
    opcode: isLong ? undefined : second === undefined ? opcode : 0x0f00 | second,
    bytes: (rex & 8) !== 0 ? 8 : isShort ? 2 : 4,
    ...(operands === undefined ? {} : { operands }),
    ...(immediate === undefined ? {} : { immediate }),
  };
}

/** In 64-bit code they begin nothing else. */
function isVector(opcode: number): boolean {
  return opcode === 0xc4 || opcode === 0xc5 || opcode === 0x62;
}

function decodeOther(reader: InstructionBytes, opcode: number, prefixes: Prefixes) {
  return isVector(opcode) ? vectorEffect(reader, opcode) : oneByteEffect(reader, opcode, prefixes);
}

function readPrefixes(reader: InstructionBytes): Prefixes {
  const prefixes: Prefixes = { rex: 0, isShort: false, repeat: 0, isSegment: false, isAddress32: false };
  for (;;) {
    const byte = reader.peek();
    if (byte === 0x66) prefixes.isShort = true;
    else if (byte === 0x67) prefixes.isAddress32 = true;
    else if (byte === 0xf2 || byte === 0xf3) prefixes.repeat = byte;
    else if (byte === 0x64 || byte === 0x65) prefixes.isSegment = true;
    else if (byte !== 0x2e && byte !== 0x36 && byte !== 0x3e && byte !== 0x26 && byte !== 0xf0) break;
    reader.byte();
  }
  // Only right before the opcode it counts.
  if (reader.peek() >> 4 === 4) prefixes.rex = reader.byte();
  return prefixes;
}
