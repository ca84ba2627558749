/** The way of the first NaN, for other programs: nothing that is wrong by itself. */
import { carriedWays, callText, originsOf } from '../../text/carried-text';
import type { Carried } from '../../query/deaths/carried-look';
import { placesOf, type PlaceOfRank, type RunProblem } from '../../report/run/run-result';

/** The findings about NaNs, then about infinities. */
export function carriedFindings(all: readonly Carried[]): RunProblem[] {
  return [true, false].flatMap((isNan) => {
    const of = all.filter((each) => each.isNan === isNan);
    const [lines] = carriedWays(of);
    if (lines === undefined) return [];
    const origins = originsOf(of);
    return {
      rule: isNan ? 'carried/nan' : 'carried/infinity',
      text: lines.join('\n'),
      places: placesOf(origins.map(placeOf)),
      others: placesOf(of.filter((each) => !origins.includes(each)).map(placeOf)),
    };
  });
}

function placeOf(carried: Carried): PlaceOfRank {
  const { rank, completedAt, place = completedAt } = carried;
  return { rank: { rank }, text: callText(carried), file: place?.file, line: place?.line };
}
