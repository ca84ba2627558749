/**
 * What the library's machine code refers to, where no symbol tells. Only x86-64 is read: on another machine nothing is
 * found. The bytes are not taken apart into instructions: what is found may be part of another one, so whoever asks must
 * have a way to tell.
 */
import type { Module, ProcessImage, Segment } from '../../image';
import { guard } from '../../result';

/** call with a relative address; leaq of an address relative to the instruction, REX prefix first; movl likewise; cmpl. */
const opcodes = { call: 0xe8, lea: 0x8d, rexMask: 0xfb, rexWide: 0x48, load: 0x8b, compareEax: 0x3d, compare: 0x81 };
const modeMask = 0xc7;
const relativeMode = 0x05;
const compareMode = 0xf8;
/** A word is compared so soon after it is loaded: a stack protector's instructions may lie between. */
const nearby = 48;

interface Code {
  address: bigint;
  bytes: DataView;
}

/** Where the code calls, inside the module. */
export function callsIn({ address, bytes }: Code, module: Module): bigint[] {
  const calls: bigint[] = [];
  for (let at = 0; at + 5 <= bytes.byteLength; at++) {
    if (bytes.getUint8(at) !== opcodes.call) continue;
    const target = targetAt(address, bytes, at + 1);
    if (segmentOf(module, target)?.executable === true) calls.push(target);
  }
  return calls;
}

/** The addresses of constants of the module that the code takes. */
export function constantsIn({ address, bytes }: Code, module: Module): bigint[] {
  const constants: bigint[] = [];
  for (let at = 0; at + 7 <= bytes.byteLength; at++) {
    const isLoad =
      (bytes.getUint8(at) & opcodes.rexMask) === opcodes.rexWide &&
      bytes.getUint8(at + 1) === opcodes.lea &&
      (bytes.getUint8(at + 2) & modeMask) === relativeMode;
    if (!isLoad) continue;
    const target = targetAt(address, bytes, at + 3);
    if (segmentOf(module, target)?.writable === false) constants.push(target);
  }
  return constants;
}

/** The addresses of the module's 32-bit variables that the code loads and then compares with a constant. */
export function variablesComparedWith({ address, bytes }: Code, module: Module, constant: number): bigint[] {
  const variables: bigint[] = [];
  for (let at = 0; at + 6 <= bytes.byteLength; at++) {
    if (bytes.getUint8(at) !== opcodes.load || (bytes.getUint8(at + 1) & modeMask) !== relativeMode) continue;
    const register = (bytes.getUint8(at + 1) >> 3) & 7;
    const target = targetAt(address, bytes, at + 2);
    if (segmentOf(module, target)?.writable === true && isComparedIn(bytes, at + 6, register, constant))
      variables.push(target);
  }
  return variables;
}

function isComparedIn(bytes: DataView, start: number, register: number, constant: number): boolean {
  const end = Math.min(start + nearby, bytes.byteLength - 6);
  for (let at = start; at <= end; at++) {
    const isCompare = bytes.getUint8(at) === opcodes.compare && bytes.getUint8(at + 1) === compareMode + register;
    if (isCompare && bytes.getInt32(at + 2, true) === constant) return true;
    const isOfEax = register === 0 && bytes.getUint8(at) === opcodes.compareEax;
    if (isOfEax && bytes.getInt32(at + 1, true) === constant) return true;
  }
  return false;
}

/** An address relative to the end of its four bytes, which end the instruction. */
function targetAt(address: bigint, bytes: DataView, at: number): bigint {
  return address + BigInt(at + 4) + BigInt(bytes.getInt32(at, true));
}

function segmentOf({ segments }: Module, address: bigint): Segment | undefined {
  return segments.find((s) => address >= s.address && address < s.address + BigInt(s.size));
}

/** At most `length` bytes of the module's code; undefined where there is none that can be read. */
export async function codeAt(
  image: ProcessImage,
  module: Module,
  address: bigint,
  length: number,
): Promise<Code | undefined> {
  const segment = segmentOf(module, address);
  if (segment === undefined || !segment.executable) return undefined;
  const left = Number(segment.address + BigInt(segment.size) - address);
  const read = await guard(() => image.readMemory(address, Math.min(length, left)));
  if (!read.ok) return undefined;
  return { address, bytes: new DataView(read.value.buffer, read.value.byteOffset, read.value.byteLength) };
}
