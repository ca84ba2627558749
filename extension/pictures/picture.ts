/** A picture as data: the webview draws it and knows nothing of MPI. Texts are shown as text, never as HTML. */
import type { RowTarget } from '../ranks/row-target';

export interface Picture {
  title: string;
  /** What it shows, in a few lines: read aloud instead of the picture, too. */
  lines: readonly string[];
  /** The same, but below the drawing. */
  below?: readonly string[];
  /** Words in these lines that show a rank when they are clicked. */
  links?: readonly { text: string; target: RowTarget }[];
  /** The width of the drawing, in pixels. */
  width: number;
  height: number;
  shapes: readonly Shape[];
}

/**
 * How a shape looks: by what it means, in the colors of the theme. `series 0` to `series 5` tell things apart, `shade 0` to
 * `shade 5` are for a little to much.
 */
export type Look =
  | ('plain' | 'own' | 'fault' | 'hole' | 'waits' | 'waits for one of')
  | `${'series' | 'shade'} ${0 | 1 | 2 | 3 | 4 | 5}`;

export type Shape =
  | { kind: 'box'; x: number; y: number; width: number; height: number; look: Look; texts?: string[]; hint?: string }
  | { kind: 'text'; x: number; y: number; text: string; anchor?: 'start' | 'middle' | 'end' }
  | { kind: 'arrow'; from: Point; to: Point; look: Look }
  /** A box that shows a rank when it is clicked. `hint`: for one without texts. */
  | {
      kind: 'rank';
      x: number;
      y: number;
      width: number;
      height: number;
      look: Look;
      texts: string[];
      hint?: string;
      target: RowTarget;
    };

/** What the page says: a shape or a link that shows a rank was clicked, by its index. */
export type FromPicture = { kind: 'clicked'; shape: number } | { kind: 'followed'; link: number };

export interface Point {
  x: number;
  y: number;
}
