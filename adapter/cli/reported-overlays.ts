/** What MPI_T tells, for a report. */
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { isUnavailable } from '../../plugin-api/result';
import type { Rank } from '../job/rank';
import { overlayOfRanks } from '../query/overlays/overlay-document';
import type { Report } from '../report/report';
import { eventsText } from '../text/events-text';
import { overlaysOf } from '../text/overlay-ranks';
import { categorisedVariables, variableNotes } from '../text/variables-text';

export async function reportedOverlays(
  ranks: readonly Rank[],
  plugins: PluginRegistry,
): Promise<NonNullable<Report['overlays']>> {
  const [pvars, events] = await Promise.all(
    (['pvars', 'events'] as const).map((part) => overlayOfRanks(ranks, plugins, { part, patterns: [] })),
  );
  const hasEvents = overlaysOf(events!).some(
    ({ eventTypes }) => eventTypes !== undefined && !isUnavailable(eventTypes) && eventTypes.length > 0,
  );
  return {
    variables: categorisedVariables(pvars!, 'pvars', false).flatMap(({ category, variables }) =>
      variables.flatMap(({ title, values }) => values.map((value) => ({ category, title, ...value }))),
    ),
    notes: variableNotes(pvars!, 'pvars', false),
    events: hasEvents ? eventsText(events!, false) : '',
  };
}
