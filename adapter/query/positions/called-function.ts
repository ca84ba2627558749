/** Which function a call leads to, over the tables that link libraries. */
import type { Module, ProcessImage, Symbol } from '../../../plugin-api/image';
import { readPointer } from '../../../plugin-api/memory';
import { FaultError } from '../../../plugin-api/result';
import { ModuleCode } from '../../../plugin-api/processor/code/code';
import { UnknownInstructionError } from '../../../plugin-api/processor/instruction';

/** The calls that programs and libraries make are e8 and ff 15, with 4 bytes. */
const maxCallLength = 6;

/**
 * The function that was called by the instruction before this return address, also when another one has taken its place since.
 * undefined: the call does not tell.
 */
export async function calledFunction(image: ProcessImage, returnAddress: bigint): Promise<Symbol | undefined> {
  try {
    const bytes = await image.readMemory(returnAddress - BigInt(maxCallLength), maxCallLength);
    const to = returnAddress + BigInt(new DataView(bytes.buffer, bytes.byteOffset).getInt32(2, true));
    const isDirect = bytes[1] === 0xe8;
    if (!isDirect && (bytes[0] !== 0xff || bytes[1] !== 0x15)) return undefined;
    const called = isDirect ? ((await behindPlt(image, to)) ?? to) : await readPointer(image, to);
    const symbol = await image.symbolAt(called);
    return symbol?.address === called ? { ...symbol, name: withoutVersion(symbol.name) } : undefined;
  } catch (error) {
    if (error instanceof FaultError || error instanceof UnknownInstructionError) return undefined;
    throw error;
  }
}

/** A symbol may have one: MPI_RECV@MPIDBG. */
export function withoutVersion(name: string): string {
  return name.replace(/(?<=\w)@.*$/, '');
}

/** Where an entry of a procedure linkage table leads; undefined: it is none. */
export async function behindPlt(image: ProcessImage, address: bigint): Promise<bigint | undefined> {
  const module = await moduleAt(image, address);
  if (module === undefined) return undefined;
  const code = new ModuleCode(image, module);
  let at = Number(address - module.bias);
  let instruction = await code.instructionAt(at);
  // endbr64
  if (instruction.flow.kind === 'next' && instruction.length === 4) instruction = await code.instructionAt((at += 4));
  const { flow, length } = instruction;
  if (flow.kind !== 'indirectJump' || flow.through.kind !== 'memory' || !flow.through.isRelative) return undefined;
  return readPointer(image, module.bias + BigInt(at + length + flow.through.displacement));
}

export async function moduleAt(image: ProcessImage, address: bigint): Promise<Module | undefined> {
  const modules = await image.modules();
  return modules.find(({ segments }) =>
    segments.some((segment) => segment.address <= address && address < segment.address + BigInt(segment.size)),
  );
}
