/*
 * dlopened.c - a program that knows nothing of MPI: it loads dlopened-part.so, and MPI comes in with that.
 *
 *     mpirun -n 4 dlopened
 *
 * So do interpreters: python3 with mpi4py, Julia, R. A debugger sees no MPI library when such a program starts.
 */
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char self[4096], path[8192];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    snprintf(path, sizeof path, "%s/dlopened-part.so", dirname(self));

    void *part = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stop: no MPI yet */
    if (part == NULL) {
        fprintf(stderr, "dlopened: %s\n", dlerror());
        return 1;
    }
    int (*sail)(int, char **) = (int (*)(int, char **))dlsym(part, "sail");
    return sail(argc, argv);
}
