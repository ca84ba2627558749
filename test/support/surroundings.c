/*
 * surroundings.c - what a program can see of itself, one line for each thing, in an order and in words that are the same in every run: no addresses,
 * no numbers of processes. After MPI_Init, on all ranks; to the file PREFIX.RANK, once there is a file PREFIX.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <link.h>
#include <locale.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static FILE *out;
static char **first_environment;

__attribute__((constructor)) static void begin(void)
{
    first_environment = environ;
}

static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
}

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static const char *library_of(const void *address)
{
    Dl_info of;
    return address == NULL ? "nothing" : dladdr(address, &of) ? base(of.dli_fname) : "unknown";
}

static void tell_signals(const char *thread)
{
    stack_t stack;
    sigset_t blocked, pending;
    pthread_attr_t attributes;
    size_t guard;
    sigaltstack(NULL, &stack);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    sigpending(&pending);
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_destroy(&attributes);
    say("%s: alternate stack of %zu bytes, flags %d, guard %zu\n", thread, stack.ss_flags & SS_DISABLE ? 0 : stack.ss_size, stack.ss_flags,
        guard);
    for (int signal = 1; signal <= SIGRTMAX; signal++) {
        struct sigaction action;
        if (sigaction(signal, NULL, &action) != 0)
            continue;
        const bool is_own = action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
        say("%s: flags of signal %d: %x, restorer %s\n", thread, signal, action.sa_flags,
            action.sa_flags & 0x4000000 ? library_of((void *)action.sa_restorer) : "none");
        say("%s: signal %d blocked %d pending %d masks", thread, signal, sigismember(&blocked, signal), sigismember(&pending, signal));
        for (int other = 1; other <= SIGRTMAX; other++)
            if (sigismember(&action.sa_mask, other) == 1)
                say(" %d", other);
        say(": %s\n", is_own ? library_of((void *)action.sa_handler) : action.sa_handler == SIG_DFL ? "default" : "ignored");
    }
}

static void *in_thread(void *unused)
{
    tell_signals("new thread");
    return unused;
}

static int tell_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    say("library %s\n", *info->dlpi_name == '\0' ? "of the program" : base(info->dlpi_name));
    return 0;
}

static void tell_descriptors(void)
{
    DIR *listing = opendir("/proc/self/fd");
    char path[64], target[512];
    for (struct dirent *each; (each = readdir(listing)) != NULL;) {
        const int number = atoi(each->d_name);
        snprintf(path, sizeof path, "/proc/self/fd/%.20s", each->d_name);
        const ssize_t length = readlink(path, target, sizeof target - 1);
        if (*each->d_name == '.' || length < 0 || number == dirfd(listing) || number == fileno(out))
            continue;
        target[length] = '\0';
        if (*target != '/' || strncmp(target, "/dev/", 5) == 0)
            target[strcspn(target, "0123456789")] = '\0';
        say("descriptor %d %s flags %o, closed by exec %d\n", number, target, fcntl(number, F_GETFL), fcntl(number, F_GETFD));
    }
    closedir(listing);
}

/* Only the lines that begin with one of the words; all of them: NULL. */
static void tell_file(const char *path, const char *const *words)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        bool is_wanted = words == NULL;
        for (const char *const *word = words; word != NULL && *word != NULL; word++)
            is_wanted = is_wanted || strncmp(line, *word, strlen(*word)) == 0;
        if (is_wanted)
            say("%s %s", base(path), line);
    }
    if (file != NULL)
        fclose(file);
}

