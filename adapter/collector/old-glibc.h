/*
 * old-glibc.h - included before everything else: what newer C libraries have given new versions is asked for in its old one, so that
 * the library that is shipped also loads where glibc is as old as 2.17. The functions are the same.
 */
#ifndef MPIDBG_OLD_GLIBC_H
#define MPIDBG_OLD_GLIBC_H
#ifdef __x86_64__
#define OLD(name, version) __asm__(".symver " #name "," #name "@GLIBC_" #version);
/* Functions of libdl and libpthread, which are parts of libc since 2.34. */
OLD(dladdr, 2.2.5)
OLD(dladdr1, 2.3.3)
OLD(dlclose, 2.2.5)
OLD(dlopen, 2.2.5)
OLD(dlsym, 2.2.5)
OLD(pthread_attr_setstacksize, 2.2.5)
OLD(pthread_condattr_setclock, 2.3.3)
OLD(pthread_create, 2.2.5)
OLD(pthread_setname_np, 2.12)
OLD(pthread_sigmask, 2.2.5)
OLD(pthread_timedjoin_np, 2.3.3)
#undef OLD
#endif
#endif
