/** Infos. */
import { addressOf, bool, i32, optional, pointer, struct, u64 } from '../../../struct';
import { text } from './fields';

/** The keys and values are the list that it begins with. */
export const infoSpec = struct('ompi_info_t', {
  fortranHandle: i32('i_f_to_c_index'),
  isFreed: bool('i_freed'),
});

export const infoEntrySpec = struct('opal_info_entry_t', {
  // Text in the entry, and an address of text, until 4.1; addresses of opal_cstring_t since 5.0.0.
  key: text('ie_key'),
  value: pointer('ie_value'),
  // Since 5.0.5; the key tells it before.
  isInternal: optional(bool('ie_internal')),
});

/** Since 5.0.0. */
export const cstringSpec = struct('opal_cstring_t', {
  length: u64('length'),
  text: addressOf('string'),
});
