/** Attributes. */
import { i32, struct, u64 } from '../../../struct';

const attributeFields = {
  keyval: i32('av_key'),
  value: u64('av_value'),
  setFrom: i32('av_set_from'),
  sequence: i32('av_sequence'),
};

/** Since 4.1.4 (pull request 10357), where the value became a union. */
export const attributeSpec = struct('attribute_key_value_t', attributeFields);

/** Until 4.1.3. Later releases have the name for that union. */
export const oldAttributeSpec = struct('attribute_value_t', attributeFields);
