/** The files that `run` writes when the job is over. */
import type { Report } from '../../report/report';
import { reportHtml } from '../../report/report-html';
import { junit } from '../../report/run/junit';
import type { RunResult } from '../../report/run/run-result';
import { sarif } from '../../report/run/sarif';
import { OutputFile } from '../output-file';

export interface FileNames {
  report: string | undefined;
  sarif: string | undefined;
  junit: string | undefined;
}

export class RunFiles {
  private constructor(private readonly files: Record<keyof FileNames, OutputFile | undefined>) {}

  /** Rejects with StartError where one could not be written. */
  static async at({ report, sarif, junit }: FileNames): Promise<RunFiles> {
    const at = (name: string | undefined): Promise<OutputFile | undefined> =>
      name === undefined ? Promise.resolve(undefined) : OutputFile.at(name);
    return new RunFiles({ report: await at(report), sarif: await at(sarif), junit: await at(junit) });
  }

  get isReportWanted(): boolean {
    return this.files.report !== undefined;
  }

  get areWanted(): boolean {
    return Object.values(this.files).some((file) => file !== undefined);
  }

  /** A job that ended well has no report. Answers why files could not be written. */
  async write(result: RunResult, report: Report | undefined): Promise<string[]> {
    const texts: [OutputFile | undefined, () => string | undefined][] = [
      [this.files.report, () => report && reportHtml(report)],
      [this.files.sarif, () => sarif(result)],
      [this.files.junit, () => junit(result)],
    ];
    const failures: string[] = [];
    for (const [file, make] of texts) {
      const text = file && make();
      if (text === undefined) continue;
      await file!.write(text).catch((error: Error) => failures.push(error.message));
    }
    return failures;
  }
}
