/**
 * Writes adapter/collector/native/error-classes.h, adapter/collector/calls/float-types.h, the datatypes of floating point numbers, and
 * adapter/collector/calls/call-table.h, a line for each MPI function that the collector wraps, from the bindings of
 * Fortran (plugin-api/fortran/bindings.json), whose arguments are those of C but for the error at their end; and from the
 * functions that only C has: npx tsx scripts/write-call-table.ts. test/unit/call-table.test.ts says when it is out of date.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argumentRoles } from '../plugin-api/hang/argument-roles';
import standardAbi from '../plugin-api/mpi/standard-abi.json';
import mpich from '../plugin-api/plugins/mpich/constants.json';
import openmpi from '../plugin-api/plugins/openmpi/constants.json';
import { mpiRoutine, mpiRoutineNames, mpiSpelling, type MpiArgument } from '../plugin-api/fortran/bindings';
import { handleKinds } from '../plugin-api/mpi/describe';

export const callTableFile = join(__dirname, '..', 'adapter', 'collector', 'calls', 'call-table.h');

/** Number of arguments of what is called otherwise in C, or is in C alone. MPI_Pcontrol is in wrappers.c. */
const onlyC: Record<string, number> = {
  MPI_Init: 2,
  MPI_Init_thread: 4,
  // mpi_f08 has one procedure for both sizes of their arguments.
  MPI_File_get_type_extent_c: 3,
  MPI_Type_create_resized_c: 4,
  MPI_Type_get_extent_c: 3,
  MPI_Type_get_true_extent_c: 3,
  ...Object.fromEntries(
    handleKinds
      .filter((kind) => kind !== 'status')
      .map((kind) => `MPI_${kind === 'datatype' ? 'Type' : mpiSpelling(`mpi_${kind}`).slice(4)}`)
      .flatMap((stem) => ['c2f', 'f2c', 'toint', 'fromint'].map((end) => [`${stem}_${end}`, 1])),
  ),
  ...Object.fromEntries(['c2f', 'f2c', 'c2f08', 'f082c', 'f2f08', 'f082f'].map((end) => [`MPI_Status_${end}`, 2])),
};

const alsoOfC: Record<string, string> = {
  MPI_Type_create_resized_c: '.flags = HAS_ERROR, .handles = {{4, HANDLE_DATATYPE, MAKES, 0}}',
};

/** Not calls of a program, or not functions. */
const isNoCall = /_f_(eq|neq)$|^mpi_(sizeof|pcontrol)$/;
const returnsReal = new Set(['mpi_wtime', 'mpi_wtick']);

/** A call that asks whether something has happened: its flag, or the number of what has. */
const polls = /^mpi_(i?m?probe|test(all|any|some)?|request_get_status(_all|_any|_some)?|parrived|win_test)$/;
const operations =
  '(neighbor_)?(barrier|bcast|gatherv?|scatterv?|allgatherv?|alltoall[vw]?|reduce|allreduce|scan|exscan|reduce_scatter(_block)?)';
const collectives = new RegExp(`^mpi_i?${operations}(_c)?$`);

/** Those whose request stands for a collective each time that it is started. Open MPI 4 has them under names of its own: MPIX_Bcast_init. */
const persistentCollectives = new RegExp(`^mpi_${operations}_init(_c)?$`);

const at = (index: number): number => (index < 0 ? 0 : index + 1);

/** A call that may free the handles in these variables. */
const frees = /_(free|disconnect|close)$|^mpi_session_finalize$|^mpi_i?mrecv$|^mpi_(wait|test)(all|any|some)?$/;
/** What a call does otherwise with a handle that it sets; '': nothing that is a part of its history. */
const makings: readonly (readonly [routine: RegExp, how: string])[] = [
  [/^mpi_start(all)?$/, 'STARTS'],
  [/^mpi_(type_commit|comm_get_parent|type_match_size|type_get_value_index)$/, ''],
  [/_get_errhandler$|^mpi_errhandler_get$|_(get|remote)_group$|^mpi_comm_group$|_get_view$/, 'OBTAINS'],
  [/^mpi_type_get_contents$/, 'SHARES'],
  [/^mpi_type_create_f90_/, 'LEARNS'],
  [/./, 'MAKES'],
];

