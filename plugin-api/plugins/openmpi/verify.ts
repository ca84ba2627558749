/** A layout is used only after it agrees with the memory of the process. */
import { groupedBy } from '../../grouped-by';
import type { ProcessImage } from '../../image';
import type { LayoutSource } from '../../layout';
import { readPointerArray, readText } from '../../memory';
import type { Check } from '../../mpi/records';
import { guard, MissingTypeError, QueryError } from '../../result';
import { StructReader, type StructSpec, type StructValues } from '../../struct';
import { readAttributes } from './attributes';
import { kinds } from './classes';
import type { Constants, PredefinedKind } from './constants';
import { fortranTable } from './handles';
import type { Library } from './library';
import { classSpec, commSpec, datatypeSpec, errhandlerSpec, groupSpec, opSpec, procSpec, specs } from './specs';
import { type Candidate, essential } from './tables';

export interface Verified {
  /** undefined: the layout does not fit this process. */
  reader: StructReader | undefined;
  checks: Check[];
  /** The text for Implementation.layout. */
  sentence: string;
}

/** Tries one layout. */
export async function verify(
  image: ProcessImage,
  library: Library,
  constants: Constants,
  { name, sources }: Candidate,
): Promise<Verified> {
  const sizes = await checkClassSizes(image, new StructReader(image, sources));
  const misfits = sizes.filter((size) => !size.check.passed);
  const withheld = misfits.some(({ struct }) => essential.includes(struct)) ? [] : misfits;
  const reader = new StructReader(image, without(sources, withheld));
  const isAlive = library.state === 'initialized' || library.state === 'unknown';
  // With a wrong size of what all others need, everything after it would be nonsense.
  const isWorthReading = isAlive && misfits.length === withheld.length;
  const comms = new PredefinedComms(image, reader, constants);
  const facts = launcherAnswers(await image.environment());
  const isForeign = isWorthReading && facts.size !== '1' && (await comms.worldIsAlone());
  const launcher = isForeign ? unlaunched : facts;
  const answers = isWorthReading ? await checkAnswers(comms, launcher) : [];
  const checks = [...sizes.map((size) => size.check), ...answers];
  const wrong = [...(isWorthReading ? [] : misfits.map((size) => size.check)), ...answers].find((c) => !c.passed);
  if (wrong !== undefined) {
    const sentence = `${name}: rejected: ${wrong.name} is ${wrong.found} instead of ${wrong.expected}`;
    return { reader: undefined, checks, sentence };
  }
  if (sizes.length === withheld.length)
    return { reader: undefined, checks, sentence: `${name}: no class size could be checked` };
  const counts = [`${sizes.length - withheld.length} of ${sizes.length} class sizes`];
  if (answers.length > 0) counts.push(`${answers.length} of ${answers.length} known answers`);
  const agree = `${counts.join(' and ')} agree${unchecked(library, launcher, isForeign && facts.rank !== undefined)}`;
  return { reader, checks, sentence: [`${name}: ${agree}`, ...withheld.map(whyWithheld)].join('; ') };
}

/** The library's build or release has changed a struct: what needs it is not decoded. */
function without(sources: readonly LayoutSource[], withheld: readonly ClassSize[]): readonly LayoutSource[] {
  if (withheld.length === 0) return sources;
  const names = new Set(withheld.map(({ struct }) => struct));
  return sources.map((source) => ({
    name: source.name,
    find: (struct, fields) => (names.has(struct) ? Promise.resolve(undefined) : source.find(struct, fields)),
  }));
}

function whyWithheld({ struct, check: { found, expected } }: ClassSize): string {
  return `${struct} is not read: its size is ${found} instead of ${expected}`;
}

function unchecked({ state }: Library, launcher: LauncherAnswers, isForeign: boolean): string {
  if (state === 'notInitialized') return '; known answers not checked: MPI is not initialised';
  if (state === 'finalized') return '; MPI_COMM_WORLD not checked: MPI_Finalize has begun';
  if (isForeign) return '; rank and size of MPI_COMM_WORLD not checked: the launcher is that of another MPI';
  if (launcher.rank === undefined) return "; rank and size of MPI_COMM_WORLD not checked: no launcher's environment";
  return '';
}

interface ClassSize {
  struct: string;
  check: Check;
}

/** Every class has a descriptor in the library that holds the size of its objects. */
async function checkClassSizes(image: ProcessImage, reader: StructReader): Promise<ClassSize[]> {
  const checks = await Promise.all(oncePerStruct.map((spec) => checkClassSize(image, reader, spec)));
  return checks.flatMap((made) => made ?? []);
}

