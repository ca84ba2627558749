/** A live process of this host, read directly: no debugger, no code run in it, and it need not be stopped. */
import { readFileSync } from 'node:fs';
import type { Module, Search, Symbol } from '../../../plugin-api/image';
import { searchAllocated } from '../allocated-memory';
import type { EpochImage } from '../epoch-image';
import type { LinkedModules } from '../modules/linked-modules';
import { readLiveModules } from './live-modules';
import { explainProcessError, processExited } from '../../hosts/process-access-error';
import { parseMaps, readMapsText, type LiveMapping } from '../../hosts/process-maps';
import { ProcessMemory } from '../../hosts/process-memory';

/**
 * For data: code may show a debugger's breakpoints (see ProcessMemory). Knows no debug information.
 * Every method but environment() throws ProcessAccessError when the process has exited or may not be read.
 */
export class LiveImage implements EpochImage {
  readonly target = 'live';
  readonly pid: number;
  readonly #memory: ProcessMemory;
  readonly #startTime: string;
  /** False after the process has run: it may have ended, and another one may have its pid. */
  #isSameProcess = true;
  #modules: { mapped: string; linked: LinkedModules } | undefined;
  /** False after the process has run: libraries may have come or gone. */
  #modulesAreCurrent = false;

  constructor(pid: number) {
    this.pid = pid;
    this.#memory = new ProcessMemory(pid);
    this.#startTime = startTime(pid);
  }

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    this.#checkProcess();
    return this.#memory.read(address, length);
  }

  async modules(): Promise<readonly Module[]> {
    return this.#linked().all.map(({ module }) => module);
  }

  async findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    return this.#linked().find(name, module);
  }

  async symbolAt(address: bigint): Promise<Symbol | undefined> {
    return this.#linked().at(address);
  }

  async findType(): Promise<undefined> {
    return undefined;
  }

  async findAllocated(word: number): Promise<Search> {
    this.#checkProcess();
    const areas = parseMaps(readMapsText(this.pid)).filter(isAllocated);
    const sized = areas.map(({ start, end }) => ({ start, size: Number(end - start) }));
    return searchAllocated(sized, (address, length) => this.#memory.read(address, length), word, 'live');
  }

  async environment(): Promise<ReadonlyMap<string, string>> {
    return readEnvironment(this.pid);
  }

  /** Libraries may have been loaded, or another program executed. */
  invalidate(): void {
    this.close();
  }

  /** Closes its file. Whatever is asked later opens it again. */
  close(): void {
    this.#memory.close();
    this.#modulesAreCurrent = false;
    this.#isSameProcess = false;
  }

  #checkProcess(): void {
    if (this.#isSameProcess) return;
    if (startTime(this.pid) !== this.#startTime) throw processExited(this.pid);
    this.#isSameProcess = true;
  }

  /** Most stops find the same files mapped as before: then the modules are the same, too. */
  #linked(): LinkedModules {
    this.#checkProcess();
    if (this.#modules === undefined || !this.#modulesAreCurrent) {
      const maps = readMapsText(this.pid);
      const mapped = mappedFiles(maps);
      if (this.#modules?.mapped !== mapped) {
        this.#modules = { mapped, linked: readLiveModules(this.pid, parseMaps(maps), this.#memory) };
      }
      this.#modulesAreCurrent = true;
    }
    return this.#modules.linked;
  }
}

/** The heap, and memory without a name, or with one that its owner gave it. */
function isAllocated({ path, writable, shared }: LiveMapping): boolean {
  return writable && !shared && /^(\[heap\]|\[anon:.*\])?$/.test(path);
}

/** The heap and other anonymous memory come and go. */
function mappedFiles(maps: string): string {
  return maps
    .split('\n')
    .filter((line) => line.includes('/'))
    .join('\n');
}

/** Tells a process from a later one with the same pid. */
function startTime(pid: number): string {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field, the name, may hold blanks and parentheses; the start time is the 22nd.
    const field = status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
    return field ?? '';
  } catch (error) {
    throw explainProcessError(pid, error);
  }
}

function readEnvironment(pid: number): Map<string, string> {
  const environment = new Map<string, string>();
  let text = '';
  try {
    text = readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return environment;
  }
  for (const entry of text.split('\0')) {
    const equals = entry.indexOf('=');
    // As getenv does: of two entries with one name the first counts.
    if (equals > 0 && !environment.has(entry.slice(0, equals))) {
      environment.set(entry.slice(0, equals), entry.slice(equals + 1));
    }
  }
  return environment;
}
