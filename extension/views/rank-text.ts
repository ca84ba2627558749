/** A rank in words. */
import { visible } from '../../plugin-api/visible-text';
import type { RankRow } from '../ranks/job-client';

export function describeRank({ rank, state, host, pid, core, place, exitCode, signal }: RankRow): {
  label: string;
  description: string;
  tooltip: string;
} {
  const process = core ?? `pid ${pid ?? '?'}`;
  const end = signal ?? (exitCode === undefined ? undefined : `status ${exitCode}`);
  // How the process of a core file died says more than that it is a core file, which the icon shows.
  const how = state === 'core' ? (end ?? state) : state;
  const doing = place === undefined ? (end === undefined ? state : `${state}, ${end}`) : `${how} in ${place}`;
  return {
    label: rank === null ? process : `rank ${rank}`,
    description: `${doing} · ${host} · ${process}`,
    tooltip: `${visible(doing)}\n${visible(`${host}, ${process}`)}`,
  };
}
