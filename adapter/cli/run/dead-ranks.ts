/** Ranks that have died while their launcher goes on: the others may wait for them, and no look at processes finds them. */
import type { RankDeath } from '../../../plugin-api/deaths/rank-death';
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import type { StandStill } from '../../query/hang/hang-watch';
import { endedState } from '../../query/hang/look';

/** With those that have died before the looks. */
export function withDead(still: StandStill, deaths: readonly RankDeath[]): StandStill {
  const dead = deaths.filter(({ death, id }) => !death.goesOn && id.rank !== null);
  const completed = (look: readonly ProcessState[]): readonly ProcessState[] => {
    const absent = dead.filter(({ id }) => !look.some((state) => isSame(state.id, id)));
    return [...look, ...absent.map(({ id }) => endedState(id, 'it has died'))];
  };
  const [first, last] = still.looks;
  return { ...still, looks: [completed(first), completed(last)] };
}

function isSame(one: ProcessState['id'], other: ProcessState['id']): boolean {
  return one.rank === other.rank && one.world === other.world;
}
