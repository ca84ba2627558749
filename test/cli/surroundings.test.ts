/** The collector's start changes nothing that a program can ask its process for, but what the collector is made of. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { openWorkshop, type Workshop } from '../support/compile';
import { preloads } from '../support/preloads';
import { cli } from '../support/run-cli';
import { allMpis, launchers, type Mpi } from '../support/sample-job';

/** After MPI_Init: a line for each thing, in an order that does not depend on addresses. */
const program = `#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <link.h>
#include <locale.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
extern char **environ;
static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}
static void tell_signals(const char *thread)
{
    stack_t stack;
    sigset_t blocked;
    sigaltstack(NULL, &stack);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    printf("%s: alternate stack of %zu bytes, flags %d\\n", thread, stack.ss_flags & SS_DISABLE ? 0 : stack.ss_size, stack.ss_flags);
    for (int signal = 1; signal <= SIGRTMAX; signal++) {
        struct sigaction handler;
        Dl_info of;
        if (sigaction(signal, NULL, &handler) != 0)
            continue;
        const int is_own = handler.sa_handler != SIG_DFL && handler.sa_handler != SIG_IGN;
        printf("%s: signal %d blocked %d flags %x %s\\n", thread, signal, sigismember(&blocked, signal), is_own ? handler.sa_flags : 0,
               !is_own ? handler.sa_handler == SIG_DFL ? "default" : "ignored"
               : dladdr((void *)handler.sa_handler, &of) ? base(of.dli_fname) : "unknown");
    }
}
static void *in_thread(void *unused)
{
    tell_signals("new thread");
    return unused;
}
static int tell_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    if (info->dlpi_name[0] == '/')
        printf("library %s\\n", base(info->dlpi_name));
    return 0;
}
static void tell_descriptors(void)
{
    DIR *listing = opendir("/proc/self/fd");
    char path[64], target[512];
    for (struct dirent *each; (each = readdir(listing)) != NULL;) {
        snprintf(path, sizeof path, "/proc/self/fd/%.20s", each->d_name);
        const ssize_t length = readlink(path, target, sizeof target - 1);
        if (each->d_name[0] == '.' || length < 0 || atoi(each->d_name) == dirfd(listing))
            continue;
        target[length] = '\\0';
        target[strcspn(target, "0123456789")] = '\\0';
        printf("descriptor %s %s\\n", each->d_name, target);
    }
    closedir(listing);
}
static void tell_process(void)
{
    cpu_set_t cpus;
    char folder[4096];
    int death = 0;
    pthread_key_t key;
    pthread_key_create(&key, NULL);
    printf("the next key of threads is %u\\n", key);
    pthread_key_delete(key);
    sched_getaffinity(0, sizeof cpus, &cpus);
    prctl(PR_GET_PDEATHSIG, &death);
    const mode_t mask = umask(0);
    umask(mask);
    printf("%d cpus, policy %d, nice %d, mask %o, in %s, dumpable %d, at parent's death %d, no new rights %d, timer slack %d\\n",
           CPU_COUNT(&cpus), sched_getscheduler(0), getpriority(PRIO_PROCESS, 0), mask, getcwd(folder, sizeof folder),
           prctl(PR_GET_DUMPABLE), death, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), prctl(PR_GET_TIMERSLACK));
    for (int limit = 0; limit < RLIM_NLIMITS; limit++) {
        struct rlimit of;
        getrlimit(limit, &of);
        printf("limit %d: %lld %lld\\n", limit, (long long)of.rlim_cur, (long long)of.rlim_max);
    }
    printf("rounding %d, exceptions enabled %x, locale %s\\n", fegetround(), fegetexcept(), setlocale(LC_ALL, NULL));
#ifdef __x86_64__
    unsigned short control;
    __asm__("fnstcw %0" : "=m"(control));
    printf("floating-point control %x %x\\n", control, __builtin_ia32_stmxcsr() & ~0x3fu);
#endif
    for (char **variable = environ; *variable != NULL; variable++)
        printf("variable %s\\n", *variable);
}
/* What Fortran calls it: MPICH's handle itself, and Open MPI's index. */
static void tell_handles(void)
{
    MPI_Comm comm, halves;
    MPI_Group group, first;
    MPI_Datatype type;
    MPI_Request request;
    MPI_Info info;
    const int none = 0;
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_split(comm, 0, 0, &halves);
        MPI_Comm_group(halves, &group);
        MPI_Group_incl(group, 1, &none, &first);
        MPI_Type_contiguous(3, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Info_create(&info);
        MPI_Recv_init(NULL, 0, MPI_INT, 0, 1, comm, &request);
        printf("handles %d %d %d %d %d %d %d\\n", MPI_Comm_c2f(comm), MPI_Comm_c2f(halves), MPI_Group_c2f(group), MPI_Group_c2f(first),
               MPI_Type_c2f(type), MPI_Info_c2f(info), MPI_Request_c2f(request));
    }
}
int main(int argc, char **argv)
{
    pthread_t thread;
    printf("error %d at first", errno);
    dlsym(dlopen("libm.so.6", RTLD_LAZY), "MPI_Comm_rank");
    errno = 0;
    dlsym(RTLD_DEFAULT, "MPI_Comm_rank");
    printf(", %d behind a look for a function\\n", errno);
    MPI_Init(&argc, &argv);
    tell_signals("main thread");
    fflush(stdout);
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    dl_iterate_phdr(tell_library, NULL);
    tell_descriptors();
    tell_process();
    tell_handles();
    MPI_Finalize();
    return 0;
}
`;

