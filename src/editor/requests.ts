import {
  type CodeAction,
  type CodeActionParams,
  type CompletionItem,
  type DocumentHighlight,
  type DocumentSymbol,
  type FoldingRange,
  type Hover,
  type Location,
  LSPErrorCodes,
  type PrepareRenameResult,
  type ReferenceParams,
  type RenameParams,
  ResponseError,
  type SelectionRange,
  type SelectionRangeParams,
  type SemanticTokens,
  type SemanticTokensRangeParams,
  type TextDocumentIdentifier,
  type TextDocumentPositionParams,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { codeActionsAt, fixAll } from './features/code-actions.js';
import { completionsAt } from './features/completion.js';
import { hoverAt } from './features/hover.js';
import {
  definitionAt,
  highlightsAt,
  mutatorDefinitionsAt,
  mutatorReferencesAt,
  RenameError,
  referencesAt,
  renameAt,
  renameableAt,
} from './features/names.js';
import { semanticTokensOf } from './features/semantic-tokens.js';
import {
  foldingRangesOf,
  formattingOf,
  selectionRangeAt,
  symbolsOf,
} from './features/structure.js';
import type { View } from './view.js';
import type { Workspace } from './workspace.js';

interface DocumentParams {
  readonly textDocument: TextDocumentIdentifier;
}

/** What a client can ask; each answers with nothing for a document that is none of ours. */
export interface Requests {
  hover(params: TextDocumentPositionParams): Hover | null;
  completion(params: TextDocumentPositionParams): CompletionItem[] | null;
  definition(params: TextDocumentPositionParams): Location[] | null;
  references(params: ReferenceParams): Location[] | null;
  highlights(params: TextDocumentPositionParams): DocumentHighlight[] | null;
  prepareRename(params: TextDocumentPositionParams): PrepareRenameResult | null;
  rename(params: RenameParams): WorkspaceEdit | null;
  codeActions(params: CodeActionParams): CodeAction[] | null;
  symbols(params: DocumentParams): DocumentSymbol[] | null;
  foldingRanges(params: DocumentParams): FoldingRange[] | null;
  formatting(params: DocumentParams): TextEdit[] | null;
  selectionRanges(params: SelectionRangeParams): SelectionRange[] | null;
  tokens(params: DocumentParams): SemanticTokens;
  tokensIn(params: SemanticTokensRangeParams): SemanticTokens;
}

const NO_TOKENS: SemanticTokens = { data: [] };

/** Answers requests from the documents of a workspace, as they are when asked. */
export function createRequests(workspace: Workspace): Requests {
  const of = <T>({ textDocument }: DocumentParams, answer: (view: View) => T): T | null => {
    const view = workspace.view(textDocument.uri);
    return view === undefined ? null : answer(view);
  };
  const at = <T>(
    params: TextDocumentPositionParams,
    answer: (view: View, offset: number) => T | undefined,
  ): T | null =>
    of(params, (view) => {
      const { positions, snapshot } = view;
      return answer(view, positions.toOffset(snapshot.file, params.position)) ?? null;
    });
  return {
    hover: (params) => at(params, hoverAt),
    completion: (params) => at(params, completionsAt),
    definition: (params) =>
      at(params, (view, offset) => {
        const label = definitionAt(view, offset);
        return label === undefined ? mutatorDefinitionsAt(view, offset, workspace) : [label];
      }),
    references: (params) =>
      at(params, (view, offset) => {
        const { includeDeclaration } = params.context;
        const labels = referencesAt(view, offset, includeDeclaration);
        const mutators = mutatorReferencesAt(view, offset, includeDeclaration, workspace);
        return [...labels, ...mutators];
      }),
    highlights: (params) => at(params, highlightsAt),
    prepareRename: (params) => at(params, renameableAt),
    rename: (params) =>
      at(params, (view, offset) => {
        try {
          return { changes: { [view.uri]: renameAt(view, offset, params.newName) } };
        } catch (error) {
          if (!(error instanceof RenameError)) throw error;
          throw new ResponseError(LSPErrorCodes.RequestFailed, error.message);
        }
      }),
    codeActions: (params) =>
      of(params, (view) => {
        const { only } = params.context;
        const isWanted = ({ kind = '' }: CodeAction): boolean =>
          only === undefined || only.some((one) => kind === one || kind.startsWith(`${one}.`));
        const span = view.positions.toSpan(view.snapshot.file, params.range);
        const actions = codeActionsAt(view, span, workspace.projectFile(view.uri));
        return [...actions, ...fixAll(view)].filter(isWanted);
      }),
    symbols: (params) => of(params, symbolsOf),
    foldingRanges: (params) => of(params, foldingRangesOf),
    formatting: (params) => of(params, formattingOf),
    selectionRanges: (params) =>
      of(params, (view) =>
        params.positions.map((position) =>
          selectionRangeAt(view, view.positions.toOffset(view.snapshot.file, position)),
        ),
      ),
    tokens: (params) => of(params, (view) => semanticTokensOf(view)) ?? NO_TOKENS,
    tokensIn: (params) =>
      of(params, (view) =>
        semanticTokensOf(view, view.positions.toSpan(view.snapshot.file, params.range)),
      ) ?? NO_TOKENS,
  };
}
