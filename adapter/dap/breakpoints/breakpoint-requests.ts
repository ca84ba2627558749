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
import type { BreakpointsAnswer, ChosenStops, StopTopics } from './chosen-stops';

interface Stops {
  readonly stops: ChosenStops;
}

const { ofJob, ofStoppedThread } = jobRequests<StopTopics & Stops, Stops>();

/** What chooses one sort of stops. Before there is a job, it is kept for that. */
interface Choice<Arguments> {
  /** What is chosen before under the same name is chosen no longer. */
  sort: (args: Arguments) => string;
  wanted: (args: Arguments) => readonly unknown[];
  set: (topics: StopTopics, args: Arguments) => Promise<BreakpointsAnswer>;
  /** The answer is about breakpoints; default: true. */
  hasIds?: boolean;
}

function chosenBy<Arguments>({ sort, wanted, set, hasIds = true }: Choice<Arguments>) {
  return {
    beforeJob: ({ stops }: Stops, args: Arguments) =>
      stops.chooseEarly(sort(args), wanted(args), (topics) => set(topics, args), { hasIds }),
    onCores: { kind: 'answered', answer: (args: Arguments) => nothingStopsHere(wanted(args)) },
    answer: (topics: StopTopics & Stops, args: Arguments) =>
      topics.stops.choose(topics, sort(args), (each) => set(each, args), { hasIds }),
  } as const;
}

export const breakpointRequests = {
  setBreakpoints: ofJob({
    arguments: setBreakpointsArguments,
    ...chosenBy<ReturnType<typeof setBreakpointsArguments>>({
      sort: ({ source }) => `source ${source.path}`,
      wanted: ({ breakpoints, lines = [] }) => breakpoints ?? lines,
      set: ({ breakpoints }, args) => breakpoints.setInSource(args),
    }),
  }),
  setFunctionBreakpoints: ofJob({
    arguments: setFunctionBreakpointsArguments,
    capability: 'supportsFunctionBreakpoints',
    ...chosenBy<ReturnType<typeof setFunctionBreakpointsArguments>>({
      sort: () => 'functions',
      wanted: ({ breakpoints }) => breakpoints,
      set: ({ breakpoints }, args) => breakpoints.setOnFunctions(args),
    }),
  }),
  setDataBreakpoints: ofJob({
    arguments: setDataBreakpointsArguments,
    capability: 'supportsDataBreakpoints',
    ...chosenBy<ReturnType<typeof setDataBreakpointsArguments>>({
      sort: () => 'data',
      wanted: ({ breakpoints }) => breakpoints,
      set: ({ dataBreakpoints }, args) => dataBreakpoints.set(args),
    }),
  }),
  setInstructionBreakpoints: ofJob({
    arguments: setInstructionBreakpointsArguments,
    capability: 'supportsInstructionBreakpoints',
    ...chosenBy<ReturnType<typeof setInstructionBreakpointsArguments>>({
      sort: () => 'instructions',
      wanted: ({ breakpoints }) => breakpoints,
      set: ({ instructionBreakpoints }, args) => instructionBreakpoints.set(args),
    }),
  }),
  setExceptionBreakpoints: ofJob({
    arguments: setExceptionBreakpointsArguments,
    ...chosenBy<ReturnType<typeof setExceptionBreakpointsArguments>>({
      sort: () => 'exceptions',
      wanted: ({ filters, filterOptions = [] }) => [...filters, ...filterOptions],
      set: ({ exceptions }, args) => exceptions.set(args),
      // Only a part of the answer is about breakpoints.
      hasIds: false,
    }),
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
