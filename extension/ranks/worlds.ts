/** The MPI_COMM_WORLDs of a job, to choose one from. */
import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { groupedBy } from '../../plugin-api/grouped-by';
import { namesOfRanks } from '../../plugin-api/mpi/rank-names';
import type { RankId } from '../../plugin-api/mpi/records';
import { compareWorlds, ownWorld } from '../../plugin-api/mpi/worlds';
import { visible } from '../../plugin-api/visible-text';
import { wordsOfRanks } from './rank-text';

/** `command`: how its program was called, as far as that is known. */
export type WorldMember = Pick<RankId, 'rank' | 'world'> & { command?: string };

export interface World extends vscode.QuickPickItem {
  /** "0.1" */
  name: string;
  /** All of its ranks: "0.1:0-1" */
  ranks: string;
}

/** None of a job that has only one, and none for ranks whose numbers are unknown. */
export function worldsOf(all: readonly WorldMember[]): World[] {
  const known = all.filter(({ rank }) => rank !== null);
  const worlds = [...groupedBy(known, ({ world = ownWorld }) => world)].sort(([a], [b]) => compareWorlds(a, b));
  if (worlds.length < 2) return [];
  return worlds.map(([name, of]) => {
    const numbers = namesOfRanks(of.map(({ rank }) => ({ rank }))).set.join();
    const commands = new Set(of.flatMap(({ command }) => command ?? []));
    return {
      ...{ name, ranks: namesOfRanks(of).set.join() },
      label: `$(server-process) ${l10n.t('World {0}', name)}`,
      description: visible([wordsOfRanks(numbers), ...commands].join(' · ')),
    };
  });
}
