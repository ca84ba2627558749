/** The launcher that belongs to the MPI that a program is linked with, found without running either. */
import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { MpiFacts } from '../../plugin-api/mpi/facts';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { ElfError } from '../elf/byte-source';
import { openElf } from '../elf/elf-cache';
import type { ElfFile } from '../elf/elf-file';
import { isForThisMachine } from '../elf/elf-machine';
import type { LinkerSettings } from '../elf/linked-libraries';
import { openHere } from '../hosts/local-host';
import { findExecutable } from '../hosts/executables';
import { isContainerRuntime } from './container-runtimes';
import { checkProgramFile } from './executable-file';
import { findLauncherOf, launcherAt } from './launcher-files';
import type { ProgramLibraries, ProgramMpi } from './mpi-of-program';
import { findMpi } from './mpi-of-program';
import type { LaunchAdvice, Notice } from '../job/advice';
import { LaunchError, StartError } from '../job/start-error';

export interface LauncherRequest {
  /** Absolute paths: one, or several for MPMD. */
  programs: readonly string[];
  /** The user's own choice: a path, or a name in PATH. */
  launcher: string | undefined;
  cwd: string;
  /** The environment of the ranks: PATH and LD_LIBRARY_PATH matter. */
  env: NodeJS.ProcessEnv;
  /** Default: the shipped ones. */
  mpis?: KnownMpis;
}

export interface LauncherChoice {
  /** What the programs are linked with; undefined when mpidbg finds no MPI in them. */
  mpi: ProgramMpi | undefined;
  /** Absolute. */
  launcher: string;
  /** One sentence: why this one. */
  reason: string;
  warnings: readonly Notice<LaunchAdvice>[];
}

const RELOCATABLE = 1;
const CORE = 4;

/**
 * Rejects with StartError, LaunchError: a program that cannot be started, an MPI that cannot be determined, another MPI's
 * launcher, or none.
 */
export async function chooseLauncher({
  programs,
  launcher,
  cwd,
  env,
  mpis = shippedMpis,
}: LauncherRequest): Promise<LauncherChoice> {
  const settings = { open: openHere, libraryPath: env['LD_LIBRARY_PATH'], cwd };
  const inspected: (Inspected & { program: string })[] = [];
  for (const program of programs) inspected.push({ program, ...(await inspect(program, settings, mpis)) });
  const mpi = commonMpi(inspected);
  const warnings = inspected.flatMap(({ program, missing }) => missing.map((each) => missingLibrary(program, each)));
  const [first = ''] = programs;
  if (launcher !== undefined) {
    const path = findExecutable(launcher, cwd, env['PATH']);
    if (path === undefined) throw noSuchLauncher(launcher, mpi, mpis);
    if (mpi === undefined && !isContainerRuntime(first))
      warnings.push({ text: `${invisible(first, inspected)}: it is started with ${path} as you asked` });
    if (mpi !== undefined) await checkFits(first, mpi, path, mpis);
    return { mpi, launcher: path, reason: `you named ${path}`, warnings };
  }
  if (mpi === undefined) {
    const sentences = [invisible(first, inspected), ...warnings.slice(0, 1).map(({ text }) => text)];
    throw new LaunchError(sentences.join(': '), { kind: 'nameLauncher', lacksLibrary: warnings.length > 0 });
  }
  const found = await findLauncherOf(mpi, env['PATH'], mpis);
  if (found === undefined) throw launcherMissing(first, mpi, mpis);
  const reason = `${first} is linked with ${describe(mpi)}, to which ${found} belongs`;
  return { mpi, launcher: found, reason, warnings };
}

interface Inspected extends ProgramLibraries {
  /** For a script: what runs it. */
  interpreter?: string;
}

async function inspect(program: string, settings: LinkerSettings, mpis: KnownMpis): Promise<Inspected> {
  checkProgramFile(program);
  try {
    const interpreter = readInterpreter(program);
    if (interpreter !== undefined) return { mpi: undefined, unknownMpi: undefined, missing: [], interpreter };
    const file = openElf(program);
    checkElf(program, file);
    return await findMpi(realpathSync(program), file, settings, mpis);
  } catch (error) {
    if (error instanceof ElfError) throw new StartError(`${program} cannot be started: ${error.message}`);
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
      throw new StartError(`${program} can be run but not read: a debugger needs chmod +r on it`);
    }
    throw error;
  }
}

