/** The requests about breakpoints of all sorts, and about exceptions. */
import {
  breakpointLocationsArguments,
  dataBreakpointInfoArguments,
  exceptionInfoArguments,
  setBreakpointsArguments,
  setDataBreakpointsArguments,
  setExceptionBreakpointsArguments,
  setFunctionBreakpointsArguments,
  setInstructionBreakpointsArguments,
} from '../requests/dap-arguments';
import { nothingStopsHere } from '../requests/on-cores';
import { jobRequests } from '../requests/request';
import type { ChosenStops, StopTopics } from './chosen-stops';

const { ofJob, ofStoppedThread } = jobRequests<StopTopics & { readonly stops: ChosenStops }>();

export const breakpointRequests = {
  setBreakpoints: ofJob({
    arguments: setBreakpointsArguments,
    beforeJob: 'waits',
    onCores: { kind: 'answered', answer: (args) => nothingStopsHere(args.breakpoints ?? []) },
    answer: (topics, args) =>
      topics.stops.choose(topics, `source ${args.source.path}`, ({ breakpoints }) => breakpoints.setInSource(args)),
  }),
  setFunctionBreakpoints: ofJob({
    arguments: setFunctionBreakpointsArguments,
    capability: 'supportsFunctionBreakpoints',
    beforeJob: 'waits',
    onCores: { kind: 'answered', answer: (args) => nothingStopsHere(args.breakpoints) },
    answer: (topics, args) =>
      topics.stops.choose(topics, 'functions', ({ breakpoints }) => breakpoints.setOnFunctions(args)),
  }),
  setDataBreakpoints: ofJob({
    arguments: setDataBreakpointsArguments,
    capability: 'supportsDataBreakpoints',
    beforeJob: 'waits',
    onCores: { kind: 'answered', answer: (args) => nothingStopsHere(args.breakpoints) },
    answer: (topics, args) => topics.stops.choose(topics, 'data', ({ dataBreakpoints }) => dataBreakpoints.set(args)),
  }),
  setInstructionBreakpoints: ofJob({
    arguments: setInstructionBreakpointsArguments,
    capability: 'supportsInstructionBreakpoints',
    beforeJob: 'waits',
    onCores: { kind: 'answered', answer: (args) => nothingStopsHere(args.breakpoints) },
    answer: (topics, args) =>
      topics.stops.choose(topics, 'instructions', ({ instructionBreakpoints }) => instructionBreakpoints.set(args)),
  }),
  setExceptionBreakpoints: ofJob({
    arguments: setExceptionBreakpointsArguments,
    beforeJob: 'waits',
    onCores: {
      kind: 'answered',
      answer: ({ filters, filterOptions = [] }) => nothingStopsHere([...filters, ...filterOptions]),
    },
    // Only part of the answer is about breakpoints.
    answer: (topics, args) =>
      topics.stops.choose(topics, 'exceptions', ({ exceptions }) => exceptions.set(args), { hasIds: false }),
  }),

  breakpointLocations: ofJob({
    arguments: breakpointLocationsArguments,
    capability: 'supportsBreakpointLocationsRequest',
    onCores: { kind: 'unoffered' },
    answer: ({ breakpoints }, args) => breakpoints.locations(args),
  }),
  dataBreakpointInfo: ofJob({
    arguments: dataBreakpointInfoArguments,
    answer: ({ dataBreakpoints }, args) => dataBreakpoints.info(args),
  }),
  exceptionInfo: ofStoppedThread({
    arguments: exceptionInfoArguments,
    capability: 'supportsExceptionInfoRequest',
    answer: ({ exceptions }, _args, thread) => exceptions.info(thread),
  }),
};
