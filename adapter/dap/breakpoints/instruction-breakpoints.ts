/** Breakpoints at machine instructions: each in the one rank that its reference names. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Job } from '../../job/job';
import { RuleError } from './breakpoint-rules';
import { withRules, type UserBreakpoints } from './breakpoints';
import { memoryReference, type MemoryReferences } from '../references/memory-references';

export class InstructionBreakpoints {
  constructor(
    private readonly job: Job,
    private readonly references: MemoryReferences,
    private readonly breakpoints: UserBreakpoints,
  ) {}

  async set(
    args: DebugProtocol.SetInstructionBreakpointsArguments,
  ): Promise<DebugProtocol.SetInstructionBreakpointsResponse['body']> {
    return this.breakpoints.inTurn(async () => {
      const kept = await Promise.all(
        args.breakpoints.map(({ instructionReference, offset }) =>
          this.references.kept('setInstructionBreakpoints', instructionReference, offset),
        ),
      );
      const wanted = kept.map(({ rank, address }, i) =>
        address === undefined
          ? new RuleError(`the code of ${rank.label} has moved in the restart: set it again`)
          : withRules({ kind: 'instruction', rank, instruction: address }, args.breakpoints[i] ?? {}),
      );
      const made = await this.breakpoints.set(wanted, (requests) => this.job.breakpoints.replaceInstructions(requests));
      return {
        breakpoints: made.breakpoints.map((each, i) => {
          const { rank, address } = kept[i]!;
          return address === undefined ? each : { ...each, instructionReference: memoryReference(rank, address) };
        }),
      };
    });
  }
}
