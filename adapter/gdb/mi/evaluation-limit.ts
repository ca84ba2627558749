/**
 * A bound on what gdb evaluates. What a program has in memory may make that endless: the pretty printer of a std::map that is
 * not constructed yet follows its pointers for ever. gdb does nothing else meanwhile, for no rank that it holds.
 */

/** A gdb from outside. */
export interface GdbProcess {
  /** Milliseconds that it has computed; undefined: not known. */
  processorTime(): Promise<number | undefined>;
  /** Ends what it is doing, which then fails or has half an answer. Where it does nothing, nothing happens. Never rejects. */
  interrupt(): Promise<void>;
}

/** Those whose time depends on values in the program; of commands that users type, those that print. */
const evaluating =
  /^-(?:data-evaluate-expression|var-(?!delete)|stack-list-variables)|^-interpreter-exec .*console "(?:with [^-]* -- )?(?:p|print|output|x|inspect|info locals|info args)\b/;

/** Whether there is a bound on this command. */
export function isEvaluation(command: string): boolean {
  return evaluating.test(command);
}

/** Milliseconds that it may take. */
export const maxEvaluation = 5000;
/** Where an expression with these names, or with some of them and no others, has taken too long already, also in another rank. */
export const maxEvaluationAgain = 1000;
/** Milliseconds between looks at how much gdb has computed: while it waits for a disk or a processor, its time is not up. */
const pace = 250;
/** Milliseconds until gdb is interrupted again: a printer may go on with the next element. */
const again = 50;

export class EvaluationLimit {
  private callOff = (): void => undefined;
  private running: symbol | undefined;
  /** How long each took that was ended, by the whole command, which has the thread in it. */
  private readonly ended = new Map<string, number>();
  /** The names in those commands: the same is often asked again in other words. */
  private readonly endless: ReadonlySet<string>[] = [];

  constructor(
    private readonly process: GdbProcess,
    private readonly after = later,
  ) {}

  /** Milliseconds after which the very same command was ended since threads ran last: it would be again. */
  endedAfter(command: string): number | undefined {
    return this.ended.get(command);
  }

  /** gdb begins this command now; `late` is called once, when its time is up, and gdb is interrupted from then on. */
  begin(command: string, late: (milliseconds: number) => void): void {
    this.end();
    const running = (this.running = Symbol(command));
    const what = namesIn(command);
    const isAgain = this.endless.some((each) => isWithin(each, what) || isWithin(what, each));
    const limit = isAgain ? maxEvaluationAgain : maxEvaluation;
    let used: number | undefined;
    const interrupt = (): void => this.whileRunning(again, running, () => this.process.interrupt().then(interrupt));
    const look = async (): Promise<void> => {
      const now = await this.process.processorTime().catch(() => undefined);
      if (this.running !== running) return;
      used ??= now;
      // The first look was after half of its time.
      if (now !== undefined && used !== undefined && now - used < limit / 2) {
        this.whileRunning(pace, running, look);
        return;
      }
      this.endless.push(what);
      this.ended.set(command, limit);
      late(limit);
      void this.process.interrupt().then(interrupt);
    };
    this.whileRunning(limit / 2, running, look);
  }

  /** It was answered. */
  end(): void {
    this.running = undefined;
    this.callOff();
  }

  /** A thread runs: values change. */
  forget(): void {
    this.ended.clear();
    this.endless.length = 0;
  }

  private whileRunning(milliseconds: number, running: symbol, then: () => Promise<void>): void {
    if (this.running === running) this.callOff = this.after(milliseconds, () => void then());
  }
}

/** Runs `work` after so many milliseconds, unless the returned function is called before. */
function later(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}

/** The names of the program in the expression that the command ends with. */
function namesIn(command: string): ReadonlySet<string> {
  const [expression = command] = /"(?:[^"\\]|\\.)*"$/.exec(command) ?? [];
  return new Set(expression.match(/(?<![\w$])[A-Za-z_]\w*/g) ?? [command.replace(/--thread \d+/, '')]);
}

function isWithin(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  return [...some].every((each) => all.has(each));
}
