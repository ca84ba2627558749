/** Intrinsics of Fortran that neither gdb nor mpidbg knows, in lower case, and words for those that they do know. */
export const unknownIntrinsics: ReadonlySet<string> = new Set(
  (
    'achar adjustl adjustr aimag aint all anint any atan atan2 btest char conjg cos count dble dim dot_product epsilon exp exponent ' +
    'extends_type_of findloc fraction huge iachar iand ibits ichar ieor index int ior is_contiguous ishft log log10 logical matmul max ' +
    'maxloc maxval merge min minloc minval nint norm2 product real repeat reshape same_type_as scan sign sin spread sqrt ' +
    'storage_size sum tan tiny transfer transpose verify'
  ).split(' '),
);

export const knownIntrinsics =
  'allocated, associated, present, size, shape, lbound, ubound, len, len_trim, trim, abs, mod, modulo, floor and ceiling';