/** Some structs have a second spec, with fields that only a few decoders read: the largest is checked for all. */
const oncePerStruct = [...groupedBy(specs, ({ struct }) => struct).values()].map((ofStruct) =>
  ofStruct.reduce((a, b) => (Object.keys(b.fields).length > Object.keys(a.fields).length ? b : a)),
);

/** undefined: the struct has no class, its descriptor is not exported, or no layout of it is there to be checked. */
async function checkClassSize(
  image: ProcessImage,
  reader: StructReader,
  spec: StructSpec,
): Promise<ClassSize | undefined> {
  const { struct } = spec;
  const descriptor = await image.findSymbol(`${struct}_class`);
  if (descriptor === undefined || !(await hasLayout(reader, spec))) return undefined;
  return {
    struct,
    check: await check(`size of ${struct}`, async () => [
      String((await reader.read(classSpec, descriptor.address)).sizeOf),
      String(await reader.sizeOf(spec)),
    ]),
  };
}

/** A struct that no source has: what needs it is not decoded. A struct that a source contradicts does not count. */
async function hasLayout(reader: StructReader, spec: StructSpec): Promise<boolean> {
  try {
    await reader.sizeOf(spec);
    return true;
  } catch (error) {
    if (error instanceof MissingTypeError && error.type === spec.struct && error.field === undefined) return false;
    if (error instanceof QueryError) return true;
    throw error;
  }
}

/** Facts that hold in every live process, each read through the layout. */
async function checkAnswers(comms: PredefinedComms, launcher: LauncherAnswers): Promise<Check[]> {
  const { image, reader, constants } = comms;
  return Promise.all([
    ...commChecks(comms),
    ...(await objectChecks(reader, constants)),
    ...(await fortranChecks(image, reader, constants)),
    ...(await worldChecks(comms, launcher)),
  ]);
}

class PredefinedComms {
  constructor(
    readonly image: ProcessImage,
    readonly reader: StructReader,
    readonly constants: Constants,
  ) {}

  async read(name: string): Promise<StructValues<typeof commSpec>> {
    return this.reader.read(commSpec, await this.constants.required('comm', name));
  }

  async nameOf(name: string): Promise<string> {
    return commName(this.image, await this.read(name));
  }

  /** As in a process that the launcher of another MPI has started, whatever that has numbered it. */
  async worldIsAlone(): Promise<boolean> {
    const size = await guard(() => this.localSize('MPI_COMM_WORLD'));
    const world = await guard(() => this.read('MPI_COMM_WORLD'));
    return size.ok && size.value === '1' && world.ok && Number(world.value.rank) === 0;
  }

  async localSize(name: string): Promise<string> {
    const { localGroup } = await this.read(name);
    return String((await this.reader.read(groupSpec, localGroup)).count);
  }
}

function commChecks(comms: PredefinedComms): Promise<Check>[] {
  const { image, reader, constants } = comms;
  return [
    check('name of MPI_COMM_NULL', async () => [await comms.nameOf('MPI_COMM_NULL'), 'MPI_COMM_NULL']),
    check('size of MPI_COMM_SELF', async () => [await comms.localSize('MPI_COMM_SELF'), '1']),
    check('MPI_TAG_UB of MPI_COMM_WORLD', async () => {
      const { keyHash } = await comms.read('MPI_COMM_WORLD');
      const attributes = await readAttributes({ image, reader, constants }, keyHash);
      const value = attributes.find((attribute) => attribute.name === 'MPI_TAG_UB')?.value;
      return [String(value), 'at least 32767', Number(value) >= 32767];
    }),
    check('last process of MPI_COMM_WORLD', async () => lastProcess(image, reader, await comms.read('MPI_COMM_WORLD'))),
  ];
}

