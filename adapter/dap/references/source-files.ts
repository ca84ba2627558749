/**
 * The sources of frames: files of this machine, or files that only the rank has, in its container or on its host. Clients ask for the text
 * of these by a number.
 */
import { access } from 'node:fs/promises';
import { basename, isAbsolute, normalize } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { ElfError } from '../../elf/byte-source';
import { withFile } from '../../elf/distant-bytes';
import type { HostProcess } from '../../hosts/host-process';
import type { Rank } from '../../job/rank';

/** Bytes of a text that is read from a rank's machine: more than people write by hand. */
const maxDistantLength = 16 * 1024 * 1024;

interface DistantSource {
  readonly path: string;
  /** The last one that was seen to have it. */
  process: HostProcess;
  readonly reference: number;
  /** Kept once a client has asked for it, since the rank may end. */
  text?: Promise<string>;
}

export class SourceFiles {
  /** By path. */
  private readonly here = new Map<string, Promise<boolean>>();
  /** By host and path, for as long as the session lasts; undefined: it is not there either. */
  private readonly distant = new Map<string, Promise<DistantSource | undefined>>();
  private readonly byReference = new Map<number, DistantSource>();

  /** Files may come and go while ranks run. */
  forget(): void {
    this.here.clear();
  }

  /** undefined if neither this machine nor the rank's has the file. `isOwn`: the file belongs to the program itself, so the rank's machine is asked as well. */
  async of(rank: Rank, named: string, isOwn: boolean): Promise<DebugProtocol.Source | undefined> {
    if (!isAbsolute(named)) return undefined;
    const path = normalize(named);
    const source = { name: basename(path), path };
    if (await this.isHere(path)) return source;
    const { process } = rank;
    if (!isOwn || process === undefined) return undefined;
    const found = await this.distantSource(process, path);
    return found && { ...source, sourceReference: found.reference, origin: originOf(process) };
  }

  /** Rejects with an error whose message says why it cannot be read; undefined: no source has this number. */
  text(reference = 0): Promise<string> | undefined {
    const found = this.byReference.get(reference);
    if (found === undefined) return undefined;
    found.text ??= textOf(found);
    // What could not be read now may be read by another rank.
    found.text.catch(() => delete found.text);
    return found.text;
  }

  /** Asked once per stop: a stack of all ranks names the same few files. */
  isHere(path: string): Promise<boolean> {
    let answer = this.here.get(path);
    if (answer === undefined) {
      answer = access(path).then(
        () => true,
        () => false,
      );
      this.here.set(path, answer);
    }
    return answer;
  }

  private async distantSource(process: HostProcess, path: string): Promise<DistantSource | undefined> {
    const key = `${process.host.name} ${path}`;
    let asked = this.distant.get(key);
    if (asked === undefined) this.distant.set(key, (asked = this.find(process, path)));
    const found = await asked;
    if (found !== undefined) found.process = process;
    return found;
  }

  private async find(process: HostProcess, path: string): Promise<DistantSource | undefined> {
    const [state] = await process.namedStates([path]).catch(() => []);
    if (state === undefined) return undefined;
    const source: DistantSource = { path, process, reference: this.byReference.size + 1 };
    this.byReference.set(source.reference, source);
    return source;
  }
}

const originOf = ({ host }: HostProcess): string => `read through a rank on ${host.name}`;

function textOf({ path, process }: DistantSource): Promise<string> {
  return withFile(
    path,
    () => process.openNamed(path),
    async (file) => {
      if (file.size > maxDistantLength) throw new ElfError(`it is longer than ${maxDistantLength} bytes`);
      return Buffer.from(await file.read(0, file.size)).toString('utf8');
    },
  );
}
