/** A folder of one session, and names in it. */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../hosts/temporary-folder';

/** For unpacked cores, and for what gdb needs in a place of its own; made when it is first asked for. */
export class SessionFolder {
  private made: string | undefined;
  private links = 0;

  get path(): string {
    return (this.made ??= temporaryFolder('mpidbg-cores-'));
  }

  /** gdb takes what follows its command for a file's name, up to the end of the line and without blanks at the end. */
  nameForGdb(file: string): string {
    if (!/[\n\r]|\s$/.test(file)) return file;
    const link = join(this.path, `name-${++this.links}`);
    symlinkSync(file, link);
    return link;
  }

  remove(): void {
    if (this.made !== undefined) rmSync(this.made, { recursive: true, force: true });
  }
}
