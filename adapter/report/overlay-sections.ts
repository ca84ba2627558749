/** The MPI library's performance variables by category, its events, OpenMP activity, and the program's MPI calls. */
import { namedRanks } from '../../plugin-api/mpi/rank-names';
import type { MergedText } from '../../plugin-api/answers/merge';
import { html, preformatted, type Html } from './html';
import type { Section } from './page';
import { rankBadge } from './rank-badge';
import type { Report, ReportedVariable } from './report';

/** None where no rank has something to tell. */
export function overlaySections({ overlays }: Pick<Report, 'overlays'>): Section[] {
  if (overlays === undefined) return [];
  const { variables, notes, events, openmp, calls } = overlays;
  return [
    ...(variables.length === 0
      ? []
      : [{ id: 'performance', title: 'Performance variables', content: variablesContent(variables, notes) }]),
    ...(events === '' ? [] : [{ id: 'events', title: 'MPI events', content: preformatted(events) }]),
    ...(openmp === '' ? [] : [{ id: 'openmp', title: 'OpenMP', content: preformatted(openmp) }]),
    ...(calls === '' ? [] : [{ id: 'calls', title: 'MPI calls', content: preformatted(calls) }]),
  ];
}

function variablesContent(variables: readonly ReportedVariable[], notes: readonly MergedText[]): Html {
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
        ${variables.map(
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
    ${notes.map(({ text, ranks }) => html`<p class="quiet">${namedRanks(ranks)}: ${text}</p>`)}`;
}
