/** What is new since the last look at the variables; events and calls come once anyway. */
import type { OverlayPart } from '../../../plugin-api/overlays/read-overlay';
import type { OverlayDocument } from '../../../plugin-api/overlays/records';
import { callRows, callsHeading } from '../../../plugin-api/answers/csv/calls-csv';
import { eventRows, eventsHeading } from '../../../plugin-api/answers/csv/events-csv';
import { omptHeading, omptRows } from '../../../plugin-api/answers/csv/ompt-csv';
import { csvHeading, csvRows, type CsvRow } from '../../../plugin-api/answers/csv/variables-csv';
import type { VariablePart } from '../../../plugin-api/answers/text/variables-text';

export class Changes {
  private readonly last = new Map<string, string>();
  private isFirst = true;

  constructor(private readonly part: OverlayPart) {}

  /** As CSV, with the heading before the first rows. */
  csv(document: OverlayDocument): string {
    const { part, isFirst } = this;
    this.isFirst = false;
    if (part === 'events') return (isFirst ? eventsHeading : '') + eventRows(document);
    if (part === 'ompt') return (isFirst ? omptHeading : '') + omptRows(document);
    if (part === 'calls') return (isFirst ? callsHeading : '') + callRows(document);
    const rows = this.rows(document, part).map(({ line }) => line);
    return (isFirst ? csvHeading : '') + rows.join('');
  }

  /** Those that have another value than when they were taken last. */
  private rows(document: OverlayDocument, part: VariablePart): CsvRow[] {
    const changed = csvRows(document, part).filter(({ key, value }) => this.last.get(key) !== value);
    for (const { key, value } of changed) this.last.set(key, value);
    return changed;
  }
}
