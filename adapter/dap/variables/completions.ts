/** What could be written next in the debug console: variables, members, MPI's names, commands. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { GdbError } from '../../gdb/mi/mi-connection';
import { stackListNames } from '../../gdb/mi/stack-manipulation';
import { complete } from '../../gdb/mi/symbol-query';
import type { JobQueries } from '../../query/job-queries';
import { RequestError } from '../client/errors';
import type { Evaluation } from './evaluate';
import type { FrameRef } from '../references/frames';

/** A list that is longer helps nobody. */
const mostItems = 200;

export class Completions {
  constructor(
    private readonly evaluation: Evaluation,
    private readonly queries: JobQueries,
    /** How those of the debug console begin. */
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
      targets: [...texts].slice(0, mostItems).map((text) => ({ label: text, start, length: before.length - start })),
    };
  }

  private async words(frameId: number | undefined, before: string, typed: string): Promise<string[]> {
    try {
      const ref = await this.evaluation.frame(frameId, before);
      const command = /^\s*-exec\s+(.*)$/.exec(before)?.[1];
      if (command !== undefined) return await this.ofGdb(ref, command, typed);
      const chain = /[A-Za-z_][\w()[\]]*\s*(?:(?:\.|->|%|::)\s*[\w()[\]]*)+$/.exec(before)?.[0];
      if (chain !== undefined) return await this.ofGdb(ref, `print ${chain}`, typed);
      return typed === '' ? [] : await this.names(ref, typed);
    } catch (error) {
      // Nothing is stopped, or gdb cannot read what is written so far: there is nothing to offer.
      if (error instanceof GdbError || error instanceof RequestError) return [];
      throw error;
    }
  }

  private async names(ref: FrameRef, typed: string): Promise<string[]> {
    const locals = await stackListNames(ref.thread, ref.frame.level);
    const constants = /^MPI/.test(typed) ? (await this.queries.constants()).keys() : [];
    const others = await this.ofGdb(ref, `print ${typed}`, typed);
    return [...locals, ...constants, ...others].filter((name) => name.startsWith(typed));
  }

  /** gdb repeats the command; what it would put for the last word of it is wanted. */
  private async ofGdb({ thread, frame }: FrameRef, command: string, typed: string): Promise<string[]> {
    const known = command.length - typed.length;
    const matches = await complete(thread, frame.level, command);
    return matches.map((match) => match.slice(known)).filter((text) => text !== '' && !/[<(]/.test(text));
  }
}
