/** Many objects or messages of one rank, of which people read one line where they look alike. */
import { groupedBy } from '../../grouped-by';

/** So many lines that differ in nothing but numbers are shown; if there are more, the first stands for all. */
const maxLines = 8;

const addresses = /\b0x[0-9a-f]+/g;
const numbers = /\d+/g;

/** In the order of the first of each sort: "… and 3 996 more like it", "… and 99 999 more with other numbers". */
export function withoutAlike(lines: readonly string[]): string[] {
  const shape = (line: string): string => line.replace(addresses, '0x').replace(numbers, '0');
  return [...groupedBy(lines, shape).values()].flatMap((ofShape) => {
    const alike = [...groupedBy(ofShape, (line) => line.replace(addresses, '0x')).values()];
    return alike.length > maxLines
      ? [withMore(ofShape, 'with other numbers')]
      : alike.map((lines) => withMore(lines, 'like it'));
  });
}

function withMore(lines: readonly string[], how: string): string {
  const more = lines.length - 1;
  return more === 0 ? lines[0]! : `${lines[0]}  and ${inThousands(more)} more ${how}`;
}

/** "99 999" */
function inThousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ' ');
}