static void tell_kernel(void)
{
    static const char *const of_status[] = {"SigPnd", "SigBlk", "SigIgn", "SigCgt", "Shd", "Cap", "Seccomp", "NoNewPrivs", "Cpus_allowed", "Mems_allowed", "Groups",
                                            "Threads", "Uid", "Gid", NULL};
    int death = 0, reaper = 0, policy = -1;
    unsigned long nodes[16] = {0};
    char name[32], folder[4096];
    struct itimerval timer;
    const mode_t mask = umask(0);
    umask(mask);
    prctl(PR_GET_PDEATHSIG, &death);
    prctl(PR_GET_CHILD_SUBREAPER, &reaper);
    prctl(PR_GET_NAME, name);
    say("policy %d, nice %d, io %ld, mask %o, dumpable %d, at parent's death %d, reaper %d, timer slack %d, huge pages %d, name %s, in %s\n",
        sched_getscheduler(0), getpriority(PRIO_PROCESS, 0), syscall(SYS_ioprio_get, 1, 0), mask, prctl(PR_GET_DUMPABLE), death, reaper,
        prctl(PR_GET_TIMERSLACK), prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), name, getcwd(folder, sizeof folder));
    syscall(SYS_get_mempolicy, &policy, nodes, sizeof nodes * 8, NULL, 0);
    say("memory policy %d of %lx, personality %x\n", policy, *nodes, personality(0xffffffff));
    say("leads its group %d, leads its session %d, group of its parent %d, session of its parent %d, foreground %d\n", getpgrp() == getpid(),
        getsid(0) == getpid(), getpgrp() == getpgid(getppid()), getsid(0) == getsid(getppid()), tcgetpgrp(0) > 0);
    for (int limit = 0; limit < RLIM_NLIMITS; limit++) {
        struct rlimit of;
        getrlimit(limit, &of);
        say("limit %d: %lld %lld\n", limit, (long long)of.rlim_cur, (long long)of.rlim_max);
    }
    for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
        getitimer(which, &timer);
        say("timer %d: %ld %ld\n", which, timer.it_value.tv_sec, timer.it_interval.tv_sec);
    }
    tell_file("/proc/self/timers", NULL);
    tell_file("/proc/self/status", of_status);
    tell_file("/proc/self/coredump_filter", NULL);
    tell_file("/proc/self/oom_score_adj", NULL);
    tell_file("/proc/self/cgroup", NULL);
    for (unsigned long type = 1; type < 64; type++) {
        /* AT_PHDR, AT_BASE, AT_ENTRY, AT_RANDOM and AT_SYSINFO_EHDR are addresses that the kernel chooses anew. */
        const bool is_address = type == 3 || type == 7 || type == 9 || type == 25 || type == 33, is_text = type == 15 || type == 31;
        const unsigned long value = getauxval(type);
        if (value != 0)
            say("auxiliary %lu: %lx %s\n", type, is_address || is_text ? 0 : value, is_text ? (const char *)value : "");
    }
    errno = 0;
    const int child = waitpid(-1, NULL, WNOHANG);
    say("waiting answers %d, error %d\n", child, errno);
}

/* What a program that the rank starts has from it. */
static void tell_child(void)
{
    char line[4096];
    FILE *child = popen("exec grep -E '^(Sig(Pnd|Blk|Ign)|ShdPnd|Seccomp|NoNewPrivs|Cpus_allowed|Mems_allowed):' /proc/self/status", "r");
    while (fgets(line, sizeof line, child) != NULL)
        say("child %s", line);
    say("child ended with %d\n", pclose(child));
}

/* What libraries keep for all of a process: who uses it in between changes what the program gets. */
static void tell_libraries_state(void)
{
    FILE *const streams[] = {stdin, stdout, stderr};
    for (int stream = 0; stream < 3; stream++)
        say("stream %d: buffer of %zu bytes, by lines %d, %zu pending, at its end %d, failed %d\n", stream, __fbufsize(streams[stream]), __flbf(streams[stream]) != 0,
            stream == 0 ? 0 : __fpending(streams[stream]), feof(streams[stream]), ferror(streams[stream]));
    tzset();
    say("random %d %ld %ld, options from %d, %d, zone %s\n", rand(), random(), lrand48(), optind, opterr, tzname[0]);
    say("called %s, environment where it began %d\n", program_invocation_name, environ == first_environment);
}

static void tell_process(void)
{
    pthread_key_t key;
    pthread_key_create(&key, NULL);
    say("the next key of threads is %u\n", key);
    pthread_key_delete(key);
    say("rounding %d, exceptions enabled %x, raised %x, locale %s\n", fegetround(), fegetexcept(), fetestexcept(FE_ALL_EXCEPT),
        setlocale(LC_ALL, NULL));
#ifdef __x86_64__
    unsigned short control;
    __asm__("fnstcw %0" : "=m"(control));
    say("floating-point control %x %x\n", control, __builtin_ia32_stmxcsr());
#endif
    for (char **variable = environ; *variable != NULL; variable++)
        say("variable %s\n", *variable);
    for (int descriptor = 0; descriptor < 3; descriptor++)
        say("stream %d is a terminal: %d\n", descriptor, isatty(descriptor));
    say("is %s, called %s\n", base(realpath("/proc/self/exe", NULL)), program_invocation_short_name);
}

static void tell_names(void)
{
    static const char *const names[] = {
        "MPI_Send", "MPI_Session_init", "PMPI_Session_init", "mpi_session_init_", "MPI_Abi_get_version", "mpi_send_", "MPI_SEND", "pmpi_send_",
        "mpi_send_f08_", "MPI_Send_c", "MPIX_Barrier_init", "MPI_Barrier_init", "MPI_T_event_get_num", "sigaction", "exit", "abort", "dlsym",
        "_gfortran_stop_numeric", "__cxa_throw", "_ZSt9terminatev", "omp_get_thread_num", "PyErr_Print", "feenableexcept"};
    void *libraries = dlopen(NULL, RTLD_LAZY);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        say("%s by dlsym: %d %d %d\n", names[i], dlsym(RTLD_DEFAULT, names[i]) != NULL, dlsym(RTLD_NEXT, names[i]) != NULL,
            dlsym(libraries, names[i]) != NULL);
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm) = MPI_Send;
    say("MPI_Send is the one that dlsym finds: %d\n", dlsym(RTLD_DEFAULT, "MPI_Send") == (void *)send);
    say("MPI_Send is in %s\n", library_of((void *)send));
}

