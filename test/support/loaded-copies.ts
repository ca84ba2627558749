/** A program whose variables are several under one name: in three libraries, one of which is loaded twice, and in two of its own files. */
import { openWorkshop, type Workshop } from './compile';
import type { Mpi } from './sample-job';
import { ToldJob } from './told-job';

/** `NAME_enter` prints its variables, and goes on to the next library. */
const library = `
#include <stdio.h>
static int lap;
int shared;
int spread[2];
void NAME_enter(int value, void (*next)(void)) {
  lap = value; // NAME
  shared = 100 + value;
  spread[1] = 200 + value;
  printf("NAME %d lap %d\\nNAME %d shared %d\\nNAME %d spread[1] %d\\n", value, lap, value, shared, value, spread[1]);
  fflush(stdout);
  next();
}
`;

const file = (name: string, value: number): string =>
  `static int stride = ${value};\nint *${name}(void) { return &stride; }\n`;

const program = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int *one(void), *two(void);
static char **paths;
static int depth;
static void next(void) {
  const int at = depth++;
  if (at == 4) {
    printf("%d waits\\n", getpid());
    fflush(stdout);
    for (;;)
      pause();
  }
  void *found = at < 3 ? dlopen(paths[at], RTLD_NOW) : dlmopen(LM_ID_NEWLM, paths[2], RTLD_NOW);
  const char *names[] = {"a_enter", "b_enter", "d_enter", "d_enter"};
  ((void (*)(int, void (*)(void)))dlsym(found, names[at]))(at + 1, next);
}
int main(int argc, char **argv) {
  alarm(600);
  paths = argv + 1;
  MPI_Init(&argc, &argv);
  if (one() != two())
    next();
}
`;

export interface LoadedCopiesJob {
  job: ToldJob;
  pid: string;
  workshop: Workshop;
  /** Library, number of its call, name and value of each variable. */
  told: string[][];
}

export async function startLoadedCopies(mpi: Mpi): Promise<LoadedCopiesJob> {
  const workshop = openWorkshop();
  const shared = ['-g', '-O0', '-shared', '-fPIC'];
  const libraries = ['a', 'b', 'd'].map((name) =>
    workshop.compile(`lib${name}.so`, library.replaceAll('NAME', name), 'gcc', shared),
  );
  const files = [file('one', 11), file('two', 22)].map((text, i) =>
    workshop.compile(`step${i + 1}.o`, text, 'gcc', ['-g', '-c']),
  );
  const path = workshop.compile('program', program, `mpicc.${mpi}`, ['-g', '-O0', ...files, '-ldl']);
  const told: string[][] = [];
  let pid = '';
  const job = await ToldJob.start(mpi, ['-n', '1', path, ...libraries], (line) => {
    const [first = '', ...words] = line.split(' ');
    if (words[0] === 'waits') pid = first;
    else told.push([first, ...words]);
    return pid !== '';
  });
  return { job, pid, workshop, told };
}