/** In C: what the call does with each handle that it sets. */
function handlesOf(routine: string, args: readonly MpiArgument[]): string {
  const plain = routine.replace(/_c$/, '');
  const made = makings.find(([pattern]) => pattern.test(plain))?.[1] ?? '';
  const handles = args.flatMap(({ name, kind, isSet, isArray }, index) => {
    if (kind === undefined || kind === 'status' || !isSet) return [];
    const isFreed = frees.test(plain) && !(name === 'request' && /mrecv/.test(plain));
    const isLater = /^mpi_comm_idup/.test(plain) && kind === 'comm';
    const how = isFreed ? 'FREES' : isLater ? 'MAKES_LATER' : made;
    const count = isArray ? at(args.findIndex((arg) => /^(count|incount|max_datatypes)$/.test(arg.name))) : 0;
    return how === '' ? [] : [`{${index + 1}, HANDLE_${kind.toUpperCase()}, ${how}, ${count}}`];
  });
  return handles.length === 0 ? '' : `.handles = {${handles.join(', ')}}`;
}

/** Calls whose data the collector looks at, by what they do with it. */
const sends = /^mpi_(i?[bsr]?send|i?sendrecv(_replace)?|[bsr]?send_init|psend_init)$/;
const receives = /^mpi_(i?m?recv|i?sendrecv(_replace)?|recv_init|precv_init)$/;
const reductions = /^mpi_i?(reduce|allreduce|scan|exscan|reduce_scatter(_block)?)(_init)?$/;
const broadcasts = /^mpi_i?bcast(_init)?$/;
const exchanges = /^mpi_i?(gatherv?|scatterv?|(neighbor_)?(allgatherv?|alltoall[vw]?))(_init)?$/;
const rootGives = /^mpi_i?scatterv?(_init)?$/;
const rootTakes = /^mpi_i?(gatherv?|reduce)(_init)?$/;
const remoteWrites = /^mpi_r?(put|accumulate)$/;
/** What they fetch is there when their request has completed, or the window is synchronized. */
const remoteReads = /^mpi_(r?get(_accumulate)?|fetch_and_op)$/;
/** What is packed goes out as bytes. */
const packs = /^mpi_pack(_external)?$/;
const unpacks = /^mpi_unpack(_external)?$/;
const synchronizations = /^mpi_win_(unlock(_all)?|flush(_local)?(_all)?|fence|complete)$/;

/** `side`: the names of its arguments begin so. */
type Side = 'send' | 'recv' | 'origin' | 'result' | '';