/* What Fortran calls it: MPICH's handle itself, and Open MPI's index. */
static void tell_objects(void)
{
    static const int none = 0;
    MPI_Errhandler handler;
    MPI_Comm comm[3], halves[3];
    MPI_Group group[3], first[3];
    MPI_Datatype type[3];
    MPI_Request request[3];
    MPI_Info info[3];
    MPI_Op operation[3];
    MPI_Win window[3];
    char name[MPI_MAX_OBJECT_NAME];
    void *memory;
    int key, length;
    for (int i = 0; i < 2; i++) {
        MPI_Comm_get_name(i == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF, name, &length);
        MPI_Comm_get_errhandler(i == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF, &handler);
        say("%s: errors are fatal %d\n", name, handler == MPI_ERRORS_ARE_FATAL);
    }
    MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
    say("files: errors are returned %d\n", handler == MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, comm + i);
        MPI_Comm_split(comm[i], 0, 0, halves + i);
        MPI_Comm_group(halves[i], group + i);
        MPI_Group_incl(group[i], 1, &none, first + i);
        MPI_Type_contiguous(3, MPI_INT, type + i);
        MPI_Type_commit(type + i);
        MPI_Info_create(info + i);
        MPI_Recv_init(NULL, 0, MPI_INT, 0, 1, comm[i], request + i);
        MPI_Op_create((MPI_User_function *)(void *)in_thread, 1, operation + i);
        MPI_Win_allocate(8, 1, MPI_INFO_NULL, comm[i], &memory, window + i);
        MPI_Win_get_errhandler(window[i], &handler);
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
        MPI_Comm_get_name(comm[i], name, &length);
        say("handles %d %d %d %d %d %d %d %d %d, key %d, named '%s', errors are fatal %d\n", MPI_Comm_c2f(comm[i]), MPI_Comm_c2f(halves[i]),
            MPI_Group_c2f(group[i]), MPI_Group_c2f(first[i]), MPI_Type_c2f(type[i]), MPI_Info_c2f(info[i]), MPI_Request_c2f(request[i]),
            MPI_Op_c2f(operation[i]), MPI_Win_c2f(window[i]), key, name, handler == MPI_ERRORS_ARE_FATAL);
    }
    for (int i = 0; i < 3; i++) {
        int class, code;
        MPI_Add_error_class(&class);
        MPI_Add_error_code(class, &code);
        say("error class %d, code %d\n", class, code);
        MPI_Win_free(window + i);
        MPI_Request_free(request + i);
        MPI_Op_free(operation + i);
        MPI_Info_free(info + i);
        MPI_Type_free(type + i);
        MPI_Group_free(first + i);
        MPI_Group_free(group + i);
        MPI_Comm_free(halves + i);
        MPI_Comm_free(comm + i);
    }
}

static void tell_tool_variables(void)
{
    int level, provided, count = -1;
    MPI_Query_thread(&level);
    say("the level of threads is %d\n", level);
    const bool is_off = MPI_T_cvar_get_num(&count) != MPI_SUCCESS;
    say("MPI_T is off at first: %d\n", is_off);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    say("MPI_T has level %d\n", provided);
    MPI_T_cvar_get_num(&count);
    say("MPI_T has %d control variables, ", count);
    MPI_T_pvar_get_num(&count);
    say("%d performance variables, ", count);
    MPI_T_category_get_num(&count);
    say("%d categories\n", count);
    MPI_T_finalize();
}

static void tell_end_first(void)
{
    say("first at exit\n");
}

static void tell_end_second(int status, void *where)
{
    say("second at exit: %d, %d\n", status, where == environ);
}

static void tell_end(void)
{
    say("at exit\n");
    fclose(out);
}

void tell_surroundings(const char *prefix)
{
    pthread_t thread;
    char path[4096];
    int rank;
    /* At once: MPICH's ranks have no buffer for standard output, and lines of two of them in pieces would be mixed. */
    fflush(stdout);
    if (write(STDOUT_FILENO, "ready\n", 6) != 6)
        exit(1);
    while (access(prefix, F_OK) != 0)
        usleep(20000);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s.%d", prefix, rank);
    out = fopen(path, "we");
    tell_signals("main thread");
    tell_process();
    tell_libraries_state();
    tell_kernel();
    tell_child();
    tell_descriptors();
    tell_names();
    dl_iterate_phdr(tell_library, NULL);
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    tell_objects();
    tell_tool_variables();
    atexit(tell_end);
    on_exit(tell_end_second, environ);
    atexit(tell_end_first);
    fflush(out);
}
