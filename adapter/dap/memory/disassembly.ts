/** disassemble: instructions around an address, of which there may be too few on either side. */
import { basename } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { usualProcessor } from '../../../plugin-api/processor/known/processors';
import { dataDisassemble, type Instruction } from '../../gdb/mi/data-manipulation';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { RankThread } from '../../job/rank';
import type { MemoryReferences } from '../references/memory-references';

/** In bytes; the instructions of other processors are shorter. */
const maxInstructionLength = BigInt(usualProcessor.maxInstructionLength);
/** How often to look for the function before another one. */
const maxFunctions = 50;

export class Disassembly {
  constructor(private readonly references: MemoryReferences) {}

  async disassemble(
    args: DebugProtocol.DisassembleArguments,
  ): Promise<NonNullable<DebugProtocol.DisassembleResponse['body']>> {
    const { thread, address } = await this.references.locate('disassemble', args.memoryReference, args.offset);
    const first = args.instructionOffset ?? 0;
    const before = first < 0 ? await instructionsBefore(thread, address, -first) : [];
    const after = await instructionsFrom(thread, address, Math.max(0, first + args.instructionCount));
    const wanted: (Instruction | undefined)[] = [];
    for (let i = first; i < first + args.instructionCount; i++) wanted.push(i < 0 ? before.at(i) : after[i]);
    return { instructions: wanted.map((each) => describe(each)) };
  }
}

/** At most `count`, ascending, up to the one before the address: the bytes between functions are not code. */
async function instructionsBefore(thread: RankThread, address: bigint, count: number): Promise<Instruction[]> {
  let found: Instruction[] = [];
  let end = address;
  for (let i = 0; i < maxFunctions && found.length < count; i++) {
    const around = await orNone(dataDisassemble(thread, { around: i === 0 ? end : end - 1n }));
    const part = ascending(around).filter((each) => each.address < end);
    const [low] = part;
    if (low === undefined) {
      if (i > 0) break;
      continue;
    }
    found = [...part, ...found];
    end = low.address;
  }
  return found.slice(-count);
}

async function instructionsFrom(thread: RankThread, address: bigint, count: number): Promise<Instruction[]> {
  // Where memory ends gdb refuses the whole range: the half of it is tried.
  for (let length = count; length > 0; length = Math.floor(length / 2)) {
    const to = address + BigInt(length) * maxInstructionLength;
    const found = ascending(await orNone(dataDisassemble(thread, { from: address, to })));
    if (found.length > 0) return found.slice(0, count);
  }
  return [];
}

/** gdb sorts the answer by source lines. */
function ascending(instructions: readonly Instruction[]): Instruction[] {
  return [...instructions].sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0));
}

async function orNone(instructions: Promise<Instruction[]>): Promise<Instruction[]> {
  try {
    return await instructions;
  } catch (error) {
    if (error instanceof GdbError) return [];
    throw error;
  }
}

function describe(instruction: Instruction | undefined): DebugProtocol.DisassembledInstruction {
  if (instruction === undefined) return { address: '0x0', instruction: '(no code here)', presentationHint: 'invalid' };
  const { address, text, bytes, file, line } = instruction;
  return {
    address: `0x${address.toString(16)}`,
    instruction: text,
    ...(bytes === '' ? {} : { instructionBytes: bytes }),
    ...(instruction.function === undefined ? {} : { symbol: instruction.function }),
    ...(file === undefined || line === undefined ? {} : { location: { name: basename(file), path: file }, line }),
  };
}
