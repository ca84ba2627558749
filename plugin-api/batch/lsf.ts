/**
 * LSF, never tried with LSF itself. Read: a release note of IBM Spectrum LSF 10.1 on bjobs -o and -json, and such an output that others
 * have published. From experience alone: the fields run_time and time_left, "4*node1:4*node2", LSB_MCPU_HOSTS, and the words for an
 * unknown job.
 */
import type { BatchJob, BatchStep, BatchSystem } from './batch-system';
import { distinctHosts } from './host-list';
import { fields, printedFields, textOf, type Fields } from './printed-json';

const list = ['bjobs', '-json', '-o', 'jobid job_name stat exec_host run_time time_left'];

export const lsf: BatchSystem = {
  title: 'LSF',
  ownCommand: 'bjobs',
  jobVariable: 'LSB_JOBID',
  starters: [],
  // "node1 4 node2 4": each with its slots.
  allocation: {
    variable: 'LSB_MCPU_HOSTS',
    isFile: false,
    nodesIn: (text) => ({
      kind: 'names',
      names: distinctHosts(text.split(/\s+/).filter((_, index) => index % 2 === 0)),
    }),
  },
  jobPattern: /^(\d+)$/,
  listJobs: [...list, '-r'],
  parseJobs: (printed) => recordsIn(printed).flatMap(jobOf),
  listSteps: (job) => [...list, ...(job === undefined ? [] : [job])],
  parseSteps: (printed) => recordsIn(printed).flatMap(stepOf),
  nodesIn: (execHost) => ({ kind: 'names', names: namesIn(execHost) }),
  tellState: (job) => [...list, job],
  parseState: (printed) => textOf(recordsIn(printed)[0]?.STAT),
  mayRun: /^(PEND|PSUSP|RUN|USUSP|SSUSP|PROV|WAIT)$/,
  isUnknownJob: /is not found/,
  mark: ({ job }) => ({ kind: 'variable', name: 'LSB_JOBID', values: [job] }),
  isWish: () => false,
};

function recordsIn(printed: string): Fields[] {
  const { RECORDS: records } = printedFields(printed);
  return Array.isArray(records) ? records.map(fields) : [];
}

function jobOf(record: Fields, index: number, all: readonly Fields[]): BatchJob[] {
  return stepOf(record, index, all).map(({ job, name, nodeList }) => ({
    ...{ id: job, name, time: textOf(record.RUN_TIME) ?? '?', timeLeft: textOf(record.TIME_LEFT) },
    nodeList: namesIn(nodeList).join(),
  }));
}

/** All that runs in a job, which LSF does not tell apart. The elements of an array have one number: none of them is meant by it. */
function stepOf(record: Fields, _: number, all: readonly Fields[]): BatchStep[] {
  const [id, nodeList] = [textOf(record.JOBID), textOf(record.EXEC_HOST)];
  const isOnly = all.filter(({ JOBID }) => JOBID === record.JOBID).length === 1;
  if (record.STAT !== 'RUN' || id === undefined || nodeList === undefined || !isOnly) return [];
  const name = textOf(record.JOB_NAME) ?? '';
  return [{ id, job: id, name, nodeList, tasks: undefined, starter: undefined, isScript: false }];
}

/** In "4*node1:4*node2", or "node1:node1". */
function namesIn(execHost: string): readonly string[] {
  return distinctHosts(execHost.split(':').map((each) => each.replace(/^\d+\*/, '')));
}
