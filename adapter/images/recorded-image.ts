/** Answers queries from a recording: the same bytes, symbols and types, without the process. */
import type { Module, ProcessImage, Search, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import { FaultError, QueryError } from '../../plugin-api/result';
import type { RecordedSymbol, Recording } from './recording';
import { faultKey, symbolKey, typeKey } from './recording';

const NOT_RECORDED = 'not in the recording (npm run record makes a new one)';

interface Run {
  address: bigint;
  bytes: Uint8Array;
}

/** Reading anything that was not recorded throws an error that says so. */
export class RecordedImage implements ProcessImage {
  readonly target: 'live' | 'core';
  private readonly recording: Recording;
  private readonly recordedModules: readonly Module[];
  private readonly runs: readonly Run[];
  private readonly faults: ReadonlySet<string>;

  constructor(recording: Recording) {
    this.recording = recording;
    this.target = recording.target;
    this.recordedModules = recording.modules.map((module): Module => ({
      ...module,
      bias: toAddress(module.bias),
      buildId: module.buildId ?? undefined,
      segments: module.segments.map((segment) => ({ ...segment, address: toAddress(segment.address) })),
    }));
    this.runs = recording.memory.map(({ address, bytes }) => ({
      address: toAddress(address),
      bytes: new Uint8Array(Buffer.from(bytes, 'hex')),
    }));
    this.faults = new Set(recording.faults.map(({ address, length }) => faultKey(toAddress(address), length)));
  }

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    if (length === 0) return new Uint8Array(0);
    const run = this.runs.findLast((candidate) => candidate.address <= address);
    const offset = run === undefined ? 0 : Number(address - run.address);
    if (run !== undefined && offset + length <= run.bytes.length) return run.bytes.slice(offset, offset + length);
    if (this.faults.has(faultKey(address, length))) throw new FaultError(address, length);
    throw new FaultError(address, length, NOT_RECORDED);
  }

  async modules(): Promise<readonly Module[]> {
    return this.recordedModules;
  }

  async findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    const index =
      module && this.recordedModules.findIndex(({ path, bias }) => path === module.path && bias === module.bias);
    return this.symbol(recorded(this.recording.symbols, symbolKey(name, index), `symbol ${name}`));
  }

  async symbolAt(address: bigint): Promise<Symbol | undefined> {
    const key = address.toString(16);
    return this.symbol(recorded(this.recording.symbolsAt, key, `symbol at 0x${key}`));
  }

  async findType(name: string, fields: readonly string[]): Promise<TypeLayout | undefined> {
    return recorded(this.recording.types, typeKey(name, fields), `struct ${name}`) ?? undefined;
  }

  async findAllocated(word: number): Promise<Search | undefined> {
    const { searches = {} } = this.recording;
    const found = recorded(searches, String(word), `the search for ${word}`);
    if (found === null) return undefined;
    return { ...found, addresses: found.addresses.map(toAddress) };
  }

  async environment(): Promise<ReadonlyMap<string, string>> {
    return new Map(Object.entries(this.recording.environment));
  }

  private symbol(found: RecordedSymbol | null): Symbol | undefined {
    const module = found && this.recordedModules[found.module];
    return module ? { name: found.name, address: toAddress(found.address), size: found.size, module } : undefined;
  }
}

function toAddress(text: string): bigint {
  return BigInt(`0x${text}`);
}

function recorded<T>(answers: Record<string, T>, key: string, what: string): T {
  const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
  if (answer === undefined) throw new QueryError('MPIDBG_ERR_UNAVAILABLE', `${what}: ${NOT_RECORDED}`);
  return answer;
}
