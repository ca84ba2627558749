/** Files. */
import { chars, i32, i64, optional, pointer, struct, u64 } from '../../../struct';

export const fileSpec = struct('ompi_file_t', {
  comm: pointer('f_comm'),
  filename: pointer('f_filename'),
  amode: i32('f_amode'),
  flags: i32('f_flags'),
  fortranHandle: i32('f_f_to_c_index'),
  errhandler: pointer('error_handler'),
  info: pointer('super.s_info'),
  component: optional(chars('f_io_selected_component.v2_0_0.io_version.mca_component_name')),
  // Since 6.0.
  component3: optional(chars('f_io_selected_component.v3_0_0.io_version.mca_component_name')),
  /** 0 until a component is selected: what belongs to one is anything then. */
  componentVersion: i32('f_io_version'),
  data: pointer('f_io_selected_data'),
});

const viewFields = (prefix: string) => ({
  offset: optional(i64(`${prefix}f_offset`)),
  disp: optional(i64(`${prefix}f_disp`)),
  etypeSize: optional(u64(`${prefix}f_etype_size`)),
  viewExtent: optional(i64(`${prefix}f_view_extent`)),
  viewSize: optional(u64(`${prefix}f_view_size`)),
  totalBytes: optional(u64(`${prefix}f_total_bytes`)),
});

export const ompioFileSpec = struct('ompio_file_t', {
  comm: pointer('f_comm'),
  etype: pointer('f_etype'),
  /** As it was given; f_filetype is what the component made of it. */
  filetype: pointer('f_orig_filetype'),
  atomicity: i32('f_atomicity'),
  ...viewFields(''),
});

/** The same struct since 6.0, where the view became a struct of its own. */
export const ompioViewSpec = struct('ompio_file_t', viewFields('f_fview.'));