/** Checks the kinds whose structs have a layout. */
async function objectChecks(reader: StructReader, constants: Constants): Promise<Promise<Check>[]> {
  const checks: Promise<Check>[] = [];
  if (await hasLayout(reader, errhandlerSpec))
    checks.push(
      check('name of MPI_ERRORS_RETURN', async () => {
        const address = await constants.required('errhandler', 'MPI_ERRORS_RETURN');
        return [(await reader.read(errhandlerSpec, address)).name, 'MPI_ERRORS_RETURN'];
      }),
    );
  if (await hasLayout(reader, datatypeSpec))
    checks.push(
      check('size, extent and data of MPI_DOUBLE', async () => {
        const type = await reader.read(datatypeSpec, await constants.required('datatype', 'MPI_DOUBLE'));
        return [`${type.size}, ${type.ub - type.lb}, ${type.trueLb} to ${type.trueUb}`, '8, 8, 0 to 8'];
      }),
    );
  if (await hasLayout(reader, opSpec))
    checks.push(
      check('name of MPI_SUM', async () => {
        const { name: found } = await reader.read(opSpec, await constants.required('op', 'MPI_SUM'));
        return [found, 'MPI_SUM'];
      }),
    );
  return checks;
}

/** Its name, unless the program has changed it, which proves nothing, and what the launcher told. */
async function worldChecks(comms: PredefinedComms, { rank, size }: LauncherAnswers): Promise<Promise<Check>[]> {
  const checks: Promise<Check>[] = [];
  const name = await guard(() => comms.nameOf('MPI_COMM_WORLD'));
  if (name.ok && name.value === 'MPI_COMM_WORLD')
    checks.push(check('name of MPI_COMM_WORLD', async () => [name.value, 'MPI_COMM_WORLD']));
  if (rank !== undefined)
    checks.push(check('rank in MPI_COMM_WORLD', async () => [String((await comms.read('MPI_COMM_WORLD')).rank), rank]));
  if (size !== undefined)
    checks.push(check('size of MPI_COMM_WORLD', async () => [await comms.localSize('MPI_COMM_WORLD'), size]));
  return checks;
}

/** What was found, what was expected, and whether they agree if that is more than equal text. */
type Facts = [found: string, expected: string, passed?: boolean];

/** What cannot be read has failed. */
async function check(name: string, facts: () => Promise<Facts>): Promise<Check> {
  try {
    const [found, expected, passed = found === expected] = await facts();
    return { name, passed, found, expected };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return { name, passed: false, found: error.message, expected: 'a value' };
  }
}

const maxNameLength = 64;

async function commName(image: ProcessImage, { name }: StructValues<typeof commSpec>): Promise<string> {
  return typeof name === 'string' ? name : readText(image, name, maxNameLength);
}

/** Its rank is its number in its job. */
async function lastProcess(
  image: ProcessImage,
  reader: StructReader,
  world: StructValues<typeof commSpec>,
): Promise<Facts> {
  const { procs, count } = await reader.read(groupSpec, world.localGroup);
  const last = BigInt(8 * (count - 1));
  const [proc] = await readPointerArray(image, procs + last, 1, 1, 'one process');
  const isSentinel = proc! % 2n === 1n;
  const vpid = isSentinel ? Number(proc! >> 32n) : (await reader.read(procSpec, proc!)).vpid;
  return [String(vpid), String(count - 1)];
}

/** The first slot of every kind's table; MPI_COMM_WORLD, MPI_COMM_SELF and MPI_COMM_NULL are the first of theirs. */
async function fortranChecks(
  image: ProcessImage,
  reader: StructReader,
  constants: Constants,
): Promise<Promise<Check>[]> {
  const checks: Promise<Check>[] = [];
  for (const [kind, { type, table }] of Object.entries(kinds)) {
    if (kind !== 'comm' && (await image.findSymbol(table)) === undefined) continue;
    for (const { name, handle, fortran } of await constants.ofKind(kind as PredefinedKind))
      if (fortran === 0 || kind === 'comm')
        checks.push(
          check(`Fortran's ${type} ${fortran}`, async () => {
            const found = await (await fortranTable({ image, reader }, kind as PredefinedKind)).item(fortran);
            return [found === handle ? name : `0x${found.toString(16)}`, name];
          }),
        );
  }
  return checks;
}

/** What the launcher told the process, as text to compare with text. */
interface LauncherAnswers {
  rank: string | undefined;
  size: string | undefined;
}

const unlaunched: LauncherAnswers = { rank: undefined, size: undefined };

/** mpirun's own variables; those of PMIx and PMI under other launchers. */
function launcherAnswers(environment: ReadonlyMap<string, string>): LauncherAnswers {
  const first = (names: readonly string[]) => names.map((name) => environment.get(name)).find((v) => v !== undefined);
  return {
    rank: first(['OMPI_COMM_WORLD_RANK', 'PMIX_RANK', 'PMI_RANK']),
    size: first(['OMPI_COMM_WORLD_SIZE', 'PMI_SIZE']),
  };
}
