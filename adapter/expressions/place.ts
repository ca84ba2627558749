/** A place of the program to evaluate in. */
import type { KindOfVariable } from './known-integer';
import type { RankThread } from '../job/rank';
import type { Language } from './expression';

/** Where an expression is evaluated. */
export interface Place {
  thread: RankThread;
  /** 0 is the innermost. */
  frame: number;
  language: Language;
  /** What is known of the frame's INTEGERs. */
  kindOfVariable?: KindOfVariable;
}
