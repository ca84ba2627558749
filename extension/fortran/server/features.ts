/** What the editor shows of the inference, in the terms of the Language Server Protocol. */
import {
  DiagnosticSeverity,
  InlayHintKind,
  MarkupKind,
  SemanticTokensBuilder,
  type Diagnostic,
  type Hover,
  type InlayHint,
  type Location,
  type Range,
  type SemanticTokens,
} from 'vscode-languageserver/node';
import { pathToFileURL } from 'node:url';
import { mpiSpelling } from '../../../plugin-api/fortran/bindings';
import { diagnose, kindInWords } from '../../../plugin-api/fortran/diagnostics';
import { describeReason, type Inference, type Reason } from '../../../plugin-api/fortran/infer';
import { occurrencesIn, type Occurrence } from '../../../plugin-api/fortran/occurrences';
import type { SourceLocation } from '../../../plugin-api/fortran/program-model';
import type { FortranSources } from '../../../plugin-api/fortran/sources';

/** The names of our semantic tokens; package.json declares them. */
export const semanticTokenTypes = ['mpiHandle'];

function rangeOf({ line, column }: SourceLocation, length: number): Range {
  return {
    start: { line: line - 1, character: column - 1 },
    end: { line: line - 1, character: column - 1 + length },
  };
}

function locationOf(location: SourceLocation): Location {
  return { uri: pathToFileURL(location.file).href, range: rangeOf(location, 0) };
}

/** The call or assignment in the program that decided. */
function decidingLocation(inference: Inference): SourceLocation | undefined {
  return inference.reasons[0]?.location;
}

/** The type that mpi_f08 would give it, "MPI_Comm"; with "?" where the program contradicts itself. */
function typeLabel({ kind, reasons }: Inference): string {
  if (kind !== undefined) return mpiSpelling(`mpi_${kind}`);
  return `${reasons.map((reason) => mpiSpelling(`mpi_${reason.kind}`)).join(' or ')}?`;
}

function explain(inference: Inference): string {
  return inference.reasons.map(describeReason).join('\n');
}

/** `integer :: comm` gets `: MPI_Comm` where it is declared. A TYPE(MPI_Comm) says so by itself. */
export function inlayHints(sources: FortranSources, file: string, firstLine: number, lastLine: number): InlayHint[] {
  const hints: InlayHint[] = [];
  for (const [entity, inference] of sources.infer().inferences) {
    const { variable } = entity;
    if (variable?.type !== 'integer' || variable.location.file !== file) continue;
    const { line, column } = variable.location;
    if (line < firstLine || line > lastLine) continue;
    const decided = decidingLocation(inference);
    hints.push({
      position: { line: line - 1, character: column - 1 + variable.name.length },
      label: [{ value: `: ${typeLabel(inference)}`, ...(decided && { location: locationOf(decided) }) }],
      tooltip: explain(inference),
      kind: InlayHintKind.Type,
    });
  }
  return hints;
}

export function hover(occurrence: Occurrence): Hover {
  const { inference, path, location, length } = occurrence;
  const head = inference.kind === undefined ? `**${typeLabel(inference)}**` : `**${typeLabel(inference)}** \`${path}\``;
  const reasons = inference.reasons.map(
    (reason) => `${kindInWords(reason.kind)}: [${describeReason(reason)}](${linkTo(reason)})`,
  );
  return {
    contents: { kind: MarkupKind.Markdown, value: [head, ...reasons].join('\n\n') },
    range: rangeOf(location, length),
  };
}

function linkTo({ location }: Reason): string {
  return `${pathToFileURL(location.file).href}#L${location.line}`;
}

export function goTo(occurrence: Occurrence): Location[] {
  return occurrence.inference.reasons.map(({ location }) => locationOf(location));
}

export function diagnostics(sources: FortranSources, file: string): Diagnostic[] {
  return diagnose(sources, file).map(({ location, length, message }) => ({
    range: rangeOf(location, length),
    message,
    severity: DiagnosticSeverity.Warning,
    source: 'mpidbg',
  }));
}

export function semanticTokens(sources: FortranSources, file: string, text: string): SemanticTokens {
  const builder = new SemanticTokensBuilder();
  // The protocol wants the tokens in the order of the text.
  const ordered = [...occurrencesIn(sources, file, text)].sort(
    (a, b) => a.location.line - b.location.line || a.location.column - b.location.column,
  );
  for (const { location, length } of ordered) builder.push(location.line - 1, location.column - 1, length, 0, 0);
  return builder.build();
}

/** The handle named at this position of a text. */
export function occurrenceAt(
  sources: FortranSources,
  file: string,
  text: string,
  position: { line: number; character: number },
): Occurrence | undefined {
  for (const occurrence of occurrencesIn(sources, file, text)) {
    const { location, length } = occurrence;
    const start = location.column - 1;
    if (location.line !== position.line + 1 || position.character < start || position.character > start + length)
      continue;
    return occurrence;
  }
  return undefined;
}
