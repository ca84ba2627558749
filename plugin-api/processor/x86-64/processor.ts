/** x86-64 with the conventions of System V and Linux. */
import type { Processor } from '../processor';
import { decode, maxInstructionLength } from './decode';
import { references } from './references';
import { argumentRegisters, r10, rax, rdi, rdx, rsi, rsp, savedRegisters, scratchRegisters } from './registers';
import { signalFrame } from './signal-frame';
import { systemCalls } from './system-calls';
import { generalRegisters } from './user-registers';

const names = [
  ...['rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi'],
  ...['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'],
];

export const x86: Processor = {
  name: 'x86-64',
  elfMachine: 62,
  registerCount: names.length,
  stackPointer: rsp,
  result: rax,
  argumentRegisters,
  keptByCalls: savedRegisters,
  lostByCalls: scratchRegisters,
  systemCallArguments: [rdi, rsi, rdx, r10, 8, 9],
  systemCallInstruction: Uint8Array.of(0x0f, 0x05),
  systemCalls,
  dwarfNumbers: [0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15],
  dwarfProgramCounter: 16,
  namesInGdb: { registers: names, threadPointer: 'fs_base' },
  architectureInGdb: 'i386:x86-64',
  maxInstructionLength,
  signalFrame,
  references,
  decode,
  registersOf: generalRegisters,
};
