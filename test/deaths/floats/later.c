/* later.c - a library that is loaded while the program runs, with a function that the loader has chosen when it is first called. */
double later(double x)
{
    double quotient = x / x; /* traps: later */
    return quotient + 1;
}

static void (*before_the_choice)(void);

static void nothing(void)
{
}

static void (*choose(void))(void)
{
    /* Whoever loads the library with RTLD_NOW has it chosen at once. */
    if (before_the_choice)
        before_the_choice();
    return nothing;
}

void chosen(void) __attribute__((ifunc("choose")));

void call_chosen(void (*first)(void))
{
    before_the_choice = first;
    chosen();
}
