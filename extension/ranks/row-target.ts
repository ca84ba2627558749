/** What a row of a view, or a shape of a picture, is about. */
export interface RowTarget {
  /** A rank set. */
  ranks: string;
  /** The source line that the row names; without one, the line where the rank stands is shown. */
  source?: { readonly file: string; readonly line: number };
}
