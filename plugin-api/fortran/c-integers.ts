/** Which of a routine's INTEGERs C passes as a number: the others are arrays, or variables that MPI sets. */

const numbers: ReadonlySet<string> = new Set([
  ...['amode', 'assert', 'blocklength', 'color', 'count', 'dest', 'direction', 'disp', 'disp_unit', 'errorcode'],
  ...['incount', 'insize', 'key', 'local_leader', 'lock_type', 'maxdims', 'maxprocs', 'n', 'ndims', 'origin_count'],
  ...[
    'outsize',
    'p',
    'partition',
    'partition_high',
    'partition_low',
    'partitions',
    'r',
    'rank',
    'recvcount',
    'recvtag',
  ],
  ...['remote_leader', 'required', 'result_count', 'root', 'sendcount', 'sendtag', 'source', 'split_type', 'stride'],
  ...['tag', 'target_count', 'target_rank', 'whence', 'comm_keyval', 'type_keyval', 'win_keyval'],
]);

/** In these MPI sets them. */
const isSetIn: Readonly<Record<string, RegExp>> = {
  amode: /_get_amode$/,
  count: /^mpi_get_(count|elements)/,
  errorcode: /^mpi_add_error_/,
  ndims: /^mpi_cartdim_get$/,
  rank: /_rank$/,
  comm_keyval: /_(create|free)_keyval$/,
  type_keyval: /_(create|free)_keyval$/,
  win_keyval: /_(create|free)_keyval$/,
};

/** These are numbers in one routine only. */
const numbersIn: Readonly<Record<string, string>> = {
  nnodes: 'mpi_dims_create',
  outcount: 'mpi_unpack',
  size: 'mpi_buffer_attach',
};

/** `routine`: "mpi_waitsome". */
export function isNumberInC(routine: string, argument: string): boolean {
  if (numbersIn[argument] === routine) return true;
  return numbers.has(argument) && isSetIn[argument]?.test(routine) !== true;
}
