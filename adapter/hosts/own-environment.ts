/**
 * The environment of our own gdb and perl. Modules of clusters set variables for programs of theirs, with which a gdb or perl of the
 * system does not start. What our agents start for the user (the launcher, the ranks) has them all.
 */
import { readFileSync } from 'node:fs';

/** With 0, a perl whose locale the machine lacks, as after ssh, does not say so on standard error, which is the job's. */
const warningOfPerl = 'PERL_BADLANG';
/** For another Perl than the one that runs our agents, or for what it reads and writes: all of perlrun(1) that changes that. */
const ofPerl = [
  ...['PERL5OPT', 'PERL5LIB', 'PERLLIB', 'PERL5DB', 'PERL_UNICODE', 'PERLIO', 'PERLIO_DEBUG', 'PERL_SIGNALS'],
  ...['PERL_ENCODING', 'PERL_HASH_SEED', 'PERL_HASH_SEED_DEBUG', 'PERL_PERTURB_KEYS'],
  warningOfPerl,
];
/** For programs of the user; with the last ones ld.so writes to the standard streams, or to files. */
const ofPrograms = ['LD_PRELOAD', 'LD_AUDIT', 'LD_SHOW_AUXV', 'LD_DEBUG', 'LD_DEBUG_OUTPUT', 'LD_PROFILE'];
/** For another Python than the one in gdb. */
const ofOtherPython = ['PYTHONHOME', 'PYTHONPATH', 'PYTHONPLATLIBDIR', 'PYTHONSTARTUP'];
/** How a Python works, which dies of some values: the others of `python3 --help-env`. */
const ofPython = [
  ...ofOtherPython,
  ...[
    ...['EXECUTABLE', 'USERBASE', 'NOUSERSITE', 'SAFEPATH', 'CASEOK'],
    ...['UTF8', 'IOENCODING', 'COERCECLOCALE', 'LEGACYWINDOWSSTDIO', 'WARNDEFAULTENCODING', 'INTMAXSTRDIGITS'],
    ...['HASHSEED', 'MALLOC', 'MALLOCSTATS', 'TRACEMALLOC', 'OPTIMIZE', 'DONTWRITEBYTECODE', 'PYCACHEPREFIX'],
    ...['DEBUG', 'DEVMODE', 'ASYNCIODEBUG', 'FAULTHANDLER', 'PROFILEIMPORTTIME', 'NODEBUGRANGES', 'BREAKPOINT'],
    ...['INSPECT', 'UNBUFFERED', 'VERBOSE', 'WARNINGS', '_FROZEN_MODULES', 'PERFSUPPORT', 'DUMPREFS'],
  ].map((name) => `PYTHON${name}`),
];
/** A gdb that comes from a module may need it. */
const libraryPath = 'LD_LIBRARY_PATH';

/** What a gdb is started without, one attempt after the other: none is made twice. */
export function gdbAttempts(env: NodeJS.ProcessEnv): (readonly string[])[] {
  const usual = [...ofPerl, ...ofPrograms, ...ofPython];
  const attempts = [usual];
  if (isSet(env, libraryPath)) attempts.push([...usual, libraryPath]);
  if (ofOtherPython.some((name) => isSet(env, name))) attempts.push([...ofPerl, ...ofPrograms]);
  return attempts;
}

/** For the advice about a gdb that starts with none of them: follows its error. */
export function suspectSurroundings(env: NodeJS.ProcessEnv): string {
  const names = [libraryPath, ...ofOtherPython].filter((name) => isSet(env, name));
  const stack = stackLimit();
  const causes = [
    ...(names.length === 0 ? [] : [`${names.join(', ')} may be the cause: start mpidbg without`]),
    ...(stack < enoughStack ? [`the limit "ulimit -s" of ${stack / 1024} KiB may be the cause: raise it`] : []),
  ];
  return causes.length === 0 ? '' : ` (${causes.join('; ')})`;
}

/** Bytes: a gdb needs less to start. */
const enoughStack = 1 << 20;

/** The stack limit of what we start, in bytes. */
function stackLimit(): number {
  const soft = /^Max stack size +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
  return soft === undefined ? Infinity : Number(soft);
}

export function without(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

/** For a perl of ours that starts nothing for the user. */
export function environmentOfPerl(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...without(env, [...ofPerl, ...ofPrograms]), [warningOfPerl]: '0' };
}

/** For agent.pl, which puts the variables back for what it becomes or starts (agent.pl, restore_environment). */
export function environmentOfAgent(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...without(env, ofPerl), [warningOfPerl]: '0', ...Object.fromEntries(keptOf(env)) };
}

/** The words before `perl` that do the same where a launcher starts it; none where nothing is in its way. */
export function wordsForAgent(env: NodeJS.ProcessEnv): string[] {
  const kept = keptOf(env);
  const quiet: typeof kept = namesLocale(env) ? [[warningOfPerl, '0']] : [];
  if (kept.length + quiet.length === 0) return [];
  const dropped = ofPerl.filter((name) => env[name] !== undefined).flatMap((name) => ['-u', name]);
  return ['env', ...dropped, ...[...quiet, ...kept].map(([name, value]) => `${name}=${value}`)];
}

/** Whether it names a locale that not every machine has. */
function namesLocale(env: NodeJS.ProcessEnv): boolean {
  return Object.entries(env).some(
    ([name, value = '']) => /^(LANG|LC_[A-Z]+)$/.test(name) && !/^(|C|POSIX|C\.utf-?8)$/i.test(value),
  );
}

/**
 * For an agent: what it starts or becomes has this variable, itself it has not. In hexadecimal digits: launchers hand down any of
 * those unchanged.
 */
export function keptVariable(name: string, value: string): NodeJS.ProcessEnv & Record<string, string> {
  return { [`MPIDBG_KEPT_${name}`]: Buffer.from(value).toString('hex') };
}

function keptOf(env: NodeJS.ProcessEnv): [name: string, value: string][] {
  return ofPerl.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : Object.entries(keptVariable(name, value));
  });
}

function isSet(env: NodeJS.ProcessEnv, name: string): boolean {
  return (env[name] ?? '') !== '';
}
