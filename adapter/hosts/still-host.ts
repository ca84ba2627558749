/** This machine while processes of it stand still: what the kernel tells about them is asked for once, and at once. */
import { closeSync, openSync, readlinkSync, readSync } from 'node:fs';
import { onceFor } from '../../plugin-api/once';
import type { HostFile } from './host';
import { LocalHost } from './local-host';

/** The kernel writes these files in pieces of a page. */
const pieceSize = 4096;

export class StillHost extends LocalHost {
  private text = onceFor(readAll);
  private link = onceFor(readLink);
  /** By how a process sees files, and the name that it has for one. */
  private readonly files = new Map<string, Promise<HostFile>>();
  /** By the same key. */
  private readonly states = new Map<string, string | undefined>();

  /** To wait for a thread that reads takes longer than to read what the kernel has in its memory. */
  override async readFile(path: string): Promise<Buffer> {
    return this.text(path);
  }

  override async readLink(path: string): Promise<string> {
    return this.link(path);
  }

  /** Ranks have the same libraries, and each may have 200 of them. */
  override async openFile(path: string): Promise<HostFile> {
    const key = await this.fileKey(path);
    if (key === undefined) return super.openFile(path);
    let file = this.files.get(key);
    if (file === undefined) this.files.set(key, (file = super.openFile(path)));
    return { ...(await file), close: () => undefined };
  }

  override async fileStates(paths: readonly string[]): Promise<(string | undefined)[]> {
    return Promise.all(
      paths.map(async (path) => {
        const key = await this.fileKey(path);
        if (key === undefined) return (await super.fileStates([path]))[0];
        if (!this.states.has(key)) this.states.set(key, (await super.fileStates([path]))[0]);
        return this.states.get(key);
      }),
    );
  }

  /** As HostProcess.fileView: processes with the same one find the same file behind a name. undefined: not a process' name. */
  private async fileKey(path: string): Promise<string | undefined> {
    const [, folder, name] = /^(\/proc\/\d+)\/root(\/.*)$/.exec(path) ?? [];
    if (folder === undefined) return undefined;
    const view = (await Promise.all(['ns/mnt', 'root'].map((link) => this.readLink(`${folder}/${link}`)))).join(' ');
    return `${view} ${name}`;
  }

  /** Its processes have run, or will. */
  forget(): void {
    this.states.clear();
    this.text = onceFor(readAll);
    this.link = onceFor(readLink);
    for (const opened of this.files.values())
      opened.then(
        (file) => file.close(),
        () => undefined, // whoever asked for it knows
      );
    this.files.clear();
  }
}

function readLink(path: string): string {
  return readlinkSync(path);
}

function readAll(path: string): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const pieces: Buffer[] = [];
    for (;;) {
      const piece = Buffer.allocUnsafe(pieceSize);
      const length = readSync(descriptor, piece);
      if (length === 0) return Buffer.concat(pieces);
      pieces.push(piece.subarray(0, length));
    }
  } finally {
    closeSync(descriptor);
  }
}
