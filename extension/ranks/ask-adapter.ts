/** A request to our debug adapter, typed by the adapter's own table of requests. */
import type { DebugSession } from 'vscode';
import type { ArgumentsOf, BodyOf, Command } from '../../adapter/dap/request-table';

export async function askAdapter<Name extends Command>(
  session: DebugSession,
  command: Name,
  args: ArgumentsOf<Name>,
): Promise<BodyOf<Name>> {
  return (await session.customRequest(command, args)) as BodyOf<Name>;
}
