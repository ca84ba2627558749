/** What the MPI library tells of itself: its performance variables by category, and its events. */
import { isUnavailable } from '../../plugin-api/result';
import { eventsText } from '../text/events-text';
import { overlaysOf } from '../text/overlay-ranks';
import { categorisedVariables, variableNotes } from '../text/variables-text';
import { html, type Html } from './html';
import type { Section } from './page';
import { rankBadge } from './rank-badge';
import type { Report } from './report';

/** None where no rank has something to tell. */
export function overlaySections({ overlays }: Pick<Report, 'overlays'>): Section[] {
  if (overlays === undefined) return [];
  const { pvars, events } = overlays;
  const hasVariables = overlaysOf(pvars).some((rank) => isTold(rank.pvars));
  const hasEvents = overlaysOf(events).some((rank) => isTold(rank.eventTypes));
  return [
    ...(hasVariables ? [{ id: 'performance', title: 'Performance variables', content: variablesContent(pvars) }] : []),
    ...(hasEvents
      ? [{ id: 'events', title: 'MPI events', content: html`<pre>${eventsText(events, false)}</pre>` }]
      : []),
  ];
}

function isTold(all: unknown): boolean {
  return Array.isArray(all) && all.length > 0 && !isUnavailable(all);
}

function variablesContent(pvars: NonNullable<Report['overlays']>['pvars']): Html {
  const rows = categorisedVariables(pvars, 'pvars', false).flatMap(({ category, variables }) =>
    variables.flatMap(({ title, values }) => values.map((value) => ({ category, title, ...value }))),
  );
  return html`<table>
      <thead>
        <tr>
          <th scope="col">Category</th>
          <th scope="col">Variable</th>
          <th scope="col">Value</th>
          <th scope="col">Ranks</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ category, title, text, ranks }) =>
            html`<tr data-ranks="${ranks}">
              <td>${category}</td>
              <th scope="row">${title}</th>
              <td>${text}</td>
              <td>${rankBadge(ranks)}</td>
            </tr> `,
        )}
      </tbody>
    </table>
    ${variableNotes(pvars, 'pvars', false).map(({ text, ranks }) => html`<p class="quiet">ranks ${ranks}: ${text}</p>`)}`;
}
