/** Writes a file completely or not at all: an interrupted run leaves the old file in place. */
import { constants } from 'node:fs';
import { access, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StartError } from '../job/start-error';
import { isReaderGone, whyNotWritten } from '../hosts/write-failure';

/** In place of a file's name; a file of this name is `./-`. */
export const standardOutput = '-';

export class OutputFile {
  private constructor(
    private readonly name: string,
    /** With symbolic links resolved. */
    private readonly path: string,
    /** A device or a pipe is written to, never replaced. */
    private readonly isRegular: boolean,
  ) {}

  /** As `at`; undefined: no file, or `-`, standard output, which print writes. */
  static async unlessStandard(name: string | undefined): Promise<OutputFile | undefined> {
    return name === undefined || name === standardOutput ? undefined : OutputFile.at(name);
  }

  /** Rejects with StartError when `name` could not be written: better before the work than after it. */
  static async at(name: string): Promise<OutputFile> {
    try {
      const path = await realpath(name).catch(() => name);
      const there = await stat(path).catch(() => undefined);
      if (there?.isDirectory()) throw new StartError(`${name} is a folder: name a file in it`);
      const isRegular = there === undefined || there.isFile();
      await access(isRegular ? dirname(path) : path, constants.W_OK);
      return new OutputFile(name, path, isRegular);
    } catch (error) {
      throw told(name, error);
    }
  }

  async write(text: string): Promise<void> {
    const part = join(dirname(this.path), `.${basename(this.path)}.${process.pid}.part`);
    try {
      if (!this.isRegular) return await writeFile(this.path, text);
      await writeFile(part, text, { flag: 'wx' });
      await rename(part, this.path);
    } catch (error) {
      if (this.isRegular) await rm(part, { force: true });
      throw told(this.name, error);
    }
  }
}

function told(name: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ENOENT') return new StartError(`${name} cannot be written: there is no folder ${dirname(name)}`);
  if (error.code === 'EACCES' || error.code === 'EROFS')
    return new StartError(`${name} cannot be written: choose a folder that you may write to`);
  if (isReaderGone(error)) return error;
  return new StartError(`${name} cannot be written: ${whyNotWritten(error as NodeJS.ErrnoException)}`);
}
