/** Which MPI_COMM_WORLD of a running job is attached to, where it has several: those of its spawned ranks, of other launchers. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { allWorlds } from '../adapter/dap/start/launch-arguments';
import { HostProcess } from '../adapter/hosts/host-process';
import { localHost } from '../adapter/hosts/local-host';
import { ranksOfLauncher } from '../adapter/launchers/launcher-tree';
import { placesOf } from '../adapter/launchers/rank-places';
import { shippedMpis } from '../plugin-api/plugins/shipped';
import { worldsOf, type World, type WorldMember } from './ranks/worlds';

/** Unless the configuration names a world or ranks; its variables have been replaced. undefined: the user cancels. */
export async function withWorld(
  configuration: vscode.DebugConfiguration,
): Promise<vscode.DebugConfiguration | undefined> {
  const { request, launcherPid, ranks, world, keptSession } = configuration;
  if (request !== 'attach' || launcherPid === undefined) return configuration;
  if ([ranks, world, keptSession].some((given) => given !== undefined)) return configuration;
  // What is wrong with the launcher is the adapter's to say.
  const worlds = worldsOf(await membersBelow(Number(launcherPid)).catch(() => []));
  if (worlds.length === 0) return configuration;
  const chosen = await pickWorld(worlds);
  return chosen === undefined ? undefined : { ...configuration, world: chosen };
}

async function membersBelow(launcher: number): Promise<WorldMember[]> {
  const pids = await ranksOfLauncher(localHost, launcher);
  const processes = pids.map((pid) => new HostProcess(localHost, pid));
  const places = await placesOf(processes, shippedMpis);
  return Promise.all(
    processes.map(async (process, i): Promise<WorldMember> => {
      const { number, world } = places[i]!;
      const command = (await process.arguments())?.join(' ');
      return { rank: number, ...(world && { world }), ...(command === undefined ? {} : { command }) };
    }),
  );
}

async function pickWorld(worlds: readonly World[]): Promise<string | undefined> {
  const all = { label: `$(clear-all) ${l10n.t('All worlds')}`, name: allWorlds };
  const options = { title: l10n.t('This job has several MPI_COMM_WORLDs: attach to'), matchOnDescription: true };
  return (await vscode.window.showQuickPick([all, ...worlds], options))?.name;
}