/** The data that a call gives and takes, as calls.h has it. */
function dataOf(routine: string, args: readonly MpiArgument[]): { fields: string[]; flags: string[] } {
  const plain = routine.replace(/_c$/, '');
  const names = args.map(({ name }) => name);
  const find = (pattern: RegExp): number => at(names.findIndex((name) => pattern.test(name)));
  const data = (side: Side, when: string, isOfAll: boolean): string => {
    const [buffer, type] = [
      find(new RegExp(`^(${side}buf|${side}_addr|buf|buffer)$`)),
      find(new RegExp(`^(${side}_?types?|${side}_datatype|datatype)$`)),
    ];
    const counts = find(new RegExp(`^${side}counts$`));
    const count = counts === 0 ? find(new RegExp(`^(${side}_?count|count)$`)) : counts;
    const displacements = find(new RegExp(`^(${side.charAt(0) || '-'})?displs$`));
    if (is(/^mpi_fetch_and_op$/)) return `{${buffer}, 0, ${type}, 0, ONE_ELEMENT, ${when}}`;
    const isTyped = names[type - 1] === `${side}types`;
    const blocks = displacements === 0 ? '' : isTyped ? 'TYPED_BLOCKS' : 'BLOCKS';
    const shape = counts === 0 ? (isOfAll ? 'EACH_MEMBER' : 'ONE_BLOCK') : blocks;
    const isRead = buffer > 0 && count > 0 && type > 0 && shape !== '';
    return isRead ? `{${buffer}, ${count}, ${type}, ${counts === 0 ? 0 : displacements}, ${shape}, ${when}}` : '';
  };
  const is = (pattern: RegExp): boolean => pattern.test(plain);
  const fields: string[] = [];
  const flags: string[] = [];
  const add = (gives: string, takes: string): void => {
    if (gives !== '') fields.push(`.gives = ${gives}`);
    if (takes !== '') fields.push(`.takes = ${takes}`);
  };
  if (is(reductions)) {
    flags.push('REDUCES');
    // What MPI_Exscan leaves in the first process means nothing; without a root, that is process 0.
    const when = is(rootTakes) ? 'AT_ROOT' : is(/exscan(_init)?$/) ? 'NOT_AT_ROOT' : 'ALWAYS';
    const [send, receive, type] = [find(/^sendbuf$/), find(/^recvbuf$/), find(/^datatype$/)];
    const counts = find(/^recvcounts$/);
    const count = counts === 0 ? find(/^(recv)?count$/) : counts;
    const shape = counts > 0 ? 'SUM_OF_COUNTS' : is(/_block(_init)?$/) ? 'EACH_MEMBER' : 'ONE_BLOCK';
    const own = counts > 0 ? 'OWN_COUNT' : 'ONE_BLOCK';
    add(`{${send}, ${count}, ${type}, 0, ${shape}, ALWAYS}`, `{${receive}, ${count}, ${type}, 0, ${own}, ${when}}`);
  } else if (is(broadcasts)) add(data('', 'AT_ROOT', false), data('', 'NOT_AT_ROOT', false));
  else if (is(exchanges)) {
    if (is(/neighbor/)) flags.push('NEIGHBOURS');
    const isForAll = is(/scatter|alltoall/);
    const isFromAll = is(/gather|alltoall/);
    add(
      data('send', is(rootGives) ? 'AT_ROOT' : 'ALWAYS', isForAll),
      data('recv', is(rootTakes) ? 'AT_ROOT' : 'ALWAYS', isFromAll),
    );
  } else if (is(remoteWrites)) add(data('origin', 'ALWAYS', false), '');
  else if (is(remoteReads)) {
    const isExchange = is(/_(accumulate|op)$/);
    add(isExchange ? data('origin', 'ALWAYS', false) : '', data(isExchange ? 'result' : 'origin', 'ALWAYS', false));
    if (!is(/^mpi_rget/)) flags.push('FETCHES');
    if (isExchange) fields.push(`.op = ${find(/^op$/)}`);
  } else if (is(packs))
    add(`{${find(/^inbuf$/)}, ${find(/^incount$/)}, ${find(/^datatype$/)}, 0, ONE_BLOCK, ALWAYS}`, '');
  else if (is(unpacks))
    add('', `{${find(/^outbuf$/)}, ${find(/^outcount$/)}, ${find(/^datatype$/)}, 0, ONE_BLOCK, ALWAYS}`);
  else if (is(synchronizations)) flags.push('SYNCHRONIZES');
  else if (is(sends) || is(receives)) {
    add(
      is(sends) ? data(is(/sendrecv$/) ? 'send' : '', 'ALWAYS', false) : '',
      is(receives) ? data(is(/sendrecv$/) ? 'recv' : '', 'ALWAYS', false) : '',
    );
    if (is(/_replace$/)) flags.push('REPLACES');
    // All of the buffer of a partitioned message comes.
    if (is(receives) && !is(/precv/)) flags.push('RECEIVES');
    if (is(/sendrecv/)) fields.push(`.from = ${find(/^source$/)}`, `.from_tag = ${find(/^recvtag$/)}`);
  }
  if (is(/_init$/) && fields.length > 0) flags.push('PREPARES');
  if (is(/^mpi_pready/)) flags.push('READIES');
  if (is(/^mpi_(request_get_status|parrived)$/)) flags.push('PEEKS');
  if (is(/^mpi_pready_list$/)) flags.push('IS_LIST');
  const isTold = is(receives) || is(/^mpi_((wait|test)(all|any)?|request_get_status)$/);
  const status = find(/^(status|array_of_statuses)$/);
  if (isTold && status > 0) fields.push(`.status = ${status}`);
  if (is(/^mpi_type_commit$/)) flags.push('COMMITS');
  if (is(remoteWrites) || is(remoteReads) || is(synchronizations)) fields.push(`.win = ${find(/^win$/)}`);
  if (is(/^mpi_(wait|test)all$/)) flags.push('STATUS_FOR_EACH');
  return { fields, flags };
}

