/** The code of one module in memory, by addresses as its file counts them. */
import type { Module, ProcessImage } from '../../image';
import { mayReadCode } from '../../mpi/vendors';
import { FaultError } from '../../result';
import { decode, maxInstructionLength } from '../x86-64/decode';
import { functionAt } from '../unwind/function-bounds';
import type { Instruction } from '../instruction';
import { LinkedNames } from './linked-names';
import { Returning } from './returning';

const pageSize = 4096;

/** Addresses in the module; `end` is behind the last byte. */
export interface Piece {
  start: number;
  end: number;
}

/** What code is read from. */
export interface CodeSource {
  /** Rejects with UnknownInstructionError. */
  instructionAt(address: number): Instruction | Promise<Instruction>;
  /** As functionAt. */
  pieceAt(address: number): Promise<Piece | undefined>;
  /** False where the function that begins there never returns. */
  mayReturn(start: number): Promise<boolean>;
  /** Whether the function whose address the dynamic linker has put into this slot may return. */
  mayReturnThrough(slot: number): Promise<boolean>;
  /** A number in the memory of the module; undefined: it cannot be read. */
  int32At(address: number): Promise<number | undefined>;
}

export class ModuleCode implements CodeSource {
  private readonly pages = new Map<number, Uint8Array>();
  private readonly names: LinkedNames;
  private readonly returning = new Returning(this);

  constructor(
    private readonly image: ProcessImage,
    private readonly module: Module,
  ) {
    this.names = new LinkedNames(image, module);
  }

  instructionAt(address: number): Instruction | Promise<Instruction> {
    const bytes = this.knownBytes(address);
    return bytes === undefined ? this.readInstruction(address) : decode(bytes);
  }

  async pieceAt(address: number): Promise<Piece | undefined> {
    const { bias } = this.module;
    const bounds = await functionAt(this.image, this.module, bias + BigInt(address));
    return bounds && { start: Number(bounds.start - bias), end: Number(bounds.end - bias) };
  }

  mayReturn(start: number): Promise<boolean> {
    return this.returning.mayReturn(start);
  }

  mayReturnThrough(slot: number): Promise<boolean> {
    return this.returning.mayReturnThrough(slot);
  }

  async int32At(address: number): Promise<number | undefined> {
    const at = address % pageSize;
    const page = await this.page(Math.floor(address / pageSize));
    if (at + 4 > page.length) return undefined;
    return new DataView(page.buffer, page.byteOffset).getInt32(at, true);
  }

  linkedName(slot: number): Promise<string | undefined> {
    return this.names.at(slot);
  }

  private knownBytes(address: number): Uint8Array | undefined {
    const page = this.pages.get(Math.floor(address / pageSize));
    const at = address % pageSize;
    return page !== undefined && at + maxInstructionLength <= pageSize ? page.subarray(at) : undefined;
  }

  private async readInstruction(address: number): Promise<Instruction> {
    const number = Math.floor(address / pageSize);
    const pages = [await this.page(number)];
    const at = address % pageSize;
    if (at + maxInstructionLength > pageSize) pages.push(await this.page(number + 1));
    return decode(joined(pages).subarray(at));
  }

  /** Empty where nothing can, or may, be read. */
  private async page(number: number): Promise<Uint8Array> {
    let page = this.pages.get(number);
    if (page === undefined) {
      page = await this.readPage(number);
      this.pages.set(number, page);
    }
    return page;
  }

  private async readPage(number: number): Promise<Uint8Array> {
    if (!(await mayReadCode(this.image, this.module))) return new Uint8Array();
    try {
      return await this.image.readMemory(this.module.bias + BigInt(number * pageSize), pageSize);
    } catch (error) {
      if (error instanceof FaultError) return new Uint8Array();
      throw error;
    }
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
