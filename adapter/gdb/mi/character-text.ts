/** CHARACTERs of Fortran as gdb prints them. */

/** CHARACTERs without the blanks that fill them, which nobody wants to count; one of nothing else keeps one. */
export function withoutTrailingBlanks(value: string): string {
  return value.replace(/', ' ' <repeats \d+ times>/g, "'").replace(/' ' <repeats \d+ times>/g, "' '");
}
