/** What the debug adapter of the active session tells and takes: its own requests, typed. */
import * as vscode from 'vscode';
import type { StacksDocument } from '../../plugin-api/mpi/records';
import type { RanksBody } from '../../adapter/dap/custom-requests';
import type { FocusBody } from '../../adapter/dap/client/focus-body';
import type { ValueOverRanks } from '../../adapter/query/across-ranks/value-over-ranks';
import { debugType } from '../manifest/manifest';

export type RankRow = RanksBody['ranks'][number];

/** Which ranks: see the adapter's RankRequests. */
export type RankSetQuestion = { where: string } | { comm: string; dimension?: number } | { stoppedLike: number };

export class JobClient {
  constructor(private readonly session: vscode.DebugSession) {}

  /** Of the active debug session; undefined when it is none of ours. */
  static active(): JobClient | undefined {
    const session = vscode.debug.activeDebugSession;
    return session?.type === debugType ? new JobClient(session) : undefined;
  }

  async ranks(): Promise<RankRow[]> {
    return (await this.ask<RanksBody>('mpidbg/ranks', { places: true })).ranks;
  }

  focus(change: { ranks?: string; scope?: string } = {}): Promise<FocusBody> {
    return this.ask('mpidbg/focus', change);
  }

  /** "0-3,7", in the frame that is selected in the Call Stack view. */
  async rankSet(question: RankSetQuestion): Promise<string> {
    return (await this.ask<{ ranks: string }>('mpidbg/rankSet', { ...question, frameId: selectedFrame() })).ranks;
  }

  value(expression: string): Promise<ValueOverRanks> {
    return this.ask('mpidbg/value', { expression, frameId: selectedFrame() });
  }

  stacks(): Promise<StacksDocument> {
    return this.ask('mpidbg/stacks', { helperThreads: false });
  }

  /** continue, next or pause on the selected thread's `scope`. */
  async act(command: 'continue' | 'next' | 'pause', scope: string): Promise<void> {
    const threadId =
      selectedThread() ?? (await this.ranks()).find(({ threadIds }) => threadIds.length > 0)?.threadIds[0];
    await this.ask(command, { threadId, scope });
  }

  private async ask<Body>(command: string, args: object): Promise<Body> {
    return (await this.session.customRequest(command, args)) as Body;
  }
}

export function selectedFrame(): number | undefined {
  const item = vscode.debug.activeStackItem;
  return item instanceof vscode.DebugStackFrame && item.session.type === debugType ? item.frameId : undefined;
}

function selectedThread(): number | undefined {
  const item = vscode.debug.activeStackItem;
  return item?.session.type === debugType ? item.threadId : undefined;
}
