/** CHARACTERs of Fortran as gdb prints them. */

/** CHARACTERs without trailing blanks; one that is all blanks keeps one. */
export function withoutTrailingBlanks(value: string): string {
  return value.replace(/', ' ' <repeats \d+ times>/g, "'").replace(/' ' <repeats \d+ times>/g, "' '");
}
