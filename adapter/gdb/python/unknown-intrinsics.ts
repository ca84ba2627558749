/** Intrinsics of Fortran that neither gdb nor mpidbg knows, in lower case, and words for those that they do know. */
export const unknownIntrinsics: ReadonlySet<string> = new Set(
  (
    'achar acos acosh adjustl adjustr aimag aint all anint any asin asinh atan atan2 atanh bit_size btest char conjg cos cosh count ' +
    'cshift dble digits dim dot_product dprod eoshift epsilon erf erfc exp exponent extends_type_of findloc fraction gamma huge hypot ' +
    'iachar iall iand iany ibclr ibits ibset ichar ieor index int ior iparity is_contiguous ishft ishftc leadz lge lgt lle llt log log10 ' +
    'log_gamma logical maskl maskr matmul max maxexponent maxloc maxval merge merge_bits min minexponent minloc minval nearest new_line ' +
    'nint norm2 num_images pack parity popcnt poppar product radix real repeat reshape rrspacing same_type_as scan selected_int_kind ' +
    'selected_real_kind set_exponent shifta shiftl shiftr sign sin sinh spacing spread sqrt storage_size sum tan tanh this_image tiny ' +
    'trailz transfer transpose unpack verify'
  ).split(' '),
);

export const knownIntrinsics =
  'allocated, associated, present, size, shape, lbound, ubound, len, len_trim, trim, abs, mod, modulo, floor and ceiling';
