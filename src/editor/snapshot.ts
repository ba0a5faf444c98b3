import { readSettings, type Settings } from '../config/index.js';
import { applyLevels, arrange, type Finding, type RuleMeta } from '../diagnostics/index.js';
import { type Catalog, loadManifest } from '../mutators/index.js';
import { type LintOptions, lint } from '../objective/index.js';
import { SourceFile, type Span } from '../source/index.js';
import { readToml, type TomlDocument } from '../toml/index.js';
import { recover } from './text/recover.js';

/** What a TOML file is for Perturb. */
export type DocumentKind = 'objective' | 'manifest' | 'config';

/** What a file is by its name, or else, for any other TOML file, by what stands in it. */
export function kindOf(path: string, text: string): DocumentKind | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'perturb.toml') return 'config';
  if (name.endsWith('.objective.toml')) return 'objective';
  if (name === 'mutators.toml' || name.endsWith('.mutators.toml')) return 'manifest';
  if (!name.endsWith('.toml')) return undefined;
  return /^[ \t]*\[\[[ \t]*measurement[ \t]*\]\]/m.test(text) ? 'objective' : undefined;
}

/** One version of an open document, and all that is known of it. */
export interface Snapshot {
  readonly kind: DocumentKind;
  readonly file: SourceFile;
  /** By their place. */
  readonly findings: readonly Finding[];
  /**
   * The values and places of the text, or of what is left of it without the statement that is
   * half typed; its offsets are those of `file`. Absent where nothing could be read.
   */
  readonly document?: TomlDocument;
  /** What had to be left out of `document`. */
  readonly blanked: readonly Span[];
  /** The last document of which nothing had to be left out. */
  readonly lastGood?: TomlDocument;
}

/** What a document is checked with. */
interface Surroundings {
  readonly settings: Settings;
  readonly catalog?: Catalog;
  /** Every rule there is, which perturb.toml may name. */
  readonly rules: readonly RuleMeta[];
}

/**
 * Checks a text as `objective lint` and its siblings would. Where it is not TOML, for something is
 * half typed, the findings say so, and those of everything else stay.
 *
 * @param before the snapshot of the text before the edit, if there was one
 */
export function takeSnapshot(
  kind: DocumentKind,
  path: string,
  text: string,
  surroundings: Surroundings,
  before?: Snapshot,
): Snapshot {
  const file = new SourceFile(path, text);
  const { document, findings: unreadable } = readToml({ source: file, invalid: [] });
  if (document !== undefined) {
    const findings = findingsOf(kind, file, surroundings);
    return { kind, file, findings, document, blanked: [], lastGood: document };
  }
  const lastGood = before?.lastGood;
  const recovered = recover(path, text, lastGood);
  const rest = recovered === undefined ? [] : findingsAround(kind, recovered, surroundings);
  return {
    kind,
    file,
    findings: arrange([...unreadable, ...rest.map((finding) => ({ ...finding, file }))]),
    blanked: recovered?.blanked ?? [],
    ...(recovered && { document: recovered.document }),
    ...(lastGood && { lastGood }),
  };
}

function findingsOf(
  kind: DocumentKind,
  source: SourceFile,
  { settings, catalog, rules }: Surroundings,
): readonly Finding[] {
  const decoded = { source, invalid: [] };
  switch (kind) {
    case 'objective': {
      const options: LintOptions = { levels: settings.levels, ...(catalog && { catalog }) };
      return lint(decoded, options);
    }
    case 'manifest':
      return applyLevels(loadManifest(decoded).findings, settings.levels);
    case 'config':
      return readSettings(decoded, rules).findings;
  }
}

/** Rules about what is absent: it may be what is being typed. */
const ABOUT_ABSENCE =
  /\/(?:missing-key|no-stopping-condition|empty-constraint|range-required|options-required)$/;

/** The findings of a text with blanks, but for those that only the blanks may have made. */
function findingsAround(
  kind: DocumentKind,
  { document, blanked }: { readonly document: TomlDocument; readonly blanked: readonly Span[] },
  surroundings: Surroundings,
): readonly Finding[] {
  const touches = ({ start, end }: Span): boolean =>
    blanked.some((blank) => start <= blank.end && blank.start <= end);
  return findingsOf(kind, document.file, surroundings).filter(
    ({ rule, span }) => !ABOUT_ABSENCE.test(rule) && !touches(span),
  );
}
