/** Writes the C functions that stand before MPI's: one for each function of mpi.h that returns an error code. */

/** A parameter of a function in mpi.h. */
interface Parameter {
  /** As declared, with a name. */
  declaration: string;
  name: string;
  /** "MPI_Comm"; without const. */
  type: string;
  shape: 'value' | 'pointer' | 'array' | 'input';
}

interface MpiFunction {
  name: string;
  parameters: Parameter[];
}

const kinds: Record<string, string> = {
  MPI_Comm: 'SUITE_COMM',
  MPI_Datatype: 'SUITE_DATATYPE',
  MPI_Errhandler: 'SUITE_ERRHANDLER',
  MPI_File: 'SUITE_FILE',
  MPI_Group: 'SUITE_GROUP',
  MPI_Info: 'SUITE_INFO',
  MPI_Message: 'SUITE_MESSAGE',
  MPI_Op: 'SUITE_OP',
  MPI_Request: 'SUITE_REQUEST',
  MPI_Session: 'SUITE_SESSION',
  MPI_Win: 'SUITE_WIN',
};

/** `preprocessed`: mpi.h as the C preprocessor leaves it. */
export function readFunctions(preprocessed: string): MpiFunction[] {
  const text = preprocessed.replace(/^#.*$/gm, '').replace(/\s+/g, ' ');
  const functions = new Map<string, MpiFunction>();
  for (const [, name = '', list = ''] of text.matchAll(/\bint PMPI_([A-Z]\w+) ?\(((?:[^()]|\([^()]*\))*)\)/g)) {
    // mpidbg decodes no handles of MPI_T; a variable argument list cannot be passed on.
    if (name.startsWith('T_') || list.includes('...')) continue;
    functions.set(name, { name, parameters: readParameters(list) });
  }
  return [...functions.values()];
}

function readParameters(list: string): Parameter[] {
  if (list.trim() === 'void' || list.trim() === '') return [];
  return list.split(',').map((text, i) => readParameter(text.trim(), `argument${i}`));
}

function readParameter(text: string, unnamed: string): Parameter {
  const [, before = '', brackets = ''] = /^(.*?)((?:\s*\[[^\]]*\])*)$/.exec(text) ?? [];
  const words: string[] = before.match(/\w+/g) ?? [];
  const types = words.filter((word) => !['const', 'struct', 'unsigned', 'long'].includes(word));
  const isNamed = types.length > 1 && !before.endsWith('*');
  const name = isNamed ? (types.at(-1) ?? unnamed) : unnamed;
  const declaration = isNamed ? text : `${before} ${unnamed}${brackets}`;
  const isPointer = before.includes('*');
  const shape = brackets !== '' ? 'array' : isPointer ? 'pointer' : 'value';
  const isInput = words.includes('const') || (isPointer && brackets !== '') || before.split('*').length > 2;
  return { declaration, name, type: types[0] ?? 'int', shape: shape !== 'value' && isInput ? 'input' : shape };
}

/** The whole C file. */
export function writeWrappers(functions: readonly MpiFunction[]): string {
  const bodies = functions.filter(({ name }) => !isWrittenByHand.test(name)).map(writeWrapper);
  return `/* Generated; see wrappers.ts. */\n#define _GNU_SOURCE\n#define TRUTH_LINE (1 << 24)\n#include "records.h"\n#include "by-hand.h"\n\n${bodies.join('\n')}`;
}

/** In by-hand.h. */
const isWrittenByHand = /^(Init|Init_thread|Finalize)$/;

/** Functions whose argument is a handle that they take from the program. */
const frees = /(_free|_disconnect|_finalize|_close|^Mrecv(_c)?|^Imrecv(_c)?)$/;

