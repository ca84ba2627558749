/** A command of the debug console as a topic describes it: `mpi NAME TEXT`. dap/request-table.ts has them all. */
import { wrongArguments, type RequestError } from '../client/errors';
import type { FrameRef } from '../references/stack-frames';

export interface ConsoleCommand<Topics> {
  /** An example of the expression that must follow; undefined: none. */
  readonly example?: string;
  /** Answers what is printed. `text`: what follows the name. `ref`: the frame beside which it was typed. */
  run(topics: Topics, text: string, ref: FrameRef | undefined): string | Promise<string>;
}

export type ConsoleTable<Topics> = Readonly<Record<string, ConsoleCommand<Topics>>>;

/** "mpi show EXPR" */
export function usageOf<Topics>(name: string, { example }: ConsoleCommand<Topics>): string {
  return `mpi ${name}${example === undefined ? '' : ' EXPR'}`;
}

export function needsExpression(name: string, example: string): RequestError {
  return wrongArguments(`mpi ${name}`, `name an expression, as in mpi ${name} ${example}`);
}
