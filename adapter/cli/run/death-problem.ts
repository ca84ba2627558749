/** The deaths of ranks as one problem of a run, for other programs. */
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import { isAmong, type RankDeath, type SeenDeaths } from '../../../plugin-api/deaths/rank-death';
import { placesOf, type PlaceOfRank, type RunProblem } from '../../report/run/run-result';
import { causeRule, causeText } from '../../../plugin-api/answers/text/death-cause-text';

/** `lines`: how the job died, in words. */
export function deathProblem({ deaths, states }: SeenDeaths, lines: readonly string[]): RunProblem {
  const [first] = deaths;
  const others = states.filter(({ id }) => !isAmong(deaths, id));
  return {
    rule: first === undefined ? 'death/other' : causeRule(first),
    text: lines.join('\n'),
    places: placesOf(deaths.map(placeOfDeath)),
    others: placesOf(others.flatMap(placeOfOther)),
  };
}

/** Where it was seen. */
export function placeOfDeath(of: RankDeath): PlaceOfRank {
  const [frame] = of.frames;
  return { rank: of.id, text: causeText(of, 1), file: frame?.source, line: frame?.line };
}

function placeOfOther({ id, positions: [first] }: ProcessState): PlaceOfRank[] {
  if (first === undefined) return [];
  const text = first.call ?? (first.state === 'running' ? 'in its own code' : first.state);
  return [{ rank: id, text, file: first.code?.file, line: first.code?.line }];
}
