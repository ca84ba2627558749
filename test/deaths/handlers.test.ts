/** What a rank is told of its handlers of signals, while mpidbg has its own beneath them, is what it would be told without. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { deathsEnvironment } from './deaths-environment';
import { openWorkshop } from '../support/compile';

const program = `#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static sigjmp_buf back;
static int *volatile nowhere;
static void tell(const char *when, int number)
{
    struct sigaction action = {0};
    sigaction(number, NULL, &action);
    printf("%s %d: flags %x, restorer %d, %s, blocks", when, number, action.sa_flags, action.sa_restorer != NULL,
           action.sa_handler == SIG_DFL ? "default" : action.sa_handler == SIG_IGN ? "ignored" : "own");
    for (int other = 1; other <= SIGRTMAX; other++)
        if (sigismember(&action.sa_mask, other) == 1)
            printf(" %d", other);
    puts("");
    fflush(stdout);
}
static void handle(int number)
{
    tell("in the handler", number);
}
static void leave(int number, siginfo_t *info, void *context)
{
    tell("in the handler of the fault", number);
    siglongjmp(back, 1);
}
int main(void)
{
    static const int flags[] = {0, SA_RESETHAND, SA_ONSTACK, SA_RESTART | SA_NODEFER, SA_RESETHAND | SA_NODEFER | SA_ONSTACK};
    for (int number = 1; number < SIGRTMAX; number++)
        tell("at first", number);
    for (int number = 1; number < SIGRTMAX; number++)
        for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
            struct sigaction action = {.sa_handler = handle, .sa_flags = flags[i]};
            sigaddset(&action.sa_mask, SIGUSR1);
            if (sigaction(number, &action, NULL) != 0)
                continue;
            tell("set", number);
            raise(number);
            tell("behind it", number);
            signal(number, SIG_IGN);
            tell("ignored", number);
            action.sa_handler = SIG_DFL;
            sigaction(number, &action, NULL);
            tell("default again", number);
        }
    for (int times = 0; times < 2; times++) {
        struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};
        sigaction(SIGSEGV, &action, NULL);
        if (sigsetjmp(back, 1) == 0)
            *nowhere = 1;
        tell("behind the fault", SIGSEGV);
    }
    *nowhere = 1;
    return 0;
}
`;

it('is told of its handlers as without mpidbg', () => {
  const workshop = openWorkshop();
  try {
    const built = workshop.compile('handlers', program, 'gcc', ['-w']);
    const told = (added: NodeJS.ProcessEnv): object => {
      const { signal, stdout } = spawnSync(built, { env: { ...process.env, ...added }, encoding: 'utf8' });
      return { signal, lines: stdout.split('\n') };
    };
    const without = told({});
    const deaths = deathsEnvironment({ socket: '/nowhere', seconds: 10 }, process.env);
    assert.deepEqual(told({ ...deaths, PMI_RANK: '0' }), without);
    assert.match(JSON.stringify(without), /"SIGSEGV".*behind the fault 11: flags /);
  } finally {
    workshop.close();
  }
});
