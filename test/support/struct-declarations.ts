/** C declarations of the structs of a layout table, so that a compiler makes debug information that says the same. */
import type { FieldLayout, LayoutTable, TypeLayout } from '../../plugin-api/layout';
import type { StructSpec } from '../../plugin-api/struct';

/** A member, and the members below it, by name; `own`: what the table says of the member itself. */
interface Member {
  own: FieldLayout | undefined;
  isPointer: boolean;
  members: Map<string, Member>;
}

/** One struct each, with the fields at their offsets, of the kinds that the specs want. Fields may overlap, as in unions. */
export function declarations(table: LayoutTable, specs: readonly StructSpec[]): string {
  return Object.entries(table)
    .map(([name, layout]) => {
      const fields = specs.flatMap((spec) => (spec.struct === name ? Object.values(spec.fields) : []));
      const pointers = fields.filter(({ kind }) => kind === 'pointer').map(({ path }) => path);
      return `${declaration(name, layout, new Set(pointers))};\n`;
    })
    .join('');
}

function declaration(name: string, { size, fields }: TypeLayout, pointers: ReadonlySet<string>): string {
  const root: Member = { own: undefined, isPointer: false, members: new Map() };
  for (const [path, field] of Object.entries(fields)) {
    let member = root;
    for (const part of path.split('.')) {
      const next = member.members.get(part) ?? { own: undefined, isPointer: false, members: new Map<string, Member>() };
      member.members.set(part, next);
      member = next;
    }
    member.own = field;
    member.isPointer = pointers.has(path);
  }
  return `struct ${name} ${body(root, 0, size)}`;
}

/** Each member lies in a branch of its own of an unnamed union, behind as many bytes as it takes. */
function body({ members }: Member, start: number, size: number): string {
  const branches = [...members].map(([name, member]) => {
    const { offset, size } = extent(member);
    const bytes = offset > start ? `char before_${name}[${offset - start}]; ` : '';
    return `struct { ${bytes}${typed(name, member, offset, size)}; } __attribute__((packed));`;
  });
  return `{ union { char whole[${size}]; ${branches.join(' ')} }; } __attribute__((packed))`;
}

function typed(name: string, member: Member, offset: number, size: number): string {
  if (member.members.size > 0) return `struct ${body(member, offset, size)} ${name}`;
  if (member.isPointer) return `void *${name}`;
  const integer = { 1: 'signed char', 2: 'short', 4: 'int', 8: 'long' }[size];
  return integer === undefined ? `char ${name}[${size}]` : `${integer} ${name}`;
}

/** The table's own word, or as far as the members go. */
function extent({ own, members }: Member): FieldLayout {
  if (own !== undefined) return own;
  const below = [...members.values()].map(extent);
  const offset = Math.min(...below.map((each) => each.offset));
  return { offset, size: Math.max(...below.map((each) => each.offset + each.size)) - offset };
}
