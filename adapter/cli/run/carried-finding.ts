/** The way of the first NaN, for other programs: nothing that is wrong by itself. */
import type { Carried } from '../../../plugin-api/deaths/carried-record';
import {
  carriedWays,
  callText,
  makes,
  originsOf,
  type SeenNumbers,
} from '../../../plugin-api/answers/text/carried-text';
import { placeOfDeath } from './death-problem';
import { placesOf, type PlaceOfRank, type RunProblem } from '../../report/run/run-result';

/** The findings about NaNs, then about infinities. */
export function carriedFindings({ carried, made }: SeenNumbers): RunProblem[] {
  return [true, false].flatMap((isNan) => {
    const of = carried.filter((each) => each.isNan === isNan);
    const makers = made?.filter((each) => makes(each, isNan));
    const [lines] = carriedWays({ carried: of, made: makers });
    if (lines === undefined) return [];
    const origins = originsOf(of);
    return {
      rule: isNan ? 'carried/nan' : 'carried/infinity',
      text: lines.join('\n'),
      places: placesOf([...(makers ?? []).map(placeOfDeath), ...origins.map(placeOf)]),
      others: placesOf(of.filter((each) => !origins.includes(each)).map(placeOf)),
    };
  });
}

function placeOf(carried: Carried): PlaceOfRank {
  const { rank, completedAt, place = completedAt } = carried;
  return { rank: { rank }, text: callText(carried), file: place?.file, line: place?.line };
}
