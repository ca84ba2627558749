/** Our own requests, `mpidbg/…`, and DAP's threads. docs/other-clients.md describes them. */
import { nothing } from '../requests/dap-arguments';
import { jobRequests } from '../requests/request';
import type { ThreadList } from '../ranks/threads';
import { handles } from '../../questions/handles';
import { queues } from '../../questions/queues';
import { show } from '../../questions/show';
import { stacks } from '../../questions/stacks';
import type { Asking } from './asking';
import type { CustomRequests } from './custom-requests';
import {
  annotateArguments,
  differencesArguments,
  focusArguments,
  handlesArguments,
  hangArguments,
  nanArguments,
  overlayArguments,
  recordArguments,
  queuesArguments,
  rankSetArguments,
  ranksArguments,
  selectArguments,
  setVariableArguments,
  showArguments,
  stacksArguments,
  valueArguments,
  variablesArguments,
} from './query-arguments';
import type { RankRequests } from './rank-requests';

const { ofJob } = jobRequests<{
  readonly threads: ThreadList;
  readonly asking: Asking;
  readonly custom: CustomRequests;
  readonly rankRequests: RankRequests;
}>();

export const queryRequests = {
  threads: ofJob({
    arguments: nothing,
    beforeJob: () => ({ threads: [] }),
    answer: async ({ threads }) => ({ threads: await threads.list() }),
  }),
  'mpidbg/ranks': ofJob({
    arguments: ranksArguments,
    beforeJob: () => ({ ranks: [] }),
    answer: ({ custom }, args) => custom.ranksWith(args),
  }),
  'mpidbg/focus': ofJob({
    arguments: focusArguments,
    answer: ({ rankRequests }, args) => rankRequests.focus(args),
  }),
  'mpidbg/select': ofJob({
    arguments: selectArguments,
    answer: ({ rankRequests }, args) => rankRequests.select(args),
  }),
  'mpidbg/rankSet': ofJob({
    arguments: rankSetArguments,
    answer: ({ rankRequests }, args) => rankRequests.rankSet(args),
  }),
  'mpidbg/value': ofJob({
    arguments: valueArguments,
    answer: ({ rankRequests }, args) => rankRequests.value(args),
  }),
  'mpidbg/nan': ofJob({
    arguments: nanArguments,
    answer: ({ rankRequests }, args) => rankRequests.nan(args),
  }),
  'mpidbg/differences': ofJob({
    arguments: differencesArguments,
    answer: ({ rankRequests }, args) => rankRequests.differences(args),
  }),
  'mpidbg/show': ofJob({ arguments: showArguments, answer: ({ asking }, args) => asking.document(show, args) }),
  'mpidbg/handles': ofJob({
    arguments: handlesArguments,
    answer: ({ asking }, args) => asking.document(handles, args),
  }),
  'mpidbg/variables': ofJob({
    arguments: variablesArguments,
    answer: ({ custom }, args) => custom.variables(args),
  }),
  'mpidbg/queues': ofJob({ arguments: queuesArguments, answer: ({ asking }, args) => asking.document(queues, args) }),
  'mpidbg/pvars': ofJob({
    arguments: overlayArguments,
    answer: ({ custom }, args) => custom.overlay('pvars', args),
  }),
  'mpidbg/cvars': ofJob({
    arguments: overlayArguments,
    answer: ({ custom }, args) => custom.overlay('cvars', args),
  }),
  'mpidbg/events': ofJob({
    arguments: recordArguments,
    answer: ({ custom }, args) => custom.overlay('events', args),
  }),
  'mpidbg/setVariable': ofJob({
    arguments: setVariableArguments,
    answer: ({ custom }, args) => custom.setVariable(args),
  }),
  'mpidbg/ompt': ofJob({
    arguments: recordArguments,
    answer: ({ custom }, args) => custom.overlay('ompt', args),
  }),
  'mpidbg/calls': ofJob({
    arguments: recordArguments,
    answer: ({ custom }, args) => custom.overlay('calls', args),
  }),
  'mpidbg/hang': ofJob({ arguments: hangArguments, answer: ({ custom }, args) => custom.hang(args) }),
  'mpidbg/stacks': ofJob({ arguments: stacksArguments, answer: ({ asking }, args) => asking.document(stacks, args) }),
  'mpidbg/annotate': ofJob({ arguments: annotateArguments, answer: ({ custom }, args) => custom.annotate(args) }),
};