/** What the collector is made of and linked with. */
const ownLines =
  /^(library (mpidbg-|lib(dl|pthread)\.so)|descriptor \d+ \/memfd:mpidbg-collector|variable (LD_PRELOAD|MPIDBG_|ASAN_OPTIONS=verify_asan_link_order=0$))/;
/** The components that Open MPI loads for their variables of MPI_T: some cannot be unloaded, and others have had keys meanwhile. */
const components = /^library ((lib)?mca_|libucm\.so)|^the next key of threads/;
const withMpiT: readonly string[] = ['pvars', 'events', 'all'];
/** What each process gets another value of. */
const ofOneProcess = /^(variable (?:PMIX|OMPI|PMI)\w*)=.*/;

describe("the collector's start", () => {
  let workshop: Workshop;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());

  /** `through`: the words of mpidbg run. */
  const told = (built: string, mpi: Mpi, added: NodeJS.ProcessEnv, through: readonly string[] = []): string[] => {
    const env = { ...process.env, ...launchers[mpi].env, ...added };
    const [command = built, ...words] = [...through, ...(through.length === 0 ? [] : [built])];
    const lines = execFileSync(command, words, {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
      cwd: workshop.directory,
      timeout: 60_000,
    }).split('\n');
    assert.ok(lines.some((line) => line.startsWith('handles ')));
    return lines
      .filter((line) => !ownLines.test(line))
      .map((line) => line.replace(ofOneProcess, '$1').replace(/(ucx_shm_posix_)\w+/, '$1'))
      .toSorted();
  };

  for (const mpi of allMpis)
    it(`changes nothing in a process of ${mpi}`, async () => {
      const built = workshop.compile(`surroundings-${mpi}`, program, `mpicc.${mpi}`, ['-w', '-pthread', '-ldl', '-lm']);
      const without = told(built, mpi, {});
      assert.ok(without.some((line) => line.startsWith('new thread: signal 11 ')));
      for (const collects of ['pvars', 'events', 'calls', 'ompt', 'all']) {
        const compared = (lines: readonly string[]): readonly string[] =>
          withMpiT.includes(collects) ? lines.filter((line) => !components.test(line)) : lines;
        assert.deepEqual(compared(told(built, mpi, await preloads(collects))), compared(without), collects);
      }
      for (const options of [[], ['--collect', 'pvars']]) {
        const compared = (lines: readonly string[]): readonly string[] =>
          options.length > 0 ? lines.filter((line) => !components.test(line)) : lines;
        const through = [process.execPath, cli, 'run', ...options, '--'];
        assert.deepEqual(compared(told(built, mpi, {}, through)), compared(without), through.join(' '));
      }
    });
});
