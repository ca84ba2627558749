/** A rank in words. */
import type { RankRow } from '../ranks/job-client';

export function describeRank({ rank, state, host, pid, core, place, exitCode, signal }: RankRow): {
  label: string;
  description: string;
  tooltip: string;
} {
  const process = core ?? `pid ${pid ?? '?'}`;
  const end = signal ?? (exitCode === undefined ? undefined : `status ${exitCode}`);
  // What the process of a core file died of says more than that it is one; the icon tells that.
  const how = state === 'core' ? (end ?? state) : state;
  const doing = place === undefined ? (end === undefined ? state : `${state}, ${end}`) : `${how} in ${place}`;
  return {
    label: rank === null ? process : `rank ${rank}`,
    description: `${doing} · ${host} · ${process}`,
    tooltip: `${doing}\n${host}, ${process}`,
  };
}
