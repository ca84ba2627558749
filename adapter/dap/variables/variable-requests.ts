/** The requests about stacks, variables and expressions. */
import type { StackFrames } from '../references/stack-frames';
import {
  completionsArguments,
  evaluateArguments,
  scopesArguments,
  setExpressionArguments,
  setVariableArguments,
  stackTraceArguments,
  variablesArguments,
} from '../requests/dap-arguments';
import { checkLooksOnly } from '../requests/on-cores';
import { jobRequests, refused } from '../requests/request';
import type { Assignments } from './assignments';
import type { Completions } from './completions';
import type { Evaluation } from './evaluate';
import type { Variables } from './variables';

const { ofJob, ofStoppedThread } = jobRequests<{
  readonly frames: StackFrames;
  readonly variables: Variables;
  readonly evaluation: Evaluation;
  readonly assignments: Assignments;
  readonly completions: Completions;
}>();

export const variableRequests = {
  stackTrace: ofStoppedThread({
    arguments: stackTraceArguments,
    usesSymbols: true,
    answer: ({ frames }, args, thread) => frames.stackTrace(thread, args),
  }),
  scopes: ofJob({
    arguments: scopesArguments,
    answer: ({ frames, variables }, { frameId }) => ({ scopes: variables.scopes(frames.get(frameId)) }),
  }),
  variables: ofJob({
    arguments: variablesArguments,
    usesSymbols: true,
    answer: async ({ variables }, args) => ({ variables: await variables.list(args) }),
  }),
  evaluate: ofJob({
    arguments: evaluateArguments,
    usesSymbols: true,
    capability: 'supportsEvaluateForHovers',
    onCores: { kind: 'checked', check: ({ expression }) => checkLooksOnly(expression) },
    answer: ({ evaluation }, args) => evaluation.evaluate(args),
  }),
  setVariable: ofJob({
    arguments: setVariableArguments,
    usesSymbols: true,
    capability: 'supportsSetVariable',
    onCores: refused('be changed'),
    answer: ({ assignments }, args) => assignments.setVariable(args),
  }),
  setExpression: ofJob({
    arguments: setExpressionArguments,
    usesSymbols: true,
    capability: 'supportsSetExpression',
    onCores: refused('be changed'),
    answer: ({ assignments }, args) => assignments.setExpression(args),
  }),
  completions: ofJob({
    arguments: completionsArguments,
    capability: 'supportsCompletionsRequest',
    answer: ({ completions }, args) => completions.complete(args),
  }),
};
