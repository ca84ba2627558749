/** What every object begins with, and the lists, tables and pools that objects are in. */
import { addressOf, i32, optional, pointer, struct, u64 } from '../../../struct';

/** What every MPI object begins with. */
export const objectSpec = struct('opal_object_t', {
  objClass: pointer('obj_class'),
  referenceCount: i32('obj_reference_count'),
});

export const classSpec = struct('opal_class_t', {
  name: pointer('cls_name'),
  parent: pointer('cls_parent'),
  sizeOf: u64('cls_sizeof'),
});

export const pointerArraySpec = struct('opal_pointer_array_t', {
  free: optional(i32('number_free')),
  size: i32('size'),
  items: pointer('addr'),
});

export const hashTableSpec = struct('opal_hash_table_t', {
  elements: pointer('ht_table'),
  capacity: u64('ht_capacity'),
  used: u64('ht_size'),
});

export const hashElementSpec = struct('opal_hash_element_t', {
  isValid: i32('valid'),
  value: pointer('value'),
});

export const listSpec = struct('opal_list_t', {
  sentinel: addressOf('opal_list_sentinel'),
  first: pointer('opal_list_sentinel.opal_list_next'),
});

export const listItemSpec = struct('opal_list_item_t', {
  next: pointer('opal_list_next'),
});

export const freeListSpec = struct('opal_free_list_t', {
  allocations: addressOf('fl_allocations'),
  allocated: u64('fl_num_allocated'),
  itemSize: u64('fl_frag_size'),
  alignment: u64('fl_frag_alignment'),
  itemClass: pointer('fl_frag_class'),
});

/** Only its size counts: the items of a free list lie behind one in each allocation. */
export const freeListItemSpec = struct('opal_free_list_item_t', { cache: pointer('ptr') });
