/**
 * Every request that clients can send: what it takes, what it answers, and what it needs. A new topic adds its tables
 * here; nothing else in the session changes.
 */
import { breakpointRequests } from './breakpoints/breakpoint-requests';
import { executionRequests } from './execution/execution-requests';
import { memoryRequests } from './memory/memory-requests';
import { queryCommands } from './queries/console-commands';
import { queryRequests } from './queries/query-requests';
import type * as request from './requests/request';
import { lifeRequests } from './session-requests';
import { variableRequests } from './variables/variable-requests';

export const requestTable = {
  ...lifeRequests,
  ...breakpointRequests,
  ...executionRequests,
  ...memoryRequests,
  ...variableRequests,
  ...queryRequests,
};

/** The commands `mpi …` of the debug console. */
export const consoleTable = { ...queryCommands };

type Requests = typeof requestTable;

export type Command = keyof Requests;
/** What a client sends with it. */
export type ArgumentsOf<Name extends Command> = request.ArgumentsOf<Requests[Name]>;
/** What a client gets. */
export type BodyOf<Name extends Command> = request.BodyOf<Requests[Name]>;