function writeWrapper({ name, parameters }: MpiFunction): string {
  const declarations = parameters.map(({ declaration }) => declaration).join(', ') || 'void';
  const names = parameters.map((parameter) => parameter.name).join(', ');
  const steps = [...handleSteps(name, parameters), ...(hooks(name, parameters) ?? [])];
  const part = (when: keyof Step): string =>
    steps.flatMap((step) => (step[when] === undefined ? [] : [`        ${step[when]}\n`])).join('');
  return `int MPI_${name}(${declarations})
{
    if (!suite_enter("MPI_${name}", __builtin_return_address(0)))
        return PMPI_${name}(${names});
${part('before')}    const int result_ = PMPI_${name}(${names});
    if (result_ == MPI_SUCCESS) {
${part('after')}    }
${part('always')}    suite_leave();
    return result_;
}
`;
}

/** What a wrapper does around the call. */
interface Step {
  before?: string;
  /** When the call succeeded. */
  after?: string;
  always?: string;
}

function value({ type }: Parameter, expression: string): string {
  return type === 'MPI_File' ? `TRUTH_FILE(${expression})` : `TRUTH_HANDLE(${expression})`;
}

function handleSteps(name: string, parameters: Parameter[]): Step[] {
  return parameters.flatMap((parameter): Step[] => {
    const kind = kinds[parameter.type];
    if (kind === undefined || parameter.shape === 'input' || parameter.shape === 'array') return [];
    const { name: own } = parameter;
    if (parameter.shape === 'value') {
      if (kind === 'SUITE_REQUEST' || kind === 'SUITE_MESSAGE') return [];
      return [{ after: `suite_passed(${kind}, ${value(parameter, own)});` }];
    }
    if (frees.test(name) && !(kind === 'SUITE_REQUEST' && name.startsWith('Imrecv'))) {
      return [
        {
          before: `const unsigned long ${own}_before = ${value(parameter, `*${own}`)};`,
          // Also where the call reports an error: a receive that truncates has taken its message.
          always: `suite_freed(${kind}, ${own}_before, ${value(parameter, `*${own}`)});`,
        },
      ];
    }
    // Requests are noted with their arguments, messages with their status.
    if (kind === 'SUITE_REQUEST' || kind === 'SUITE_MESSAGE') return [];
    // Neither is handed out anew.
    if (name === 'Type_commit' || name === 'Comm_get_parent')
      return [{ after: `suite_passed(${kind}, ${value(parameter, `*${own}`)});` }];
    return [{ after: `suite_got(${kind}, ${value(parameter, `*${own}`)});` }];
  });
}

