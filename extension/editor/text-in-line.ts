/** A text that is written behind a line, for what begins in this column of it. */
export interface TextInLine {
  start: number;
  length: number;
  text: string;
}
