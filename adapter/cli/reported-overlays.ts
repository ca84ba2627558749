/** What MPI_T, OpenMP and the program's MPI calls tell, for a report. */
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { isUnavailable } from '../../plugin-api/result';
import type { Rank } from '../job/rank';
import { overlayOfRanks } from '../query/overlays/overlay-document';
import type { Report } from '../report/report';
import { callsText } from '../../plugin-api/answers/text/calls-text';
import { eventsText } from '../../plugin-api/answers/text/events-text';
import { omptText } from '../../plugin-api/answers/text/ompt-text';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import { categorisedVariables, variableNotes } from '../../plugin-api/answers/text/variables-text';

export async function reportedOverlays(
  ranks: readonly Rank[],
  plugins: PluginRegistry,
): Promise<NonNullable<Report['overlays']>> {
  const [pvars, events, ompt, calls] = await Promise.all(
    (['pvars', 'events', 'ompt', 'calls'] as const).map((part) =>
      overlayOfRanks(ranks, plugins, { part, patterns: [] }),
    ),
  );
  const hasEvents = overlaysOf(events!).some(
    ({ eventTypes }) => eventTypes !== undefined && !isUnavailable(eventTypes) && eventTypes.length > 0,
  );
  const hasOpenmp = overlaysOf(ompt!).some((rank) => rank.ompt !== undefined && !isUnavailable(rank.ompt));
  const hasCalls = overlaysOf(calls!).some((rank) => rank.calls !== undefined && !isUnavailable(rank.calls));
  return {
    variables: categorisedVariables(pvars!, 'pvars', false).flatMap(({ category, variables }) =>
      variables.flatMap(({ title, values }) => values.map((value) => ({ category, title, ...value }))),
    ),
    notes: variableNotes(pvars!, 'pvars', false),
    events: hasEvents ? eventsText(events!, false) : '',
    calls: hasCalls ? callsText(calls!) : '',
    openmp: hasOpenmp ? omptText(ompt!, calls!, false) : '',
  };
}
