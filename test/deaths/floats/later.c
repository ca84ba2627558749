/* later.c - a library that is loaded while the program runs. */
double later(double x)
{
    double quotient = x / x; /* traps: later */
    return quotient + 1;
}