/** Positions count from 1; 0: it has none. */
function lineOf(routine: string, args: readonly MpiArgument[]): string {
  const names = args.map(({ name }) => name);
  const roles = argumentRoles(mpiSpelling(routine));
  const isError = names.at(-1) === 'ierror';
  const cArguments = args.length - (isError ? 1 : 0);
  const find = (field: string): number => at(roles.find((role) => role.field === field)?.index ?? -1);
  const comm = roles.find((role) => role.field === 'comm');
  const request = args.findIndex(({ name, isArray }) => name === 'request' && !isArray);
  // With MPI_NO_OP, MPI_Get_accumulate does not read what it is given of the origin.
  const isOfResult = names.includes('result_count');
  const count = names.findIndex((name) =>
    (isOfResult ? /^result_count$/ : /^(count|sendcount|origin_count)$/).test(name),
  );
  const type = names.findIndex((name) =>
    (isOfResult ? /^result_datatype$/ : /^(datatype|sendtype|origin_datatype)$/).test(name),
  );
  // Where MPI reads count and type in every rank: with MPI_IN_PLACE, or in ranks other than the root, they may be anything.
  const isRead = names[count] !== 'sendcount' || /^mpi_i?sendrecv/.test(routine);
  const hasBytes = count >= 0 && type > count && isRead;
  const flags = [
    isError ? 'HAS_ERROR' : '',
    comm !== undefined && 'isPointer' in comm && comm.isPointer ? 'COMM_BY_ADDRESS' : '',
    args[request]?.isSet === true || /^mpi_(start|cancel)$/.test(routine) ? 'REQUEST_BY_ADDRESS' : '',
    collectives.test(routine) ? 'COLLECTIVE' : '',
    persistentCollectives.test(routine) ? 'PERSISTENT' : '',
    polls.test(routine) && !/^mpi_m?probe$/.test(routine) ? 'POLL' : '',
  ].filter(Boolean);
  const positions = {
    comm: find('comm'),
    peer: find('peer'),
    tag: find('tag'),
    root: find('root'),
    count: hasBytes ? at(count) : 0,
    type: hasBytes ? at(type) : 0,
    partitions: at(names.indexOf('partitions')),
    request: at(request),
    found: at(names.findIndex((name) => /^(flag|outcount)$/.test(name))),
  };
  const fields = Object.entries(positions).flatMap(([name, position]) =>
    position === 0 ? [] : [`.${name} = ${position}`],
  );
  const data = dataOf(routine, args);
  fields.push(...data.fields);
  flags.push(...data.flags);
  const handles = handlesOf(routine, args);
  if (handles !== '') fields.push(handles);
  if (flags.length > 0) fields.push(`.flags = ${flags.join(' | ')}`);
  // Partitioned messages have large counts alone.
  const isLarge = (hasBytes && args[count]?.isInteger !== true) || (routine.endsWith('_c') && data.fields.length > 0);
  const spelled = [mpiSpelling(routine), routine, routine.toUpperCase()];
  // Two more for the lengths of texts, which gfortran passes behind the others; what is not there is passed on unread.
  const macro = returnsReal.has(routine) ? 'REAL_CALL' : onlyC[spelled[0]!] === undefined ? 'CALL' : 'FORTRAN_CALL';
  return `${macro}(${spelled.join(', ')}, ${cArguments}, ${args.length + 2}, ${isLarge}, ${fields.join(', ') || '.flags = 0'})`;
}

/** Under the three names that an extension has. */
function asExtension(line: string): string {
  return line.replace('MPI_', 'MPIX_').replace(' mpi_', ' mpix_').replace(' MPI_', ' MPIX_');
}