function hooks(name: string, parameters: Parameter[]): Step[] | undefined {
  const at = (i: number): string => parameters[i]?.name ?? '';
  const of = (type: string, shape?: Parameter['shape']): string | undefined =>
    parameters.find((parameter) => parameter.type === type && (shape === undefined || parameter.shape === shape))?.name;
  const after = (step: string): Step[] => [{ after: step }];
  const made = madeRequest(name, parameters);
  if (made !== undefined) {
    const comm = of('MPI_Comm', 'pointer');
    const result = comm === undefined ? [] : after(`suite_is_made_by(*${comm}, *${of('MPI_Request')});`);
    return [...after(made), ...result];
  }
  if (parameters.some((parameter) => parameter.name === 'reorder') && of('MPI_Comm', 'pointer') !== undefined)
    return after(`suite_made_topology(*${of('MPI_Comm', 'pointer')}, reorder);`);
  if (/^Win_(create|allocate)/.test(name) && of('MPI_Win') !== undefined && of('MPI_Comm') !== undefined)
    return after(`suite_made_win(*${of('MPI_Win')}, ${of('MPI_Comm')}, ${of('MPI_Info')});`);
  const errhandler = /^(Comm|File|Win|Session)_create_errhandler$/.exec(name);
  const sort = { Comm: 'communicator', File: 'file', Win: 'window', Session: 'session' }[errhandler?.[1] ?? ''];
  if (sort !== undefined || name === 'Errhandler_create')
    return after(madeFunction('SUITE_ERRHANDLER', at(1), at(0), sort ?? 'communicator'));
  switch (name) {
    case 'Wait':
    case 'Test': {
      const isDone = name === 'Wait' ? '1' : `*${at(1)}`;
      const finish = `if (${isDone} || *${at(0)} != before_) suite_completed(before_, *${at(0)});`;
      return [{ before: `const MPI_Request before_ = *${at(0)};`, always: finish }];
    }
    case 'Waitall':
      return completing(parameters, `suite_completed_all(${at(0)}, before_, ${at(1)}, result_ == MPI_SUCCESS);`);
    case 'Testall':
      return completing(
        parameters,
        `suite_completed_all(${at(0)}, before_, ${at(1)}, result_ == MPI_SUCCESS && *${at(2)});`,
      );
    case 'Waitany':
    case 'Testany': {
      const condition = name === 'Waitany' ? '' : `*${at(3)} && `;
      const call = `suite_completed_some(1, ${at(2)}, before_, ${at(1)});`;
      return completing(parameters, `if (${condition}*${at(2)} != MPI_UNDEFINED) ${call}`);
    }
    case 'Waitsome':
    case 'Testsome': {
      const call = `suite_completed_some(*${at(2)}, ${at(3)}, before_, ${at(1)});`;
      return completing(parameters, `if (*${at(2)} != MPI_UNDEFINED) ${call}`);
    }
    case 'Start':
      return [{ before: `const MPI_Request before_ = *${at(0)};`, after: `suite_started(1, ${at(0)}, &before_);` }];
    case 'Startall':
      return completing(parameters, `if (result_ == MPI_SUCCESS) suite_started(${at(0)}, ${at(1)}, before_);`);
    case 'Comm_dup':
    case 'Comm_dup_with_info':
      return after(`suite_duplicated_comm(${at(0)}, *${of('MPI_Comm', 'pointer')});`);
    case 'Op_create':
    case 'Op_create_c':
      return after(madeFunction('SUITE_OP', at(2), at(0), 'operation'));
    case 'File_open':
      return after(`suite_opened(*${at(4)}, ${at(0)}, ${at(1)});`);
    case 'Comm_create_keyval':
    case 'Keyval_create':
      return after(`suite_made_keyval(*${at(2)});`);
    case 'Comm_free_keyval':
    case 'Keyval_free':
      return [{ before: `const int before_ = *${at(0)};`, after: 'suite_freed_keyval(before_);' }];
    case 'Win_set_info':
      return after(`suite_hint_no_locks(${at(0)}, ${at(1)});`);
    case 'Win_fence':
      return after(`suite_fenced(${at(1)}, ${at(0)});`);
    case 'Win_lock':
      return after(`if (${at(1)} != MPI_PROC_NULL) suite_locked(${at(3)}, 1);`);
    case 'Win_unlock':
      return after(`if (${at(0)} != MPI_PROC_NULL) suite_locked(${at(1)}, -1);`);
    case 'Win_lock_all':
      return after(`suite_synchronized(${at(1)}, "lockAll", NULL, "lock");`);
    case 'Win_unlock_all':
      return after(`suite_synchronized(${at(0)}, "none", NULL, "unlock");`);
    case 'Win_start':
      return after(`suite_synchronized(${at(2)}, "start", NULL, "start");`);
    case 'Win_complete':
      return after(`suite_synchronized(${at(0)}, "none", NULL, "complete");`);
    case 'Win_post':
      return after(`suite_synchronized(${at(2)}, NULL, "post", "post");`);
    case 'Win_wait':
      return after(`suite_synchronized(${at(0)}, NULL, "none", "wait");`);
    case 'Win_test':
      return after(`if (*${at(1)}) suite_synchronized(${at(0)}, NULL, "none", "wait");`);
    case 'Mprobe':
    case 'Improbe': {
      const isThere = name === 'Mprobe' ? '' : `if (*${at(3)}) `;
      const [message, status] = name === 'Mprobe' ? [at(3), at(4)] : [at(4), at(5)];
      return [
        {
          before: `MPI_Status status_; if (${status} == MPI_STATUS_IGNORE) ${status} = &status_;`,
          after: `${isThere}suite_probed(*${message}, ${at(2)}, ${status});`,
        },
      ];
    }
    default:
      return undefined;
  }
}

