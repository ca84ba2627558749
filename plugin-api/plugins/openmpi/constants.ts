/**
 * The predefined handles and the integer constants of Open MPI's mpi.h, by name. A predefined C handle is the address of
 * an object in the library, or in the executable, where a program that is not position independent has its own copy.
 * constants.json: measured with 4.1.4; integersSince5 and integersSince6 are those that 5.0 and 6.0 added. Fortran values as in mpif-handles.h.
 */
import type { ProcessImage } from '../../image';
import { integerConstants } from '../../mpi/integer-constants';
import type { MpiConstant } from '../../mpi/plugin';
import type { HandleKind } from '../../mpi/records';
import { isErrorClass } from '../../mpi/standard-abi';
import { onceFor } from '../../once';
import { QueryError } from '../../result';
import data from './constants.json';

export type PredefinedKind = Exclude<HandleKind, 'status'>;

interface PredefinedHandle {
  name: string;
  handle: bigint;
  fortran: number;
}

const handles: Readonly<Record<PredefinedKind, Readonly<Record<string, { symbol: string; fortran: number }>>>> =
  data.handles;

/** The constants of every release, without a process: of a handle only the symbol. */
export const staticConstants: ReadonlyMap<string, MpiConstant> = new Map([
  ...Object.entries(handles).flatMap(([kind, ofKind]) =>
    Object.entries(ofKind).map(([name, { symbol, fortran }]): [string, MpiConstant] => [
      name,
      { kind: 'handle', handleKind: kind as PredefinedKind, handle: 0n, fortran, symbol },
    ]),
  ),
  ...integerConstants(data.integers, data.fortranIntegers),
  ...pointerConstants(),
]);

function pointerConstants(): [string, MpiConstant][] {
  return Object.entries(data.pointers).map(([name, value]) => [name, { kind: 'pointer', address: BigInt(value) }]);
}

/** The constants of one process; handles are looked up kind by kind, as they are asked for. */
export class Constants {
  private readonly kinds = new Map<PredefinedKind, Promise<readonly PredefinedHandle[]>>();
  private readonly integers: Readonly<Record<string, number>>;

  /** `version`: of the library; undefined when it is unknown. */
  constructor(
    private readonly image: ProcessImage,
    version: string | undefined,
  ) {
    const major = version === undefined ? 0 : Number.parseInt(version);
    this.integers = {
      ...data.integers,
      ...(major >= 5 ? data.integersSince5 : {}),
      ...(major >= 6 ? data.integersSince6 : {}),
    };
  }

  /** The value of an integer constant; undefined where this library lacks it. */
  integer(name: string): number | undefined {
    return this.integers[name];
  }

  /** The name of an error class; undefined for a number that is no predefined class, such as those of a program. */
  errorName(value: number): string | undefined {
    return Object.entries(this.integers).find(([name, error]) => error === value && isErrorClass(name))?.[0];
  }

  /** The name of the constant with this prefix and value: "MPI_COMBINER_" and 3. */
  nameOf(beginning: string, value: number): string | undefined {
    return this.namesBy(beginning).get(value);
  }

  /** By value; of several names the first. */
  private readonly namesBy = onceFor((beginning: string): ReadonlyMap<number, string> => {
    const named = Object.entries(this.integers).filter(([name]) => name.startsWith(beginning));
    return new Map(named.reverse().map(([name, value]) => [value, name]));
  });

  /** The predefined handles of a kind that this library has. */
  ofKind(kind: PredefinedKind): Promise<readonly PredefinedHandle[]> {
    let found = this.kinds.get(kind);
    if (found === undefined) {
      found = this.lookUp(kind);
      this.kinds.set(kind, found);
    }
    return found;
  }

  /** The constant's handle; undefined where this library lacks it. */
  async handle(kind: PredefinedKind, name: string): Promise<bigint | undefined> {
    return (await this.ofKind(kind)).find((c) => c.name === name)?.handle;
  }

  /** The predefined handle of this name. Throws NOT_SUPPORTED where this library lacks it. */
  async required(kind: PredefinedKind, name: string): Promise<bigint> {
    const handle = await this.handle(kind, name);
    if (handle === undefined) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `this library has no ${name}`);
    return handle;
  }

  /** The constant that has this handle; undefined for a handle that is not predefined. */
  async predefined(kind: PredefinedKind, handle: bigint): Promise<PredefinedHandle | undefined> {
    return (await this.byHandle(kind)).get(handle);
  }

  private readonly byHandle = onceFor(async (kind: PredefinedKind): Promise<ReadonlyMap<bigint, PredefinedHandle>> => {
    return new Map([...(await this.ofKind(kind))].reverse().map((constant) => [constant.handle, constant]));
  });

  async all(): Promise<ReadonlyMap<string, MpiConstant>> {
    const kinds = Object.keys(handles) as PredefinedKind[];
    const found = await Promise.all(
      kinds.map(async (kind) =>
        (await this.ofKind(kind)).map(({ name, handle, fortran }): [string, MpiConstant] => [
          name,
          { kind: 'handle', handleKind: kind, handle, fortran, symbol: handles[kind][name]!.symbol },
        ]),
      ),
    );
    const integers = integerConstants(this.integers, data.fortranIntegers);
    return new Map([...found.flat(), ...integers, ...pointerConstants()]);
  }

  private async lookUp(kind: PredefinedKind): Promise<readonly PredefinedHandle[]> {
    const found = await Promise.all(
      Object.entries(handles[kind]).map(async ([name, { symbol, fortran }]) => {
        const object = await this.image.findSymbol(symbol);
        return object === undefined ? [] : [{ name, handle: object.address, fortran }];
      }),
    );
    return found.flat();
  }
}
