import type { WorkspaceEdit } from 'vscode-languageserver/node';
import { SourceFile } from '../../source/index.js';
import { parseToml, type TomlDocument } from '../../toml/index.js';
import type { Positions } from '../text/positions.js';
import { valueAt } from '../toml-place.js';

/** The perturb.toml of a document's project, as it stands. */
export interface ProjectFile {
  readonly uri: string;
  /** Absent where there is no such file yet. */
  readonly text?: string;
}

const HEADER = /^[ \t]*\[[ \t]*lint[ \t]*\.[ \t]*rules[ \t]*\][^\n]*\n?/m;

/**
 * Turns a rule off in perturb.toml, which is made where there is none; undefined where that is
 * written in a way that takes no further table.
 */
export function turnOff(
  id: string,
  { uri, text }: ProjectFile,
  positions: Positions,
): WorkspaceEdit | undefined {
  const setting = `"${id}" = "off"`;
  if (text === undefined) return newFile(uri, `[lint.rules]\n${setting}\n`);
  const file = new SourceFile(uri, text);
  const edit = (start: number, end: number, newText: string): WorkspaceEdit => ({
    changes: { [uri]: [{ range: positions.toRange(file, { start, end }), newText }] },
  });
  const { document } = parseToml(file);
  if (document !== undefined && has(document, ['lint', 'rules', id])) {
    const { start, end } = document.valueSpan(['lint', 'rules', id]);
    return edit(start, end, '"off"');
  }
  const header = HEADER.exec(text);
  if (header !== null) {
    const at = header.index + header[0].length;
    return edit(at, at, `${lineBreakAt(text, at)}${setting}\n`);
  }
  for (const path of [['lint', 'rules'], ['lint']]) {
    if (document === undefined || !has(document, path)) continue;
    const { start } = document.valueSpan(path);
    if (text[start] === '{') {
      const isEmpty = /^\{\s*\}/.test(text.slice(start));
      const inner = path.length === 2 ? setting : `rules = { ${setting} }`;
      return edit(start + 1, start + 1, ` ${inner}${isEmpty ? ' ' : ','}`);
    }
    // Its keys are written with dots.
    if (path.length === 2) return undefined;
  }
  const lead = `${lineBreakAt(text, text.length)}${text === '' ? '' : '\n'}`;
  return edit(text.length, text.length, `${lead}[lint.rules]\n${setting}\n`);
}

function has(document: TomlDocument, path: readonly string[]): boolean {
  return valueAt(document.root, path) !== undefined;
}

/** What ends the line before a place, if nothing does. */
function lineBreakAt(text: string, at: number): string {
  return at > 0 && text[at - 1] !== '\n' ? '\n' : '';
}

function newFile(uri: string, newText: string): WorkspaceEdit {
  const start = { line: 0, character: 0 };
  return {
    documentChanges: [
      { kind: 'create', uri, options: { ignoreIfExists: true } },
      {
        textDocument: { uri, version: null },
        edits: [{ range: { start, end: start }, newText }],
      },
    ],
  };
}
