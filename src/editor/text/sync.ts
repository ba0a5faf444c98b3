import type {
  TextDocumentContentChangeEvent,
  TextDocumentsConfiguration,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { SourceFile } from '../../source/index.js';
import type { Positions } from './positions.js';

/**
 * Open documents whose edits come in the positions of an encoding; a document of the library alone
 * counts in UTF-16.
 *
 * @param positions those that were agreed on, when an edit comes
 */
export function syncIn(positions: () => Positions): TextDocumentsConfiguration<TextDocument> {
  return {
    create: TextDocument.create,
    update(document, changes, version) {
      const text = changes.reduce(
        (text, change) => edit(text, change, positions()),
        document.getText(),
      );
      return TextDocument.create(document.uri, document.languageId, version, text);
    },
  };
}

function edit(text: string, change: TextDocumentContentChangeEvent, positions: Positions): string {
  if (!('range' in change) || change.range === undefined) return change.text;
  const { start, end } = positions.toSpan(new SourceFile('', text), change.range);
  return text.slice(0, start) + change.text + text.slice(Math.max(start, end));
}
