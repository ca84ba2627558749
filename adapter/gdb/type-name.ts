/** How gdb writes the types of declarations, taken apart. */

export interface TypeName {
  /** Without the keyword: "mpi_comm" of "struct mpi_comm" and "Type mpi_comm". */
  base: string;
  keyword: 'type' | 'struct' | 'class' | undefined;
  /** `array` of anything, `pointer` to what is no pointer. */
  suffix: 'none' | 'pointer' | 'array';
}

/** The parts of "const MPI_Comm *", "Type mpi_comm (2,2)". References count as what they refer to. Anything more complex is all base. */
export function typeNameOf(type: string): TypeName {
  const { base, suffix } = splitFortranType(type) ?? splitCType(type);
  const [, keyword, name] = /^(type|struct|class) (\w.*)$/i.exec(base) ?? [];
  if (keyword === undefined || name === undefined) return { base, keyword: undefined, suffix };
  return { base: name, keyword: keyword.toLowerCase() as TypeName['keyword'], suffix };
}

type Split = Pick<TypeName, 'base' | 'suffix'>;

/** "Type mpi_comm (2,2)", "Type mpi_comm, allocatable (2)", "PTR TO -> ( Type mpi_comm )": gdb's Fortran spelling. */
function splitFortranType(type: string): Split | undefined {
  const target = /^PTR TO -> \( (.*) \)$/.exec(type)?.[1];
  if (target !== undefined) {
    const { base, suffix } = splitFortranType(target) ?? splitCType(target);
    return suffix === 'none' ? { base, suffix: 'pointer' } : { base: type, suffix: 'none' };
  }
  const match = /^(Type \w+)(?:, (?:allocatable|pointer))?( \(.*\))?$/i.exec(type);
  return match === null ? undefined : { base: match[1]!, suffix: match[2] === undefined ? 'none' : 'array' };
}

function splitCType(type: string): Split {
  const unqualified = type.replace(/\b(const|volatile|restrict)\b/g, ' ').replace(/&+\s*$/, '');
  const match = /^\s*([\w:][\w:\s]*?)\s*(\**)\s*((?:\[\d*\]\s*)*)$/.exec(unqualified);
  if (match === null) return { base: type.trim(), suffix: 'none' };
  const [, base, stars, dimensions] = match as unknown as [string, string, string, string];
  if (stars.length + (dimensions === '' ? 0 : 1) > 1) return { base: type.trim(), suffix: 'none' };
  return { base, suffix: dimensions !== '' ? 'array' : stars === '*' ? 'pointer' : 'none' };
}
