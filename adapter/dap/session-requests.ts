/** The requests about a session as a whole, from initialize to disconnect. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { ChosenStops } from './breakpoints/chosen-stops';
import {
  cancelArguments,
  configuration,
  disconnectArguments,
  initializeArguments,
  nothing,
  restartArguments,
} from './requests/dap-arguments';
import { sessionRequests } from './requests/request';

/** How a session starts and ends. */
export interface SessionLife {
  /** Also those that are chosen before there is a job. */
  readonly stops: ChosenStops;
  initialize(client: ReturnType<typeof initializeArguments>): DebugProtocol.Capabilities;
  launch(configuration: unknown): Promise<void>;
  attach(configuration: unknown): Promise<void>;
  configurationDone(): Promise<void>;
  /** `configuration`: undefined for the one that the job had. */
  restart(configuration: unknown): Promise<void>;
  /** A launched job ends; an attached one runs on, or ends if the user wants that. */
  finish(terminateDebuggee?: boolean): Promise<void>;
  cancel(what: ReturnType<typeof cancelArguments>): Promise<void>;
}

const ofSession = sessionRequests<SessionLife>();

export const lifeRequests = {
  initialize: ofSession({ arguments: initializeArguments, answer: (session, args) => session.initialize(args) }),
  launch: ofSession({ arguments: configuration, answer: (session, args) => session.launch(args) }),
  attach: ofSession({ arguments: configuration, answer: (session, args) => session.attach(args) }),
  configurationDone: ofSession({
    arguments: nothing,
    capability: 'supportsConfigurationDoneRequest',
    answer: (session) => session.configurationDone(),
  }),
  restart: ofSession({
    arguments: restartArguments,
    capability: 'supportsRestartRequest',
    answer: (session, args) => session.restart(args.arguments),
  }),
  disconnect: ofSession({
    arguments: disconnectArguments,
    answer: (session, { terminateDebuggee }) => session.finish(terminateDebuggee),
  }),
  terminate: ofSession({
    arguments: nothing,
    capability: 'supportsTerminateRequest',
    onCores: { kind: 'unoffered' },
    answer: (session) => session.finish(true),
  }),
  cancel: ofSession({
    arguments: cancelArguments,
    capability: 'supportsCancelRequest',
    answer: (session, args) => session.cancel(args),
  }),
};
