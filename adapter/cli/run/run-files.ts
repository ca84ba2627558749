/** The files that `run` writes when the job is over. */
import type { Report } from '../../report/report';
import { reportHtml } from '../../report/report-html';
import { junit } from '../../report/run/junit';
import type { RunResult } from '../../report/run/run-result';
import { sarif } from '../../report/run/sarif';
import { OutputFile } from '../output-file';
import { reportName } from './report-name';

/** The name of the report may also be `auto`: it is named after the job. */
export interface FileNames {
  report: string | undefined;
  sarif: string | undefined;
  junit: string | undefined;
}

export class RunFiles {
  private constructor(
    private readonly files: Record<keyof FileNames, OutputFile | undefined>,
    private readonly wantedReport: string | undefined,
    private readonly batchJob: string | undefined,
  ) {}

  /** `batchJob`: the one that we are in. Rejects with StartError where a file could not be written. */
  static async at({ report, sarif, junit }: FileNames, batchJob: string | undefined): Promise<RunFiles> {
    const at = (name: string | undefined): Promise<OutputFile | undefined> =>
      name === undefined ? Promise.resolve(undefined) : OutputFile.at(name);
    // Named after a launcher that is not there yet, it will be in the same folder.
    const page = await at(report && reportName(report, batchJob ?? process.pid));
    return new RunFiles({ report: page, sarif: await at(sarif), junit: await at(junit) }, report, batchJob);
  }

  /** undefined: no report is wanted. `launcher`: its pid; undefined: it could not be started. */
  reportName(launcher: number | undefined): string | undefined {
    return this.wantedReport && reportName(this.wantedReport, this.batchJob ?? launcher ?? process.pid);
  }

  get isReportWanted(): boolean {
    return this.files.report !== undefined;
  }

  get areWanted(): boolean {
    return Object.values(this.files).some((file) => file !== undefined);
  }

  /** A job that ended well has no report. `page`: the report's name. Answers why files could not be written. */
  async write(result: RunResult, report: Report | undefined, page: string | undefined): Promise<string[]> {
    const { sarif: findings, junit: test } = this.files;
    const writing: (false | undefined | (() => Promise<void>))[] = [
      page !== undefined && report && (async () => (await OutputFile.at(page)).write(reportHtml(report))),
      findings && (() => findings.write(sarif(result))),
      test && (() => test.write(junit(result))),
    ];
    const failures: string[] = [];
    for (const write of writing) if (write) await write().catch((error: Error) => failures.push(error.message));
    return failures;
  }
}
