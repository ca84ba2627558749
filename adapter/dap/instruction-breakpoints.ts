/** Breakpoints at machine instructions: each in the one rank that its reference names. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Job } from '../job/job';
import { withRules, type UserBreakpoints } from './breakpoints';
import { memoryReference, type MemoryReferences } from './memory-references';

export class InstructionBreakpoints {
  constructor(
    private readonly job: Job,
    private readonly references: MemoryReferences,
    private readonly breakpoints: UserBreakpoints,
  ) {}

  async set(
    args: DebugProtocol.SetInstructionBreakpointsArguments,
  ): Promise<DebugProtocol.SetInstructionBreakpointsResponse['body']> {
    const located = args.breakpoints.map(({ instructionReference, offset }) =>
      this.references.locate('setInstructionBreakpoints', instructionReference, offset),
    );
    const wanted = located.map(({ rank, address }, i) =>
      withRules({ rank, instruction: address }, args.breakpoints[i] ?? {}),
    );
    const made = await this.breakpoints.inTurn(() =>
      this.breakpoints.set(wanted, (requests) => this.job.breakpoints.replaceInstructions(requests)),
    );
    return {
      breakpoints: made.breakpoints.map((each, i) => ({
        ...each,
        instructionReference: memoryReference(located[i]!.rank, located[i]!.address),
      })),
    };
  }
}
