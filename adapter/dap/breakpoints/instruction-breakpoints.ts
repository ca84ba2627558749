/** Breakpoints at machine instructions: each in the one rank that its reference names. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { languageOf } from '../../expressions/frames';
import { codeAroundAddress, type CodeAround } from '../../gdb/mi/breakpoint-commands';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { Job } from '../../job/job';
import type { Rank } from '../../job/rank';
import { RuleError } from './breakpoint-rules';
import type { UserBreakpoints } from './breakpoints';
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
      const wanted = await Promise.all(
        kept.map(async ({ rank, address }, i) => {
          if (address === undefined)
            return new RuleError(`the code of ${rank.label} has moved in the restart: set it again`);
          const code = await codeAt(rank, address);
          const where = { kind: 'instruction', rank, instruction: address } as const;
          return this.breakpoints.requestIn(
            { ...code, language: languageOf({ file: code.file }) },
            where,
            args.breakpoints[i] ?? {},
          );
        }),
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

/** Nothing is known of it while the rank runs, or without debug information. */
async function codeAt(rank: Rank, address: bigint): Promise<Partial<CodeAround>> {
  const [thread] = rank.threads;
  try {
    return thread === undefined ? {} : await codeAroundAddress(thread, address);
  } catch (error) {
    if (error instanceof GdbError) return {};
    throw error;
  }
}
