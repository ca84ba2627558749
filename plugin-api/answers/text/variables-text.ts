/** Variables of MPI_T as people read them: by category, and what is equal in several ranks is one line. */
import { groupedBy } from '../../grouped-by';
import { refName } from '../../mpi/describe-ref';
import type { Integer, Known, RankId } from '../../mpi/records';
import type { CategoryPart } from '../../overlays/read-overlay';
import type { Cvar, Enumeration, OverlayDocument, Pvar, RankOverlay } from '../../overlays/records';
import { isUnavailable } from '../../result';
import { visibleListing } from '../../visible-text';
import { mergeAlike, mergeEqual, type MergedText } from '../merge';
import { innermostCategories, noCategory } from './overlay-categories';
import { overlaysOf } from './overlay-ranks';
import { failedLines, table } from './rank-table';

export type VariablePart = Exclude<CategoryPart, 'events'>;

interface Row {
  rank: RankId;
  category: string;
  /** The title of the variable. */
  title: string;
  text: string;
}

const kinds: Record<VariablePart, string> = { pvars: 'performance variables', cvars: 'control variables' };

/** `full`: with what each variable is in the library's words, and those that are not touched or not in use. */
export function variablesText(document: OverlayDocument, part: VariablePart, full: boolean): string {
  const lines = categorisedVariables(document, part, full).flatMap(({ category, variables }) => [
    category,
    ...variables.flatMap(({ title, values }) => [`  ${title}`, ...table(values).map((line) => `  ${line}`)]),
  ]);
  return visibleListing([...lines, ...table(variableNotes(document, part, full)), ...failedLines(document)]);
}

export interface CategorisedVariables {
  category: string;
  variables: { title: string; values: MergedText[] }[];
}

/** As variablesText() lists them. */
export function categorisedVariables(
  document: OverlayDocument,
  part: VariablePart,
  full: boolean,
): CategorisedVariables[] {
  const told = overlaysOf(document);
  const rows = told.flatMap((rank) => (part === 'pvars' ? pvarRows(rank, full) : cvarRows(rank, full)));
  // A communicator without a name is known by its address, which is another one in each rank.
  const merge = part === 'pvars' ? mergeAlike : mergeEqual;
  return [...groupedBy(rows, (row) => row.category)].map(([category, ofCategory]) => ({
    category,
    variables: [...groupedBy(ofCategory, (row) => row.title)].map(([title, of]) => ({ title, values: merge(of) })),
  }));
}

/** What a list of variables does not show, and why. */
export function variableNotes(document: OverlayDocument, part: VariablePart, full: boolean): MergedText[] {
  const told = overlaysOf(document);
  return mergeEqual(told.flatMap((rank) => notesOf(rank, part, full).map((text) => ({ rank, text }))));
}

function pvarRows(rank: RankOverlay, full: boolean): Row[] {
  if (rank.pvars === undefined || isUnavailable(rank.pvars)) return [];
  const categories = innermostCategories(rank.categories, 'pvars');
  return rank.pvars
    .filter(({ status = 'active' }) => full || status === 'active')
    .flatMap((pvar) => {
      const category = categories.get(pvar.name) ?? noCategory;
      const title = pvarTitle(pvar, full);
      const texts = pvar.instances.length === 0 ? [pvar.status ?? ''] : instanceTexts(pvar);
      return texts.map((text) => ({ rank, category, title, text }));
    });
}

/** `full`: with what it is in the library's words. */
export function pvarTitle({ name, class: itsClass, bind, description, datatype }: Pvar, full: boolean): string {
  const bound = bind === 'NO_OBJECT' ? '' : `, for each ${bind.toLowerCase()}`;
  return `${name} (${pvarClassWords[itsClass]}${bound})${full ? ` ${datatype}: ${description}` : ''}`;
}

/** How people call MPI_T's classes. */
export const pvarClassWords: Record<Pvar['class'], string> = {
  STATE: 'state',
  LEVEL: 'level in use',
  SIZE: 'size',
  PERCENTAGE: 'percentage in use',
  HIGHWATERMARK: 'high watermark',
  LOWWATERMARK: 'low watermark',
  COUNTER: 'counter',
  AGGREGATE: 'sum',
  TIMER: 'timer',
  GENERIC: 'generic',
};

function instanceTexts({ instances, enumeration }: Pvar): string[] {
  return instances.map(({ object, objectFreed, values }) => {
    const of = object === undefined ? '' : `${refName(object)}${objectFreed === true ? ' (freed)' : ''}: `;
    return `${of}${known(values, (all) => elements(all, enumeration))}`;
  });
}

function cvarRows(rank: RankOverlay, full: boolean): Row[] {
  if (rank.cvars === undefined || isUnavailable(rank.cvars)) return [];
  const categories = innermostCategories(rank.categories, 'cvars');
  return rank.cvars.map((cvar) => ({
    rank,
    category: categories.get(cvar.name) ?? noCategory,
    title: cvarTitle(cvar, full),
    text: known(cvar.value, (value) =>
      typeof value === 'string' ? JSON.stringify(value) : elements(value, cvar.enumeration),
    ),
  }));
}

function cvarTitle({ name, scope, datatype, description }: Cvar, full: boolean): string {
  return full ? `${name} (${scope}) ${datatype}: ${description}` : name;
}

const maxElements = 16;

function elements(values: readonly Integer[], enumeration: Enumeration | undefined): string {
  const shown = values.slice(0, maxElements).map((value) => {
    const item = enumeration?.items.find((each) => each.value === value);
    return item === undefined ? String(value) : `${item.name} (${value})`;
  });
  return values.length > maxElements ? `${shown.join(' ')} ... (${values.length} in all)` : shown.join(' ');
}

function known<T>(value: Known<T>, text: (value: T) => string): string {
  return isUnavailable(value) ? `unknown (${value.reason})` : text(value);
}

function notesOf(rank: RankOverlay, part: VariablePart, full: boolean): string[] {
  const { collector, [part]: variables } = rank;
  if (variables === undefined) return [];
  if (isUnavailable(variables)) return [variables.reason];
  if (isUnavailable(collector)) return [`counted in the queues of the MPI library, because ${collector.reason}`];
  const none = variables.length === 0 ? [`the MPI library has no such ${kinds[part]}`] : [];
  const names = new Set(variables.map(({ name }) => name));
  const denied = groupedBy(
    collector.denied.filter(({ name }) => names.has(name)),
    ({ reason }) => reason,
  );
  const untouched = [...denied].map(([reason, of]) => `${of.length} not read: ${reason}`);
  const inactive = part === 'pvars' && !isUnavailable(rank.pvars) && !full ? countInactive(rank.pvars ?? []) : 0;
  return [...none, ...untouched, ...(inactive === 0 ? [] : [`${inactive} not in use (see --full)`])];
}

function countInactive(pvars: readonly Pvar[]): number {
  return pvars.filter(({ status }) => status === 'inactive').length;
}
