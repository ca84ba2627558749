/** A record of OMPT in words. */
import type { FieldValue, OmptRecord } from '../../overlays/ompt-records';

/** `parallel_id 3 flags invoker_program team`: without the fields that have a column of their own. */
export function omptFields({ fields }: Pick<OmptRecord, 'fields'>): string {
  return Object.entries(fields)
    .filter(([name, value]) => name !== 'endpoint' && name !== 'codeptr_ra' && value !== null)
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(' ');
}

function valueText(value: FieldValue): string {
  if (!Array.isArray(value)) return String(value);
  const items = value.map((item) => (typeof item === 'object' ? Object.values(item).join(' ') : String(item)));
  return items.length === 1 ? items[0]! : `(${items.join(', ')})`;
}
