/** A report as one page of HTML. */
import { counted } from '../../plugin-api/counted';
import { differencesSection } from './differences-section';
import { handlesSection } from './handles-section';
import { html } from './html';
import { overlaySections } from './overlay-sections';
import { page } from './page';
import type { Report } from './report';
import { stacksSection } from './stacks-section';
import { summarySection } from './summary-section';
import { unavailableSection } from './unavailable-section';

export function reportHtml(report: Report): string {
  const { processes, target, made, version, held } = report;
  const programs = [...new Set(processes.flatMap(({ program }) => program?.replace(/^.*\//s, '') ?? []))];
  const count = counted(processes.length, 'rank');
  const title = `${programs.length === 0 ? 'MPI job' : programs.join(', ')} on ${count}`;
  const heldText = held === undefined ? '' : `, which held the ranks for ${(held / 1000).toFixed(2)} s`;
  const day = made.toISOString();
  const head = html`<p class="quiet">
    ${target}, read <time datetime="${day}">${day.slice(0, 19).replace('T', ' ')} UTC</time> by mpidbg
    ${version}${heldText}
  </p>`;
  return page(title, head, [
    { id: 'summary', title: 'Summary', content: summarySection(report) },
    { id: 'stacks', title: 'Stacks', content: stacksSection(report) },
    { id: 'differences', title: 'Ranks that differ', content: differencesSection(report) },
    { id: 'handles', title: 'Handles', content: handlesSection(report.handles) },
    ...overlaySections(report),
    { id: 'unavailable', title: 'What could not be read', content: unavailableSection(report) },
  ]);
}