function checkElf(program: string, { type, machine }: ElfFile): void {
  if (type === RELOCATABLE) throw new StartError(`${program} is an object file: link it to a program first`);
  if (type === CORE) throw new LaunchError(`${program} is a core file`, { kind: 'openCores' });
  if (!isForThisMachine(machine)) {
    throw new StartError(
      `${program} is built for another processor than this one (${process.arch}): build it for this one`,
    );
  }
}

/** What a script's first line names; undefined when the file is no script. */
function readInterpreter(program: string): string | undefined {
  const bytes = Buffer.alloc(256);
  const descriptor = openSync(program, 'r');
  try {
    const start = bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
    return /^#!\s*(\S+)/.exec(start)?.[1];
  } finally {
    closeSync(descriptor);
  }
}

/** The MPI of all programs: one job has one. */
function commonMpi(inspected: readonly (Inspected & { program: string })[]): ProgramMpi | undefined {
  const linked = inspected.filter(({ mpi }) => mpi !== undefined);
  const [first, ...others] = linked;
  const other = others.find(({ mpi }) => mpi?.name !== first?.mpi?.name);
  if (first?.mpi !== undefined && other?.mpi !== undefined) {
    throw new StartError(
      `the programs are linked with different MPIs: ${first.program} with ${describe(first.mpi)},` +
        ` ${other.program} with ${describe(other.mpi)}: build them with the same MPI`,
    );
  }
  return first?.mpi;
}

async function checkFits(program: string, mpi: ProgramMpi, launcher: string, mpis: KnownMpis): Promise<void> {
  const other = (await launcherAt(launcher, mpis))?.mpi;
  if (other === undefined || other.name === mpi.name) return;
  const real = realpathSync(launcher);
  const behind = basename(real) === basename(launcher) ? '' : ` (${real})`;
  throw new LaunchError(
    `${program} is linked with ${describe(mpi)}, but the launcher ${launcher}${behind} is one of ${titleOf(other)}`,
    { kind: 'otherLauncher', title: titleOfMpi(mpi, mpis) },
  );
}

function noSuchLauncher(launcher: string, mpi: ProgramMpi | undefined, mpis: KnownMpis): LaunchError {
  const named = mpis.launchers.find(
    ({ mpi: owner, facts }) =>
      facts.file?.test(basename(launcher)) || (owner !== undefined && launcher.includes(owner.name)),
  );
  const from = named?.facts.package ?? packageOf(mpi, mpis);
  return new LaunchError(`there is no launcher ${launcher}`, { kind: 'correctLauncher', package: from });
}

function launcherMissing(program: string, mpi: ProgramMpi, mpis: KnownMpis): LaunchError {
  const from = packageOf(mpi, mpis);
  return new LaunchError(
    `${program} is linked with ${describe(mpi)}, but a launcher of ${titleOfMpi(mpi, mpis)} is neither beside its` +
      ' library nor in PATH',
    { kind: 'installLauncher', package: from },
  );
}

/** The package of Debian and Ubuntu that has its launcher. */
function packageOf(mpi: ProgramMpi | undefined, mpis: KnownMpis): string | undefined {
  const launchers = mpis.named(mpi?.name ?? '')?.launchers ?? [];
  return launchers.find((facts) => facts.package !== undefined)?.package;
}

function titleOfMpi({ name }: ProgramMpi, mpis: KnownMpis): string {
  const facts = mpis.named(name);
  return facts === undefined ? name : titleOf(facts);
}

function titleOf({ name, title = name }: MpiFacts): string {
  return title;
}

function invisible(program: string, [first]: readonly Inspected[]): string {
  if (first?.unknownMpi !== undefined) return `${program} is linked with an unknown MPI (${first.unknownMpi})`;
  const script = first?.interpreter === undefined ? '' : `, a script for ${first.interpreter}`;
  return `mpidbg finds no MPI in ${program}${script}`;
}

function missingLibrary(program: string, { name, neededBy }: { name: string; neededBy: string }): Notice<LaunchAdvice> {
  const by = basename(neededBy) === basename(program) ? '' : ` for ${basename(neededBy)}`;
  const text = `${program} needs ${name}${by}, which is in none of the library folders`;
  return { text, advice: { kind: 'libraryPath' } };
}

function describe({ description, library }: ProgramMpi): string {
  return library === undefined ? `${description} (static)` : `${description} (${library})`;
}
