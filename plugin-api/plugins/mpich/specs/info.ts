/** Infos. */
import { i32, optional, pointer, struct, u32 } from '../../../struct';

/** A list of objects until 4.0, an array since 4.1. */
export const infoSpec = struct('MPIR_Info', {
  handle: u32('handle'),
  next: optional(pointer('next')),
  key: optional(pointer('key')),
  value: optional(pointer('value')),
  entries: optional(pointer('entries')),
  count: optional(i32('size')),
});

/** Since 4.1. */
export const infoEntrySpec = struct('info_entry', { key: pointer('key'), value: pointer('value') });
