/** What is new since the last look at the variables. */
import type { OverlayPart } from '../../../plugin-api/overlays/read-overlay';
import type { OverlayDocument } from '../../../plugin-api/overlays/records';
import { csvHeading, csvRows, type CsvRow } from '../../text/variables-csv';

export class Changes {
  private readonly last = new Map<string, string>();
  private isFirst = true;

  constructor(private readonly part: OverlayPart) {}

  /** As CSV, with the heading before the first rows. */
  csv(document: OverlayDocument): string {
    const heading = this.isFirst ? csvHeading : '';
    return (
      heading +
      this.rows(document)
        .map(({ line }) => line)
        .join('')
    );
  }

  /** Those that have another value than when they were taken last. */
  private rows(document: OverlayDocument): CsvRow[] {
    this.isFirst = false;
    const changed = csvRows(document, this.part).filter(({ key, value }) => this.last.get(key) !== value);
    for (const { key, value } of changed) this.last.set(key, value);
    return changed;
  }
}
