import { type Settings, settingsOf } from '../config/index.js';
import { applyLevels, arrange, type Finding, type RuleMeta } from '../diagnostics/index.js';
import type { Recorded } from '../expression/index.js';
import { type Catalog, readManifest } from '../mutators/index.js';
import { type Analysis, analyse } from '../objective/index.js';
import { SourceFile, type Span } from '../source/index.js';
import { readToml, type TomlDocument, type TomlReading } from '../toml/index.js';
import { defined } from '../values/index.js';
import { type RecoveredDocument, recover } from './text/recover.js';
import { type DocumentKind, formatOf } from './toml-element.js';

/** Returns a file's kind, from its name or, for any other TOML file, from its contents. */
export function kindOf(path: string, text: string): DocumentKind | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'perturb.toml') return 'config';
  if (name.endsWith('.objective.toml')) return 'objective';
  if (name === 'mutators.toml' || name.endsWith('.mutators.toml')) return 'manifest';
  if (!name.endsWith('.toml')) return undefined;
  return /^[ \t]*\[\[[ \t]*measurement[ \t]*\]\]/m.test(text) ? 'objective' : undefined;
}

/** One version of an open document, with its findings and other derived data. */
export interface Snapshot {
  readonly kind: DocumentKind;
  readonly file: SourceFile;
  /** The findings, in text order. */
  readonly findings: readonly Finding[];
  /** The parsed text, without incomplete statements. Its offsets match `file`. Absent if nothing could be parsed. */
  readonly document?: TomlDocument;
  /** The objective's expressions, from its analysis. */
  readonly expressions: Analysis['expressions'];
  /** The spans omitted from `document`. */
  readonly blanked: readonly Span[];
  /** The last document without omissions. */
  readonly lastGood?: TomlDocument;
}

/** The context for checking a document. */
interface Surroundings {
  readonly settings: Settings;
  readonly catalog?: Catalog;
  readonly recorded?: Recorded;
  /** All rules that perturb.toml may configure. */
  readonly rules: readonly RuleMeta[];
}

/**
 * Checks a text like the lint commands. Reports an incomplete statement that makes the text invalid TOML, and still
 * checks the remaining text.
 *
 * @param before the snapshot before the edit, if there was one
 */
export function takeSnapshot(
  kind: DocumentKind,
  path: string,
  sourceText: string,
  surroundings: Surroundings,
  before?: Snapshot,
): Snapshot {
  // A client may send the file's BOM and count it as a character.
  const text = sourceText.replace(/^\ufeff/, ' ');
  const file = new SourceFile(path, text);
  const reading = readToml({ source: file, invalid: [] }, formatOf(kind, text, 0));
  const { document } = reading;
  if (document !== undefined) {
    const { findings, expressions } = checkReading(kind, reading, surroundings);
    return {
      ...{ kind, file, document, expressions, blanked: [], lastGood: document },
      findings: arrange(findings),
    };
  }
  const lastGood = before?.lastGood;
  const recoveredDocument = recover(path, text, lastGood);
  const { findings, expressions } = checkRecovered(kind, text, recoveredDocument, surroundings);
  const located = findings.map((finding) => ({ ...finding, file }));
  return {
    ...{ kind, file, expressions, blanked: recoveredDocument?.blanked ?? [] },
    findings: arrange([...reading.findings, ...located]),
    ...(recoveredDocument && { document: recoveredDocument.document }),
    ...(lastGood && { lastGood }),
  };
}

type Checked = Pick<Analysis, 'findings' | 'expressions'>;

/** Checks a parsed file. Returns findings in no particular order. */
function checkReading(
  kind: DocumentKind,
  reading: TomlReading,
  { settings, catalog, recorded, rules }: Surroundings,
): Checked {
  const { levels } = settings;
  switch (kind) {
    case 'objective':
      return analyse(reading, { levels, ...defined({ catalog, recorded }) });
    case 'manifest':
      return {
        findings: applyLevels(readManifest(reading).findings, levels),
        expressions: new Map(),
      };
    case 'config':
      return { findings: settingsOf(reading, rules).findings, expressions: new Map() };
  }
}

/** Matches rules about missing parts, which the user may not have typed yet. */
const ABOUT_ABSENCE =
  /\/(?:missing-key|no-stopping-condition|empty-constraint|range-required|options-required)$/;

/** Checks a text with blanked parts, and removes the findings that the blanking alone may have caused. */
function checkRecovered(
  kind: DocumentKind,
  text: string,
  recoveredDocument: RecoveredDocument | undefined,
  surroundings: Surroundings,
): Checked {
  if (recoveredDocument === undefined) return { findings: [], expressions: new Map() };
  const { document, blanked } = recoveredDocument;
  const touches = ({ start, end }: Span): boolean =>
    blanked.some((blank) => start <= blank.end && blank.start <= end);
  // Keys below a blanked header seem to belong to the table above the header.
  const orphaned = blanked
    .filter(({ start, end }) => /^\s*\[|^[^=]*\]/.test(text.slice(start, end)))
    .map(({ end }) => ({ end, next: end + `${text.slice(end).split(/^[ \t]*\[/m, 1)}`.length }));
  const isOrphan = ({ rule, span }: Finding): boolean =>
    !rule.startsWith('expression/') &&
    orphaned.some(({ end, next }) => end <= span.start && span.start < next);
  const { findings, expressions } = checkReading(kind, { document, findings: [] }, surroundings);
  return {
    findings: findings.filter(
      (finding) =>
        !ABOUT_ABSENCE.test(finding.rule) && !touches(finding.span) && !isOrphan(finding),
    ),
    expressions,
  };
}
