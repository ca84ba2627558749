/** The frame in which an expression is evaluated. */
import type { KindOfVariable, NameOfNumber } from './known-integer';
import type { RankThread } from '../job/rank';
import type { Language } from './expression';

export interface EvaluationFrame {
  thread: RankThread;
  /** 0 is the innermost. */
  frame: number;
  language: Language;
  /** What is known of the frame's INTEGERs. */
  kindOfVariable?: KindOfVariable;
  /** How many INTEGERs a status is in the rank's MPI; undefined: the MPI is not known. */
  statusLength?: () => Promise<number | undefined>;
  /** What MPI calls the values of its variables. */
  nameOfNumber?: NameOfNumber;
}
