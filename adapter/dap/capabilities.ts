/** The capabilities that clients are told: exactly what the table of requests has. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { exceptionFilters } from './breakpoints/exceptions';
import type { Capability, RequestTable } from './requests/request';

/** Those about arguments of requests. */
const ofArguments: DebugProtocol.Capabilities = {
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsDataBreakpointBytes: true,
  supportsExceptionFilterOptions: true,
  exceptionBreakpointFilters: exceptionFilters,
  supportsValueFormattingOptions: true,
  completionTriggerCharacters: ['.', '>', '%', ':'],
  supportsSingleThreadExecutionRequests: true,
  supportTerminateDebuggee: true,
};

/** What initialize answers. */
export function capabilitiesOf(table: RequestTable<never, never>): DebugProtocol.Capabilities {
  return { ...ofArguments, ...Object.fromEntries(named(table).map(({ capability }) => [capability, true])) };
}

/** The capabilities that change when the job turns out to consist of core files. */
export function withdrawnOnCores(table: RequestTable<never, never>): DebugProtocol.Capabilities {
  const withdrawn = named(table).filter(({ onCores }) => onCores !== undefined && onCores.kind !== 'checked');
  return Object.fromEntries(withdrawn.map(({ capability }) => [capability, false]));
}

function named(table: RequestTable<never, never>) {
  return Object.values(table).filter(
    (request): request is typeof request & { capability: Capability } => request.capability !== undefined,
  );
}
