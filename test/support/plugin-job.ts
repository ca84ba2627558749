/** Ranks with libraries whose files are changed while they run; what they print of their variables is the truth. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openWorkshop, type Workshop } from './compile';
import { patienceMs } from './patience';
import { eventually } from './process-state';
import { launchers, type Mpi } from './sample-job';

const library = `
#ifdef AGAIN
static const char *words[] = {"another", "build"};
int NAME(before)[64] = {841888305, 841888305};
const char *NAME(word)(int which) { return words[which % 2] + NAME(before)[which] % 2; }
#endif
int NAME(lap) = LAP;
int NAME(tick)(void)
{
    NAME(lap) += 0; /* stop: tick */
    return NAME(lap);
}`;

/** The line of the comment. */
export const tickLine = 1 + library.split('\n').findIndex((line) => line.includes('stop: tick'));

const program = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>
int program_lap = 4;
static const char *descriptor(int file)
{
    static char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}
static const char *in_memory(const char *path)
{
    int from = open(path, O_RDONLY), file = memfd_create("kernel", 0);
    sendfile(file, from, NULL, 1 << 20);
    return descriptor(file);
}
static const char *alone(const char *path)
{
    static char own[4096];
    char command[9000];
    snprintf(own, sizeof own, "%s.%d", path, (int)getpid());
    snprintf(command, sizeof command, "cp %s %s", path, own);
    if (system(command) != 0)
        exit(1);
    return own;
}
static void *load(const char *path, const char *name)
{
    char text[4096];
    void *library;
    if (strcmp(name, "memory") == 0)
        library = dlopen(in_memory(path), RTLD_NOW | RTLD_GLOBAL);
    else if (strcmp(name, "descriptor") == 0)
        library = dlopen(descriptor(open(path, O_RDONLY)), RTLD_NOW | RTLD_GLOBAL);
    else if (strcmp(name, "namespace") == 0)
        library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    else if (strcmp(name, "generated") == 0) {
        const char *own = alone(path);
        library = dlopen(own, RTLD_NOW | RTLD_GLOBAL);
        unlink(own);
    } else
        library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        fprintf(stderr, "%s\\n", dlerror());
        exit(1);
    }
    snprintf(text, sizeof text, "%s_lap", name);
    printf("%s %d\\n", text, *(int *)dlsym(library, text));
    return library;
}
int main(int argc, char **argv)
{
    char path[4096], name[64];
    int (*tick)(void), (*ticks[16])(void);
    int count = 0;
    alarm(600);
    MPI_Init(&argc, &argv);
    while (argc > 2 && strcmp(argv[2], "reloads") == 0) {
        void *library = load("./relative.so", "relative");
        tick = (int (*)(void))dlsym(library, "relative_tick");
        tick();
        dlclose(library);
    }
    for (int i = 2; i < argc; i++) {
        snprintf(path, sizeof path, "%s/%s.so", argv[1], argv[i]);
        snprintf(name, sizeof name, "%s_tick", argv[i]);
        tick = (int (*)(void))dlsym(load(path, argv[i]), name);
        /* Its code will be another one. */
        if (strcmp(argv[i], "overwritten") != 0)
            ticks[count++] = tick;
    }
    ticks[count++] = (int (*)(void))dlsym(load("./relative.so", "relative"), "relative_tick");
    if (chdir("/") != 0)
        return 1;
    printf("program_lap %d\\npid %d\\nloaded\\n", program_lap, (int)getpid());
    fflush(stdout);
    snprintf(name, sizeof name, "%s/load-late", argv[1]);
    for (int has_late = 0;;) {
        if (!has_late && access(name, F_OK) == 0) {
            has_late = 1;
            snprintf(path, sizeof path, "%s/late.so", argv[1]);
            ticks[count++] = (int (*)(void))dlsym(load(path, "late"), "late_tick");
            snprintf(path, sizeof path, "%s/has-late.%d", argv[1], (int)getpid());
            close(open(path, O_CREAT | O_WRONLY, 0600));
        }
        for (int i = 0; i < count; i++)
            ticks[i]();
        usleep(20000);
    }
}`;

/** The file of a library that is loaded into this process. */
function fileInUse(name: string): string {
  const line = new RegExp(String.raw`/\S*/${name}$`, 'm').exec(readFileSync('/proc/self/maps', 'utf8'));
  if (line === null) throw new Error(`${name} is not loaded here`);
  return line[0];
}

const libraryOptions = ['-g', '-O0', '-fPIC', '-shared'];

/** What becomes of a library while the ranks run. */
const fates = ['replaced', 'deleted', 'overwritten', 'touched'] as const;

/** How a library is loaded, besides from a file by its name: each is in a file of its own. */
export const ways = ['memory', 'descriptor', 'namespace', 'generated'] as const;

