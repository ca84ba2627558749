/** Which names a text in a search field means: those that have it in them, whatever the case; `*` is any text. */
export function nameFilter(text: string): (name: string) => boolean {
  const parts = text.trim().toLowerCase().split('*');
  // The same few names come again and again.
  const known = new Map<string, boolean>();
  return (name) => {
    const isWanted = known.get(name) ?? hasParts(name.toLowerCase(), parts);
    known.set(name, isWanted);
    return isWanted;
  };
}

function hasParts(name: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}