function madeFunction(kind: string, handle: string, callback: string, sort: string): string {
  return `suite_made_function(${kind}, TRUTH_HANDLE(*${handle}), (unsigned long)(uintptr_t)${callback}, "${sort}");`;
}

function completing(parameters: Parameter[], always: string): Step[] {
  const [count, requests] = parameters;
  const copy = `MPI_Request *const before_ = suite_copy(${count?.name}, ${requests?.name});`;
  return [{ before: copy, always: `${always} free(before_);` }];
}

const sendModes: Record<string, string> = { '': 'standard', B: 'buffered', S: 'synchronous', R: 'ready' };

/** What is kept of a request that this function makes; undefined when it makes none. */
function madeRequest(name: string, parameters: Parameter[]): string | undefined {
  const request = parameters.find(({ type, shape }) => type === 'MPI_Request' && shape === 'pointer')?.name;
  if (request === undefined || !/^I|_init(_c)?$|^R(put|get|accumulate)|^Grequest_start$|^File_i|^Comm_idup/.test(name))
    return undefined;
  const of = (type: string): string | undefined => parameters.find((parameter) => parameter.type === type)?.name;
  const named = (own: string): string | undefined => parameters.find((parameter) => parameter.name === own)?.name;
  const fields: Record<string, string | undefined> = { is_persistent: /_init(_c)?$/.test(name) ? '1' : undefined };
  const send = /^(?:I([bsr]?)send|([BSR]?)[Ss]end_init|Psend_init)(_c)?$/.exec(name);
  if (send !== null || /^(I[m]?recv|P?[Rr]ecv_init)(_c)?$/.test(name)) {
    const isPartitioned = name.startsWith('P');
    const mode = sendModes[(send?.[1] ?? send?.[2] ?? '').toUpperCase()];
    const way = send === null ? 'Receive' : 'Send';
    const plain = name.startsWith('Imrecv') ? 'message' : way.toLowerCase();
    Object.assign(fields, {
      operation: `"${isPartitioned ? `partitioned${way}` : plain}"`,
      send_mode: send !== null && !isPartitioned ? `"${mode}"` : undefined,
      buffer: named('buf'),
      count: isPartitioned ? `${named('partitions')} * ${named('count')}` : named('count'),
      datatype: of('MPI_Datatype'),
      peer: named('dest') ?? named('source'),
      tag: named('tag'),
      comm: named('comm'),
    });
  } else if (/^R(put|get|accumulate)/.test(name)) {
    Object.assign(fields, { operation: '"rma"', win: of('MPI_Win') });
  } else if (name.startsWith('File_i')) {
    const type = parameters.findIndex((parameter) => parameter.type === 'MPI_Datatype');
    Object.assign(fields, {
      operation: '"io"',
      file: of('MPI_File'),
      buffer: parameters[type - 2]?.name,
      count: parameters[type - 1]?.name,
      datatype: parameters[type]?.name,
    });
  } else if (name === 'Grequest_start') {
    fields['operation'] = '"generalized"';
  } else {
    // The records have no word for MPI_Isendrecv and its like.
    const word = name.startsWith('Comm_idup') ? 'commDup' : name.startsWith('Isendrecv') ? 'exchange' : 'collective';
    Object.assign(fields, { operation: `"${word}"`, comm: of('MPI_Comm') });
  }
  const values = Object.entries(fields).flatMap(([field, given]) =>
    given === undefined ? [] : [`.${field} = ${given}`],
  );
  return `suite_made_request("MPI_${name}", *${request}, (struct truth_request){${values.join(', ')}});`;
}