export class PluginProgram {
  private readonly workshop: Workshop = openWorkshop();
  readonly folder = this.workshop.directory;
  readonly program: string;
  /** The same, where nobody replaces it. */
  readonly kept = join(this.folder, 'kept');
  /** The folder of a C library of its own. */
  readonly loadedFrom = join(this.folder, 'loaded-from');
  /** A folder with another relative.so. */
  readonly elsewhere = join(this.folder, 'elsewhere');

  constructor(mpi: Mpi) {
    for (const name of [...fates, ...ways, 'relative', 'late']) {
      const source = library.replaceAll(/NAME\((\w+)\)/g, `${name}_$1`);
      this.workshop.compile(`${name}.so`, source, 'gcc', [...libraryOptions, '-DLAP=42']);
    }
    mkdirSync(this.elsewhere);
    copyFileSync(this.rebuild('relative', 99), join(this.elsewhere, 'relative.so'));
    mkdirSync(this.loadedFrom);
    copyFileSync(fileInUse('libc.so.6'), join(this.loadedFrom, 'libc.so.6'));
    this.program = this.workshop.compile('plugins', program, `mpicc.${mpi}`, ['-g', '-ldl']);
    copyFileSync(this.program, this.kept);
  }

  /** Its ranks, which have loaded everything, load late.so as well. Resolves when these have. */
  async loadLate(pids: readonly number[]): Promise<void> {
    writeFileSync(join(this.folder, 'load-late'), '');
    const hasLate = (pid: number): boolean => existsSync(join(this.folder, `has-late.${pid}`));
    await eventually('the ranks have late.so', () => pids.every(hasLate));
  }

  source(name: string): string {
    return join(this.folder, `${name}.so.c`);
  }

  /** Another build of NAME.so, in a file of its own: everything in it is elsewhere. */
  rebuild(name: string, lap: number): string {
    const result = join(this.folder, `${name}-again.so`);
    execFileSync('gcc', ['-o', result, this.source(name), ...libraryOptions, `-DLAP=${lap}`, '-DAGAIN']);
    return result;
  }

  /** As a linker does: the old file stays to whoever has it open. */
  replace(name: string, lap: number): void {
    renameSync(this.rebuild(name, lap), join(this.folder, `${name}.so`));
  }

  close(): void {
    this.workshop.close();
  }
}

export class PluginJob {
  /** What each rank printed of itself, once; "pid" is that of one of them. */
  readonly truth = new Map<string, string>();

  private constructor(
    readonly launcher: ChildProcess,
    private readonly plugins: PluginProgram,
  ) {}

  /** Two ranks, which have loaded everything. `loading`: only files, by their names, all of which gdb finds by itself. */
  static async start(
    mpi: Mpi,
    plugins: PluginProgram,
    loading: 'in all ways' | 'files' = 'in all ways',
  ): Promise<PluginJob> {
    const { command, args, env } = launchers[mpi];
    const names = loading === 'files' ? fates : [...fates, ...ways];
    const own = loading === 'files' ? {} : { LD_LIBRARY_PATH: plugins.loadedFrom };
    const launcher = spawn(command, [...args, '-n', '2', plugins.program, plugins.folder, ...names], {
      cwd: plugins.folder,
      env: { ...process.env, ...env, ...own },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const job = new PluginJob(launcher, plugins);
    const lines = createInterface(launcher.stdout);
    let loaded = 0;
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the ranks did not load their libraries')), patienceMs);
      lines.on('line', (line) => {
        const [name = '', value] = line.split(' ');
        if (value !== undefined) job.truth.set(name, value);
        if (name !== 'loaded' || ++loaded < 2) return;
        clearTimeout(late);
        resolve();
      });
    });
    return job;
  }

  /** As cp does. */
  overwrite(name: string): void {
    const { plugins } = this;
    copyFileSync(plugins.rebuild(name, 99), join(plugins.folder, `${name}.so`));
  }

  /** Does to each library what it is named after, and puts another program in the place of theirs, and one in its old file's name. */
  changeFiles(): void {
    const { plugins } = this;
    plugins.replace('replaced', 99);
    rmSync(join(plugins.folder, 'deleted.so'));
    this.overwrite('overwritten');
    const libc = join(plugins.loadedFrom, 'libc.so.6');
    copyFileSync(fileInUse('libm.so.6'), `${libc}.new`);
    renameSync(`${libc}.new`, libc);
    utimesSync(join(plugins.folder, 'touched.so'), new Date(), new Date());
    const other = plugins.rebuild('replaced', 99);
    copyFileSync(other, `${plugins.program} (deleted)`);
    renameSync(other, plugins.program);
  }

  async end(): Promise<void> {
    if (this.launcher.exitCode !== null) return;
    const ended = once(this.launcher, 'exit');
    this.launcher.kill('SIGTERM');
    await ended;
  }
}
