/** What the client asks the server beyond the Language Server Protocol: in which scope a variable is declared. */
import type { Declaration } from '../../plugin-api/fortran/declarations';

export const declarationRequest = 'mpidbg/declaration';

export interface DeclarationParams {
  /** An absolute path. */
  file: string;
  /** From 1. */
  line: number;
  /** A designator without subscripts. */
  variable: string;
}

/** null: the file is not one of the workspace's sources. */
export type DeclarationAnswer = {
  /** Missing: there is no such variable at that line. */
  declaration?: Declaration;
} | null;
