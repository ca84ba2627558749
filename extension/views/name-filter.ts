/** Which names a text in a search field means: those that have it in them, whatever the case; `*` is any text. */
export function nameFilter(text: string): (name: string) => boolean {
  const parts = text.trim().toLowerCase().split('*');
  return (name) => {
    let at = 0;
    for (const part of parts) {
      const found = name.toLowerCase().indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return true;
  };
}
