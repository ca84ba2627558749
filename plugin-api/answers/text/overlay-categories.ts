/** Where variables and events belong in MPI_T's tree of categories. */
import type { CategoryPart } from '../../overlays/read-overlay';
import type { RankOverlay } from '../../overlays/records';
import { isUnavailable } from '../../result';

export const noCategory = '(in no category)';

/** The category of each by its name: the last one that lists it, which is the innermost. */
export function innermostCategories(
  categories: RankOverlay['categories'],
  part: CategoryPart,
): ReadonlyMap<string, string> {
  if (categories === undefined || isUnavailable(categories)) return new Map();
  return new Map(
    categories.flatMap((category) =>
      category[part].map((member) => [typeof member === 'string' ? member : member.name, category.name] as const),
    ),
  );
}
