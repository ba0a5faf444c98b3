import {
  CodeActionKind,
  CodeActionRequest,
  CompletionRequest,
  DefinitionRequest,
  DocumentFormattingRequest,
  DocumentHighlightRequest,
  DocumentSymbolRequest,
  FoldingRangeRequest,
  HoverRequest,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
  type RequestType,
  SelectionRangeRequest,
  SemanticTokensRangeRequest,
  SemanticTokensRequest,
  type ServerCapabilities,
} from 'vscode-languageserver/node';
import { LEGEND } from './text/token-types.js';
import type { Documents } from './view.js';

export interface Feature {
  readonly method: string;
  readonly capability: ServerCapabilities;
  load(): Promise<Answer<never, unknown>>;
}

type Answer<P, R> = (params: P, documents: Documents) => R;

/** Declares a feature: its request, the client capability, and the handler's file and name. */
function feature<P, R, Name extends string>(
  { method }: RequestType<P, R, void>,
  capability: ServerCapabilities,
  load: () => Promise<Readonly<Record<Name, Answer<P, R>>>>,
  name: Name,
): Feature {
  return { method, capability, load: async () => (await load())[name] };
}

// Loaded on first use, because editors wait for the response to `initialize`.
const actions = () => import('./features/code-actions.js');
const completions = () => import('./features/completion.js');
const hovers = () => import('./features/hover.js');
const names = () => import('./features/names.js');
const structure = () => import('./features/structure.js');
const colours = () => import('./features/semantic-tokens.js');

const COMPLETION = { triggerCharacters: ['.', '"', "'", '(', '[', '@', '>', ' '] };
const KINDS = [CodeActionKind.QuickFix, `${CodeActionKind.SourceFixAll}.perturb`];
const ACTIONS = { codeActionKinds: KINDS };
const SELECTIONS = { selectionRangeProvider: true };
const FORMATTING = { documentFormattingProvider: true };
const RENAME = { renameProvider: { prepareProvider: true } };
const TOKENS = { semanticTokensProvider: { legend: LEGEND, full: true, range: true } };

/** The supported features. To add a feature, create its file and add an entry to this list. */
export const FEATURES: readonly Feature[] = [
  feature(HoverRequest.type, { hoverProvider: true }, hovers, 'hover'),
  feature(CompletionRequest.type, { completionProvider: COMPLETION }, completions, 'completion'),
  feature(DefinitionRequest.type, { definitionProvider: true }, names, 'definition'),
  feature(ReferencesRequest.type, { referencesProvider: true }, names, 'references'),
  feature(DocumentHighlightRequest.type, { documentHighlightProvider: true }, names, 'highlights'),
  feature(PrepareRenameRequest.type, RENAME, names, 'prepareRename'),
  feature(RenameRequest.type, RENAME, names, 'rename'),
  feature(CodeActionRequest.type, { codeActionProvider: ACTIONS }, actions, 'codeActions'),
  feature(DocumentSymbolRequest.type, { documentSymbolProvider: true }, structure, 'symbols'),
  feature(FoldingRangeRequest.type, { foldingRangeProvider: true }, structure, 'foldingRanges'),
  feature(SelectionRangeRequest.type, SELECTIONS, structure, 'selectionRanges'),
  feature(DocumentFormattingRequest.type, FORMATTING, structure, 'formatting'),
  feature(SemanticTokensRequest.type, TOKENS, colours, 'semanticTokens'),
  feature(SemanticTokensRangeRequest.type, TOKENS, colours, 'semanticTokensIn'),
];
