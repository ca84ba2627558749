/** "poll" for __poll, __GI___poll and __libc_poll, which are the C library's own names for its function. */
export function cLibraryName(name: string): string {
  return name.replace(/^_+(GI_+)?(libc_)?/, '');
}
