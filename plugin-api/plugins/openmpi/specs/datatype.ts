/** Datatypes. */
import { i32, i64, optional, pointer, struct, u64, uint, type Field } from '../../../struct';
import { text, intOrSize } from './fields';

/** OPAL_DATATYPE_FLAG_PREDEFINED moved when the flags became an int, in 6.0. */
const predefinedFlag: Field<boolean> = {
  ...uint('super.flags'),
  decode: (bytes, offset, size) =>
    size === 4 ? (bytes.getUint32(offset, true) & 0x40000) !== 0 : (bytes.getUint16(offset, true) & 0x200) !== 0,
};

export const datatypeSpec = struct('ompi_datatype_t', {
  flags: uint('super.flags'),
  isPredefined: predefinedFlag,
  size: u64('super.size'),
  lb: i64('super.lb'),
  ub: i64('super.ub'),
  trueLb: i64('super.true_lb'),
  trueUb: i64('super.true_ub'),
  fortranHandle: i32('d_f_to_c_index'),
  args: pointer('args'),
  // An address since 6.0.
  name: text('name'),
});

/** The arguments of the constructor that made a datatype. */
export const typeArgumentsSpec = struct('__dt_args', {
  combiner: i32('create_type'),
  integerCount: intOrSize('ci'),
  addressCount: intOrSize('ca'),
  datatypeCount: intOrSize('cd'),
  // Counts of the constructors with MPI_Count, since 6.0.
  largeCount: optional(intOrSize('cl')),
  integers: pointer('i'),
  addresses: pointer('a'),
  datatypes: pointer('d'),
});