export function callTable(): string {
  const lines = mpiRoutineNames()
    .filter((name) => !isNoCall.test(name))
    .flatMap((name) => {
      const line = lineOf(name, mpiRoutine(name)!);
      const isAlsoOfOpenMpi = persistentCollectives.test(name) && !name.endsWith('_c');
      return isAlsoOfOpenMpi ? [line, asExtension(line)] : [line];
    });
  const inC = Object.entries(onlyC).map(
    ([name, count]) => `C_CALL(${name}, ${count}, ${alsoOfC[name] ?? '.flags = 0'})`,
  );
  return [
    '/* Written by scripts/write-call-table.ts: the MPI functions that are wrapped.',
    ' * CALL(C, fortran, FORTRAN, arguments in C, arguments in Fortran, whether its count has',
    ' * 64 bits, positions of arguments and flags) */',
    ...[...lines, ...inC].sort(),
    '',
  ].join('\n');
}

export const floatTableFile = join(__dirname, '..', 'adapter', 'collector', 'calls', 'float-types.h');

/** Datatypes of floating point numbers, with how many of them each has. */
const floatTypes: readonly (readonly [pattern: RegExp, numbers: number])[] = [
  [/^MPI_(FLOAT|DOUBLE|LONG_DOUBLE|REAL|REAL4|REAL8|REAL16|DOUBLE_PRECISION)$/, 1],
  [/^MPI_(FLOAT|DOUBLE|LONG_DOUBLE)_INT$/, 1],
  [/^MPI_(C_(FLOAT_|DOUBLE_|LONG_DOUBLE_)?COMPLEX|CXX_(FLOAT|DOUBLE|LONG_DOUBLE)_COMPLEX)$/, 2],
  [/^MPI_(COMPLEX|COMPLEX8|COMPLEX16|COMPLEX32|DOUBLE_COMPLEX|2REAL|2DOUBLE_PRECISION)$/, 2],
  [/^MPI_2(DOUBLE_)?COMPLEX$/, 4],
];

/** Their handles in each MPI; 0 or no symbol: it has no such type. */
export function floatTable(): string {
  const symbols: Record<string, { symbol: string }> = openmpi.handles.datatype;
  const [ofMpich, ofAbi]: Record<string, string>[] = [mpich.handles.datatype, standardAbi.handles.datatype];
  const names = new Set([symbols, ofMpich!, ofAbi!].flatMap((each) => Object.keys(each)));
  const rows = [...names].sort().flatMap((name) => {
    const numbers = floatTypes.find(([pattern]) => pattern.test(name))?.[1];
    if (numbers === undefined) return [];
    const format = /LONG_DOUBLE/.test(name) ? 'X87' : /^MPI_(REAL16|COMPLEX32)$/.test(name) ? 'QUAD' : 'PER_SIZE';
    const handles = [`"${symbols[name]?.symbol ?? ''}"`, ofMpich![name] ?? 0, ofAbi![name] ?? 0];
    return `{${[...handles, format, numbers, /_INT$/.test(name)].join(', ')}}, /* ${name} */`;
  });
  return ['/* Written by scripts/write-call-table.ts: datatypes of floating point numbers. */', ...rows, ''].join('\n');
}

export const errorTableFile = join(__dirname, '..', 'adapter', 'collector', 'native', 'error-classes.h');

/** The classes of errors, by their number in Open MPI, MPICH and the standard ABI; -1: it has no such class. */
export function errorTable(): string {
  const sources: Record<string, number>[] = [openmpi.integers, mpich.integers, standardAbi.integers];
  const isClass = (name: string): boolean => /^MPI_ERR_/.test(name) && name !== 'MPI_ERR_LASTCODE';
  const names = new Set(sources.flatMap((source) => Object.keys(source).filter(isClass)));
  const rows = [...names]
    .sort()
    .map((name) => `{"${name}", {${sources.map((source) => source[name] ?? -1).join(', ')}}},`);
  return [
    '/* Written by scripts/write-call-table.ts: classes of errors in Open MPI, MPICH and the standard ABI. */',
    ...rows,
    '',
  ].join('\n');
}

if (require.main === module) {
  writeFileSync(callTableFile, callTable());
  writeFileSync(errorTableFile, errorTable());
  writeFileSync(floatTableFile, floatTable());
}
