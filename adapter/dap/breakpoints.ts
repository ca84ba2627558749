/** The user's breakpoints: what the client asks for, and what becomes of them. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Job } from '../job/job';
import type { Breakpoint, BreakpointRequest } from '../job/breakpoints';
import { functionAt } from '../gdb/breakpoint-commands';
import { GdbError } from '../gdb/mi-connection';
import { withFortranVariables } from '../query/fortran-names';
import { languageOf } from '../query/frames';
import type { Client } from './connection';
import { wrongArguments } from './errors';

export class UserBreakpoints {
  /** Requests are answered one after another: two for one file must not overtake each other. */
  private queue: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly job: Job,
    client: Client,
  ) {
    job.breakpoints.on('changed', (breakpoint) =>
      client.send('breakpoint', { reason: 'changed', breakpoint: describe(breakpoint) }),
    );
  }

  async setInSource(
    args: DebugProtocol.SetBreakpointsArguments,
  ): Promise<DebugProtocol.SetBreakpointsResponse['body']> {
    const file = args.source?.path;
    if (file === undefined) throw wrongArguments('setBreakpoints', 'the source needs a path');
    const wanted: readonly DebugProtocol.SourceBreakpoint[] =
      args.breakpoints ?? (args.lines ?? []).map((line) => ({ line }));
    return this.inTurn(async () =>
      this.job.breakpoints.replaceInFile(
        file,
        await Promise.all(
          wanted.map(async ({ line, condition }) => ({
            file,
            line,
            ...conditionOf(condition && (await this.conditionForGdb(file, line, condition))),
          })),
        ),
      ),
    );
  }

  async setOnFunctions(
    args: DebugProtocol.SetFunctionBreakpointsArguments,
  ): Promise<DebugProtocol.SetFunctionBreakpointsResponse['body']> {
    return this.inTurn(() =>
      this.job.breakpoints.replaceFunctions(
        args.breakpoints.map(({ name, condition }) => ({ function: name, ...conditionOf(condition) })),
      ),
    );
  }

  /** In Fortran `rank == 2` is a syntax error to gdb, `heat::rank == 2` is not: see withFortranVariables. */
  private async conditionForGdb(file: string, line: number, condition: string): Promise<string> {
    const [gdb] = this.job.gdbs;
    const isPlain = languageOf({ file }) !== 'fortran' || withFortranVariables(condition, 'any') === condition;
    if (gdb === undefined || isPlain) return condition;
    try {
      return withFortranVariables(condition, await functionAt(gdb, file, line));
    } catch (error) {
      if (error instanceof GdbError) return condition;
      throw error;
    }
  }

  private async inTurn(
    set: () => Promise<readonly Breakpoint[]>,
  ): Promise<{ breakpoints: DebugProtocol.Breakpoint[] }> {
    const result = this.queue.then(set);
    this.queue = result.catch(() => undefined);
    return { breakpoints: (await result).map(describe) };
  }
}

function conditionOf(condition: string | undefined): Pick<BreakpointRequest, 'condition'> {
  return condition === undefined || condition.trim() === '' ? {} : { condition };
}

function describe(breakpoint: Breakpoint): DebugProtocol.Breakpoint {
  const { id, verified, message, request } = breakpoint;
  const line = breakpoint.line ?? ('line' in request ? request.line : undefined);
  return {
    id,
    verified,
    ...(message === undefined ? {} : { message }),
    ...(line === undefined ? {} : { line }),
    ...('file' in request ? { source: { path: request.file } } : {}),
  };
}
