/** The user chooses a job that runs: by its launcher on this machine, or under a batch system. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { HostProcess } from '../adapter/hosts/host-process';
import { localHost } from '../adapter/hosts/local-host';
import { runningJobs } from '../adapter/launchers/batch/running-jobs';
import { ranksOfLauncher } from '../adapter/launchers/launcher-tree';
import { shippedMpis } from '../plugin-api/plugins/shipped';
import { visible } from '../plugin-api/visible-text';
import { findLaunchers, type LauncherProcess } from './launchers';
import { nameOfProcess } from './ranks/rank-text';

/** Attributes of an attach configuration. */
export type PickedJob = { launcherPid: string } | { job: string };

interface JobItem extends vscode.QuickPickItem {
  /** undefined: the row only says something. */
  job?: PickedJob;
}

type ChosenJob = JobItem & { job: PickedJob };

/** Picks a job of any kind, with a name for its session; undefined if the user cancels. */
export async function pickJob(): Promise<{ job: PickedJob; name: string } | undefined> {
  const picked = await pick([launcherItems(), batchItems()], l10n.t('No job of yours is running here'));
  return picked && { job: picked.job, name: [picked.label, picked.description].join(' · ') };
}

/** The process id of a launcher, as text; undefined if the user cancels. */
export async function pickLauncher(): Promise<string | undefined> {
  const picked = await pick([launcherItems()], l10n.t('No mpirun, mpiexec or srun of yours is running here'));
  return picked !== undefined && 'launcherPid' in picked.job ? picked.job.launcherPid : undefined;
}

/** The number of a job of a batch system; undefined if the user cancels. */
export async function pickBatchJob(): Promise<string | undefined> {
  const picked = await pick([batchItems()], l10n.t('No batch job of yours is running, or there is no squeue in PATH'));
  return picked !== undefined && 'job' in picked.job ? picked.job.job : undefined;
}

/** Each part is shown as soon as it is known: a batch system may take its time. */
function pick(parts: readonly Promise<JobItem[]>[], none: string): Promise<ChosenJob | undefined> {
  const list = vscode.window.createQuickPick<JobItem>();
  list.title = l10n.t('MPI job to attach to');
  list.placeholder = l10n.t('Choose a job');
  list.matchOnDescription = list.matchOnDetail = true;
  list.busy = true;
  const shown: JobItem[][] = parts.map(() => []);
  const all = parts.map(async (part, index) => {
    shown[index] = await part;
    list.items = shown.flat();
  });
  void Promise.all(all).then(() => {
    list.busy = false;
    if (list.items.length === 0) list.placeholder = none;
  });
  return new Promise((resolve) => {
    list.onDidAccept(() => {
      const [chosen] = list.selectedItems;
      if (chosen?.job === undefined) return;
      resolve({ ...chosen, job: chosen.job });
      list.hide();
    });
    list.onDidHide(() => {
      resolve(undefined);
      list.dispose();
    });
    list.show();
  });
}

/** Those with ranks on this machine first. */
async function launcherItems(): Promise<JobItem[]> {
  const jobs = await Promise.all((await findLaunchers()).map(launcherItem));
  return [...jobs.filter(({ ranks }) => ranks > 0), ...jobs.filter(({ ranks }) => ranks === 0)];
}

/** `ranks`: how many it has on this machine; others may run elsewhere. */
async function launcherItem({ pid, commandLine }: LauncherProcess): Promise<JobItem & { ranks: number }> {
  const pids = await ranksOfLauncher(localHost, pid).catch(() => []);
  const [first] = pids;
  const program = first === undefined ? undefined : await new HostProcess(localHost, first).program();
  const ranks = pids.length;
  const what =
    program === undefined
      ? l10n.t('no ranks on this machine')
      : ranks === 1
        ? l10n.t('{0}, 1 rank', path.basename(program))
        : l10n.t('{0}, {1} ranks', path.basename(program), ranks);
  const job = { launcherPid: String(pid) };
  return { label: visible(what), description: nameOfProcess(pid), detail: visible(commandLine), job, ranks };
}

async function batchItems(): Promise<JobItem[]> {
  const found = await runningJobs(shippedMpis.batchSystems, process.env);
  return found.flatMap(({ system, jobs, failure }): JobItem[] => {
    const kind = vscode.QuickPickItemKind.Separator;
    const title = { label: l10n.t('jobs of {0}', system.title), kind };
    const why =
      failure === undefined
        ? []
        : [{ label: `$(warning) ${l10n.t('They cannot be listed')}`, detail: visible(failure), alwaysShow: true }];
    const rows = jobs.map(({ id, name, nodeList, time, timeLeft }) => ({
      label: visible(name === '' ? id : name),
      description: visible(l10n.t('job {0} on {1}', id, nodeList)),
      detail: visible(
        timeLeft === undefined
          ? l10n.t('runs for {0}, without a limit', time)
          : l10n.t('runs for {0}, has {1} left', time, timeLeft),
      ),
      job: { job: id },
    }));
    return rows.length + why.length === 0 ? [] : [title, ...rows, ...why];
  });
}
