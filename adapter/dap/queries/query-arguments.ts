/** What clients send with our own requests, `mpidbg/…`. */
import { handleKinds } from '../../../plugin-api/mpi/describe';
import type { HandleKind, Integer } from '../../../plugin-api/mpi/records';
import { pvarClasses } from '../../../plugin-api/overlays/mpi-t-words';
import type { VariableAction, VariableChange } from '../../../plugin-api/overlays/records';
import { isDesignator, type Annotation } from '../../fortran/annotations';
import { scopes, type Scope } from '../../../plugin-api/answers/focus-body';
import { flag, integer, matching, oneOf, optional, record, text } from '../../questions/argument-checks';
import { expression, type ExpressionsArguments } from '../../questions/expressions-argument';
import { handles, type HandlesArguments } from '../../questions/handles';
import { queues, type QueuesArguments } from '../../questions/queues';
import { show } from '../../questions/show';
import { stacks, type StacksArguments } from '../../questions/stacks';

const rankSet = matching('a rank set such as "0-3,7"', isText);
const frameId = optional(integer);

export const ranksArguments = record<{
  /** With the place where each rank stands. */
  places?: boolean;
  /** With how its program was called. */
  commands?: boolean;
}>({ places: optional(flag), commands: optional(flag) });

/** Without arguments: what it is. */
export interface FocusArguments {
  /** A rank set, or "all". */
  ranks?: string;
  scope?: Scope;
}

export const focusArguments = record<FocusArguments>({
  ranks: optional(matching('a rank set such as "0-3,7", or "all"', isText)),
  scope: optional(oneOf(scopes)),
});

/** One of both: the thread, or the first rank of the set that is stopped. */
export interface SelectArguments {
  threadId?: number;
  ranks?: string;
}

export const selectArguments = record<SelectArguments>({ threadId: optional(integer), ranks: optional(rankSet) });

/** One of `where`, `comm` and `stoppedLike` says which ranks. */
export interface RankSetArguments {
  /** An expression that is true in them. */
  where?: string;
  /** An expression that is a communicator. */
  comm?: string;
  /** For a cartesian communicator: only along this dimension. */
  dimension?: number;
  /** A frame: those that stand in the same function and line. */
  stoppedLike?: number;
  /** Where the expressions are evaluated. */
  frameId?: number;
}

export const rankSetArguments = record<RankSetArguments>({
  where: optional(text),
  comm: optional(text),
  dimension: optional(integer),
  stoppedLike: optional(integer),
  frameId,
});

export interface ValueArguments {
  expression: string;
  ranks?: string;
  frameId?: number;
}

export const valueArguments = record<ValueArguments>({ expression, ranks: optional(rankSet), frameId });

export interface NanArguments {
  /** Instead of all variables: evaluated as by mpidbg/value. */
  expression?: string;
  ranks?: string;
  frameId?: number;
}

export const nanArguments = record<NanArguments>({
  expression: optional(expression),
  ranks: optional(rankSet),
  frameId,
});

export interface DifferencesArguments {
  /** In the frames of other ranks that correspond to it. */
  frameId: number;
  ranks?: string;
  /** Arrays and structs too: each is asked for by itself. */
  compound?: boolean;
}

export const differencesArguments = record<DifferencesArguments>({
  frameId: integer,
  ranks: optional(rankSet),
  compound: optional(flag),
});

/** The ranks that a question is about; left out: those of the focus. */
interface InRanks {
  ranks?: string;
}

export const showArguments = record<ExpressionsArguments & InRanks & { frameId?: number }>({
  ...show.arguments,
  ranks: optional(rankSet),
  frameId,
});

export const handlesArguments = record<Omit<HandlesArguments, 'internal'> & InRanks>({
  kinds: handles.arguments.kinds,
  ranks: optional(rankSet),
});

export interface VariablesArguments {
  rank: number;
  /** Default: the launcher's own. */
  world?: string;
  kind: HandleKind;
  /** As in the record of the handle. */
  handle: string;
}

export const variablesArguments = record<VariablesArguments>({
  rank: integer,
  world: optional(text),
  kind: oneOf(handleKinds),
  handle: text,
});

export const queuesArguments = record<QueuesArguments & InRanks>({ ranks: optional(rankSet), ...queues.arguments });

export interface OverlayArguments {
  ranks?: string;
  /** Globs over the names of variables or types of events; none: all. */
  patterns?: string[];
  /** How many of the newest events, calls or OpenMP records. */
  last?: number;
}

const overlayFields = {
  ranks: optional(rankSet),
  patterns: optional(matching('a list of names, in which * is any text', isTexts)),
  last: optional(integer),
};
export const overlayArguments = record<OverlayArguments>(overlayFields);

/** For overlays that have records. */
export interface RecordArguments extends OverlayArguments {
  /** Instead of the last ones: what is new since the last request with this text here. */
  follow?: string;
}

export const recordArguments = record<RecordArguments>({ ...overlayFields, follow: optional(text) });

/** See VariableChange. */
export interface SetVariableArguments extends VariableChange {
  rank: number;
  world?: string;
}

const variableActions: readonly VariableAction[] = ['start', 'stop', 'reset', 'readreset', 'write'];

export const setVariableArguments = record<SetVariableArguments>({
  rank: integer,
  world: optional(text),
  kind: oneOf(['pvar', 'cvar']),
  name: text,
  class: optional(oneOf(pvarClasses)),
  object: optional(
    matching(
      'a handle such as 0x44000000',
      (value): value is string => isText(value) && /^0x[0-9a-f]{1,16}$/i.test(value),
    ),
  ),
  action: oneOf(variableActions),
  value: optional(
    matching(
      'a list of numbers, or a text',
      (value): value is Integer[] | string =>
        isText(value) || (Array.isArray(value) && value.every((each) => typeof each === 'number' || isText(each))),
    ),
  ),
});

export interface HangArguments {
  ranks?: string;
}

export const hangArguments = record<HangArguments>({ ranks: optional(rankSet) });

export const stacksArguments = record<StacksArguments & InRanks>({ ranks: optional(rankSet), ...stacks.arguments });

export interface AnnotateArguments extends Omit<Annotation, 'kind'> {
  /** "inferred": what the program says. */
  kind: Annotation['kind'] | 'inferred';
}

export const annotateArguments = record<AnnotateArguments>({
  variable: matching(
    'the name of a variable or component, such as comm or grid%comm',
    (value): value is string => isText(value) && isDesignator(value),
  ),
  kind: matching(
    `null (not a handle), "inferred" (what the program says) or one of ${handleKinds.join(', ')}`,
    (value): value is AnnotateArguments['kind'] =>
      value === null || value === 'inferred' || handleKinds.includes(value as HandleKind),
  ),
  function: optional(matching('the name of a function', isText)),
  file: optional(matching('the path of a source file', isText)),
});

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}
