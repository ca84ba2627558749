/** What VS Code's Call Stack view lists: in a job of many ranks, one thread for all that are at one place. */
import type * as vscode from 'vscode';
import { defaults } from '../adapter/dap/start/launch-arguments';
import { localHost } from '../adapter/hosts/local-host';
import { findCoreFiles } from '../adapter/job-sources/cores/core-paths';
import { ranksOfLauncher } from '../adapter/launchers/launcher-tree';

/** From so many ranks on. */
const manyRanks = 16;

/** Unless the configuration says so itself; its variables have been replaced. */
export async function withCallStack(configuration: vscode.DebugConfiguration): Promise<vscode.DebugConfiguration> {
  if (configuration.callStack !== undefined) return configuration;
  return (await ranksOf(configuration)) < manyRanks ? configuration : { ...configuration, callStack: 'merged' };
}

/** 0: unknown. What is wrong with the configuration is the adapter's to say. */
async function ranksOf({
  request,
  ranks,
  programs,
  pids,
  launcherPid,
  cores,
}: vscode.DebugConfiguration): Promise<number> {
  if (request === 'launch') {
    const parts = Array.isArray(programs) ? (programs as { ranks?: unknown }[]) : [{ ranks: ranks as unknown }];
    return parts.reduce((sum, part) => sum + (Number(part.ranks ?? defaults.ranks) || 0), 0);
  }
  if (Array.isArray(pids)) return pids.length;
  if (Array.isArray(cores)) return findCoreFiles(cores.map(String), '/').files.length;
  const found = await ranksOfLauncher(localHost, Number(launcherPid)).catch(() => []);
  return found.length;
}
