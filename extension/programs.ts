import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** A compiled program in the workspace. */
export interface ProgramFile {
  path: string;
  /** When it was last linked, in milliseconds since the epoch. */
  modified: number;
}

const maxDepth = 5;
const maxEntries = 20_000;
const elfExecutable = 2;
const elfSharedObject = 3;

/**
 * The executables below a folder, those named like the source file first, then the newest first. Leaves out hidden
 * folders, node_modules, shared libraries and what cannot be read; of a very large folder, only a part is searched.
 */
export async function findPrograms(folder: string, sourceFile?: string): Promise<ProgramFile[]> {
  const programs: ProgramFile[] = [];
  const folders = [{ folder, depth: 0 }];
  let entries = 0;
  for (let next = folders.shift(); next && entries < maxEntries; next = folders.shift()) {
    const { folder: current, depth } = next;
    const children = await readdir(current, { withFileTypes: true }).catch(() => []);
    entries += children.length;
    for (const child of children) {
      const childPath = path.join(current, child.name);
      if (child.isDirectory()) {
        if (depth < maxDepth && !child.name.startsWith('.') && child.name !== 'node_modules') {
          folders.push({ folder: childPath, depth: depth + 1 });
        }
      } else if (child.isFile() && !/\.(o|so(\.[\d.]+)?|mod|ko)$/.test(child.name)) {
        const program = await asProgram(childPath);
        if (program) programs.push(program);
      }
    }
  }
  return programs.sort((a, b) => likeness(b, sourceFile) - likeness(a, sourceFile) || b.modified - a.modified);
}

/** Whether the program has the name that its only source file would give it: `ring` or `ring.x` from `ring.f90`. */
export function isNamedLike(program: ProgramFile, sourceFile: string): boolean {
  return path.parse(program.path).name === path.parse(sourceFile).name;
}

function likeness(program: ProgramFile, sourceFile: string | undefined): number {
  return sourceFile !== undefined && isNamedLike(program, sourceFile) ? 1 : 0;
}

async function asProgram(file: string): Promise<ProgramFile | undefined> {
  try {
    const { mode, mtimeMs } = await stat(file);
    if ((mode & 0o111) === 0) return undefined;
    const handle = await open(file);
    try {
      const header = Buffer.alloc(18);
      await handle.read(header, 0, header.length, 0);
      // A position-independent program has the type of a shared object.
      const type = header.readUInt16LE(16);
      const isElf =
        header.toString('latin1', 0, 4) === '\x7fELF' && (type === elfExecutable || type === elfSharedObject);
      return isElf ? { path: file, modified: mtimeMs } : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
