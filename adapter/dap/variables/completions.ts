/** What could be written next in the debug console: variables, members, MPI's names, commands. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { GdbError } from '../../gdb/mi/mi-connection';
import { stackListNames } from '../../gdb/mi/stack-manipulation';
import { completeCommand, completeExpression } from '../../gdb/mi/symbol-query';
import type { JobQueries } from '../../query/job-queries';
import { RequestError } from '../client/errors';
import type { Evaluation } from './evaluate';
import type { FrameRef } from '../references/stack-frames';

/** A longer list helps nobody. */
const maxItems = 200;

export class Completions {
  constructor(
    private readonly evaluation: Evaluation,
    private readonly queries: JobQueries,
    /** The beginnings of console commands. */
    private readonly commands: readonly string[],
  ) {}

  async complete(args: DebugProtocol.CompletionsArguments): Promise<DebugProtocol.CompletionsResponse['body']> {
    const before = args.text.slice(0, Math.max(0, args.column - 1));
    const typed = /[A-Za-z_$][\w$]*$/.exec(before)?.[0] ?? '';
    const texts = new Set(this.commands.filter((command) => before !== '' && command.startsWith(before)));
    const isCommand = texts.size > 0;
    if (!isCommand) for (const text of await this.words(args.frameId, before, typed)) texts.add(text);
    const start = isCommand ? 0 : before.length - typed.length;
    return {
      targets: [...texts].slice(0, maxItems).map((text) => ({ label: text, start, length: before.length - start })),
    };
  }

  private async words(frameId: number | undefined, before: string, typed: string): Promise<string[]> {
    try {
      const ref = await this.evaluation.frame(frameId, before);
      const command = /^\s*-exec\s+(.*)$/.exec(before)?.[1];
      if (command !== undefined)
        return lastWords(await completeCommand(ref.thread, ref.frame.level, command), command, typed);
      const chain = /[A-Za-z_][\w()[\]]*\s*(?:(?:\.|->|%|::)\s*[\w()[\]]*)+$/.exec(before)?.[0];
      if (chain !== undefined) return await this.expressions(ref, chain, typed);
      return typed === '' ? [] : await this.names(ref, typed);
    } catch (error) {
      // Nothing is stopped, or gdb cannot parse the text so far: no completions.
      if (error instanceof GdbError || error instanceof RequestError) return [];
      throw error;
    }
  }

  private async names(ref: FrameRef, typed: string): Promise<string[]> {
    const locals = await stackListNames(ref.thread, ref.frame.level);
    const constants = /^MPI/.test(typed) ? (await this.queries.constants()).keys() : [];
    const others = await this.expressions(ref, typed, typed);
    return [...locals, ...constants, ...others].filter((name) => name.startsWith(typed));
  }

  private async expressions({ thread, frame }: FrameRef, written: string, typed: string): Promise<string[]> {
    return lastWords(await completeExpression(thread, frame.level, written), written, typed);
  }
}

/** gdb repeats the text; only its replacement for the last word is wanted. */
function lastWords(matches: readonly string[], written: string, typed: string): string[] {
  const known = written.length - typed.length;
  return matches.map((match) => match.slice(known)).filter((text) => text !== '' && !/[<(]/.test(text));
}
