/** /proc/PID/maps: what a live process has mapped. */
export interface Mapping {
  start: bigint;
  end: bigint;
  executable: boolean;
  /** Into the file. */
  offset: number;
  inode: bigint;
  /** Device and inode: the same for all mappings of one file; undefined for memory without a file. */
  file: string | undefined;
  /** As the process sees it, without " (deleted)"; empty for anonymous memory. */
  path: string;
}

export interface LiveMapping extends Mapping {
  writable: boolean;
  /** Writes are visible to others. */
  shared: boolean;
}

/** `text`: as the kernel writes it. Ascending. */
export function parseMaps(text: string): LiveMapping[] {
  return text.split('\n').flatMap(parseMapping);
}

const LINE = /^([0-9a-f]+)-([0-9a-f]+) (\S+) ([0-9a-f]+) (\S+) (\d+) *(.*)$/s;

function parseMapping(line: string): LiveMapping[] {
  const [, start, end, permissions, offset, device, inode, path] = LINE.exec(line) ?? [];
  if (start === undefined || path === undefined) return [];
  return [
    {
      start: BigInt(`0x${start}`),
      end: BigInt(`0x${end}`),
      executable: permissions?.[2] === 'x',
      writable: permissions?.[1] === 'w',
      shared: permissions?.[3] === 's',
      offset: parseInt(offset ?? '', 16),
      inode: BigInt(inode ?? 0),
      file: path.startsWith('/') && inode !== '0' ? `${device}:${inode}` : undefined,
      path: path.replace(/ \(deleted\)$/, '').replaceAll('\\012', '\n'),
    },
  ];
}
