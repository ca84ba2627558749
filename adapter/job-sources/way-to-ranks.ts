/** How the ranks of a running job are found, on this machine and on others: by a launcher's connections, or by a batch system. */
import type { DoorPlace } from '../agent/door';
import type { Hub } from '../agent/hub';
import type { Host } from '../hosts/host';
import { StartError } from '../job/start-error';
import type { RanksBelow } from '../launchers/launcher-tree';
import type { FinderStart } from './finders';

export interface WayToRanks {
  /** The other hosts of the job, once each; none: all of it is on this machine. */
  readonly hosts: readonly string[];
  /** Where on this machine they can reach it. */
  door(): Promise<DoorPlace>;
  /** On this machine. Rejects with StartError where they cannot be told, and none are to be expected elsewhere. */
  here(host: Host): Promise<readonly RanksBelow[]>;
  /** On another host, which a finder has come from. */
  on(host: Host): Promise<readonly RanksBelow[]>;
  /** What starts a finder on each other host. Rejects with StartError. */
  finders(hub: Hub): Promise<FinderStart>;
  /** Why there are no ranks, where none was found on any host. */
  none(): StartError;
}

export function ifNone(error: unknown): RanksBelow {
  if (error instanceof StartError) return { ranks: [], dead: [] };
  throw error;
}
