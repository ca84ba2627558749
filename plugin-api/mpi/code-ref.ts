/** A place in the code of a process. Function, file and line: where they are known. */
export interface CodeRef {
  /** "0x401136" */
  address: string;
  function?: string;
  file?: string;
  line?: number;
  /** Path of the file that the code is in. */
  module?: string;
}
