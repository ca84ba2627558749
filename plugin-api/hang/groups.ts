/** Groups of processes: the same list in all its members, and in many communicators. */

type Member = string | number | null;

export interface Group {
  /** Groups of the same members in the same order have the same number, others another. */
  id: number;
  /** Indices of processes in the job, in the order of the list; undefined: it is not in the job. */
  members: readonly (number | undefined)[];
}

/** `index`: where a member of the list is in the job. Each group is looked up once: with many ranks, each has it. */
export class Groups<Of extends Member> {
  private readonly byList = new Map<readonly Of[], Group>();
  private readonly byText = new Map<string, Group>();

  constructor(
    private readonly index: (member: Of) => number | undefined,
    private readonly nextId: () => number,
  ) {}

  of(list: readonly Of[]): Group {
    const known = this.byList.get(list);
    if (known !== undefined) return known;
    const text = list.join();
    const group = this.byText.get(text) ?? { id: this.nextId(), members: list.map(this.index) };
    this.byText.set(text, group);
    this.byList.set(list, group);
    return group;
  }
}

export function haveSameMembers(one: Group['members'], other: Group['members']): boolean {
  if (one === other) return true;
  return one.length === other.length && one.every((member, index) => member === other[index]);
}
