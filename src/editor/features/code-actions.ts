import {
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { collectEdits, type Finding, type Fix } from '../../diagnostics/index.js';
import { SourceFile, type Span } from '../../source/index.js';
import { parseToml } from '../../toml/index.js';
import { expressionAt } from '../expressions.js';
import { toRange, toSpan } from '../text/places.js';
import { forDocument, type ProjectFile, rangeOf, type View } from '../view.js';

/**
 * Returns the code actions for the findings in a range: fixes, and edits that silence a rule on the line or in the
 * project.
 */
export const codeActions = forDocument((view: View, params: CodeActionParams, documents) => {
  const { only } = params.context;
  const span = toSpan(view.snapshot.file, params.range);
  const touchedFindings = view.snapshot.findings.filter(
    (finding) => finding.span.start <= span.end && span.start <= finding.span.end,
  );
  const project = documents.projectFile(view.uri);
  return [
    ...touchedFindings.flatMap((finding) => fixOf(view, finding)),
    ...unique(touchedFindings).flatMap((finding) => silence(view, finding, project)),
    ...fixAll(view),
  ].filter(
    ({ kind = '' }) =>
      only === undefined ||
      only.some((kindPrefix) => kind === kindPrefix || kind.startsWith(`${kindPrefix}.`)),
  );
});

/** Returns all safe fixes of a document as one action, for "fix all on save". */
function fixAll(view: View): CodeAction[] {
  const edits = collectEdits(view.snapshot.findings);
  const title = 'Fix all auto-fixable Perturb problems';
  const kind = `${CodeActionKind.SourceFixAll}.perturb`;
  return edits.length === 0 ? [] : [{ title, kind, edit: editOf(view, edits) }];
}

function unique(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(
    ({ rule }, index) => findings.findIndex((other) => other.rule === rule) === index,
  );
}

function quickFix(title: string, edit: WorkspaceEdit): CodeAction {
  return { title, kind: CodeActionKind.QuickFix, edit };
}

function fixOf(view: View, { fix, rule }: Finding): CodeAction[] {
  if (fix === undefined) return [];
  const preferred = fix.kind === 'safe' && rule !== 'ignore/unused';
  return [fix, ...(fix.alternatives ?? [])].map(({ title, edits }) => ({
    ...quickFix(title.charAt(0).toUpperCase() + title.slice(1), editOf(view, edits)),
    isPreferred: preferred,
  }));
}

function editOf(view: View, edits: Fix['edits']): WorkspaceEdit {
  const changes = edits.map(({ span, text }) => ({ range: rangeOf(view, span), newText: text }));
  return { changes: { [view.uri]: changes } };
}

function silence(view: View, finding: Finding, project: ProjectFile): CodeAction[] {
  const rule = view.rules.find(({ id }) => id === finding.rule);
  if (rule === undefined || rule.mandatory) return [];
  const turnOffEdit = turnOff(rule.id, project);
  const projectFixes =
    turnOffEdit === undefined ? [] : [quickFix(`Turn ${rule.id} off in this project`, turnOffEdit)];
  if (view.snapshot.kind !== 'objective' || rule.id.startsWith('ignore/')) return projectFixes;
  const comment = { changes: { [view.uri]: [commentFor(view, finding)] } };
  return [quickFix(`Ignore ${rule.id} on this line`, comment), ...projectFixes];
}

/**
 * Returns the edit that silences a finding with a comment, on a separate line above the finding or inside a multi-line
 * expression. If neither is possible, the comment silences the rule in the whole file.
 */
function commentFor(view: View, { rule, span }: Finding): TextEdit {
  const { file } = view.snapshot;
  const line = lineBelowComment(view, span);
  const start = file.lines.lineStart(line ?? 1);
  const indentation = line === undefined ? '' : /^[ \t]*/.exec(file.text.slice(start))?.[0];
  const directive = line === undefined ? 'ignore-file' : 'ignore';
  const lineEnd = file.text.includes('\r\n') ? '\r\n' : '\n';
  return {
    range: rangeOf(view, { start, end: start }),
    newText: `${indentation}# perturb: ${directive} ${rule}${lineEnd}`,
  };
}

/**
 * Returns the number of the line above which a comment can silence findings about a span; undefined if there is none.
 */
function lineBelowComment({ snapshot }: View, span: Span): number | undefined {
  const { file, document } = snapshot;
  const lineOf = (offset: number): number => file.lines.position(offset).line;
  const line = lineOf(span.start);
  // Findings about missing parts stay on the file's first line, even if a comment is inserted there.
  const documentSpan = document?.valueSpan([]);
  if (documentSpan?.start === span.start && documentSpan.end === span.end) return undefined;
  const site = expressionAt(snapshot, span.start);
  if (site === undefined) return line;
  // A line ending removed by a backslash does not end a line of the expression.
  const { source } = site;
  const { text } = source;
  const lineStart = text.lastIndexOf('\n', source.fromFile(span.start) - 1) + 1;
  const { start } = source.toFile({ start: lineStart, end: lineStart });
  const lineAbove = lineOf(start);
  if (lineAbove === lineOf(site.span.start)) return lineAbove === line ? lineAbove : undefined;
  const linePrefix = file.text.slice(file.lines.lineStart(lineAbove), start);
  return linePrefix.trim() === '' ? lineAbove : undefined;
}

const HEADER = /^[ \t]*\[[ \t]*lint[ \t]*\.[ \t]*rules[ \t]*\][^\n]*\n?/m;

/**
 * Returns the edit that turns a rule off in perturb.toml, and creates the file if necessary. Returns undefined if the
 * file's syntax does not allow another table.
 */
function turnOff(id: string, { uri, text }: ProjectFile): WorkspaceEdit | undefined {
  const setting = `"${id}" = "off"`;
  if (text === undefined) return newFile(uri, `[lint.rules]\n${setting}\n`);
  const file = new SourceFile(uri, text);
  const edit = (start: number, end: number, newText: string): WorkspaceEdit => ({
    changes: { [uri]: [{ range: toRange(file, { start, end }), newText }] },
  });
  const { document } = parseToml(file);
  if (document?.has(['lint', 'rules', id])) {
    const { start, end } = document.valueSpan(['lint', 'rules', id]);
    return edit(start, end, '"off"');
  }
  const header = HEADER.exec(text);
  if (header !== null) {
    const at = header.index + header[0].length;
    return edit(at, at, `${lineBreakAt(text, at)}${setting}\n`);
  }
  for (const path of [['lint', 'rules'], ['lint']]) {
    if (document === undefined || !document.has(path)) continue;
    const { start } = document.valueSpan(path);
    if (text[start] === '{') {
      const isEmpty = /^\{\s*\}/.test(text.slice(start));
      const innerSetting = path.length === 2 ? setting : `rules = { ${setting} }`;
      return edit(start + 1, start + 1, ` ${innerSetting}${isEmpty ? ' ' : ','}`);
    }
    // The table is written with dotted keys, so a header cannot define it again.
    if (path.length === 2) return undefined;
  }
  const lead = `${lineBreakAt(text, text.length)}${text === '' ? '' : '\n'}`;
  return edit(text.length, text.length, `${lead}[lint.rules]\n${setting}\n`);
}

/** Returns the line break missing before an offset, if any. */
function lineBreakAt(text: string, at: number): string {
  return at > 0 && text[at - 1] !== '\n' ? '\n' : '';
}

function newFile(uri: string, newText: string): WorkspaceEdit {
  const start = { line: 0, character: 0 };
  return {
    documentChanges: [
      { kind: 'create', uri, options: { ignoreIfExists: true } },
      { textDocument: { uri, version: null }, edits: [{ range: { start, end: start }, newText }] },
    ],
  };
}
