import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import oniguruma from 'vscode-oniguruma';
import textmate from 'vscode-textmate';

const require = createRequire(import.meta.url);
const EXTENSION = 'editors/vscode';

interface GrammarContribution {
  readonly scopeName: string;
  readonly path: string;
  readonly injectTo?: readonly string[];
}

const { contributes } = JSON.parse(readFileSync(join(EXTENSION, 'package.json'), 'utf8'));
const contributed = contributes.grammars as readonly GrammarContribution[];

/** A part of a line that a grammar gave one list of scopes, from the general to the particular. */
export interface Scoped {
  readonly start: number;
  readonly end: number;
  readonly scopes: readonly string[];
}

/** The grammar of TOML with what the extension injects, in the engine that VS Code has. */
export async function tomlGrammar(): Promise<textmate.IGrammar> {
  const wasm = readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scopeName) => {
      const found = contributed.find((one) => one.scopeName === scopeName);
      if (found === undefined) return null;
      const path = join(EXTENSION, found.path);
      return textmate.parseRawGrammar(readFileSync(path, 'utf8'), path);
    },
    getInjections: (scopeName) =>
      contributed
        .filter(({ injectTo }) => injectTo?.includes(scopeName))
        .map((injected) => injected.scopeName),
  });
  const grammar = await registry.loadGrammar('source.toml');
  if (grammar === null) throw new Error('the extension has no grammar for TOML');
  return grammar;
}

/** What a grammar makes of a text, by offsets in the whole text. */
export function scopesOf(grammar: textmate.IGrammar, text: string): readonly Scoped[] {
  const scoped: Scoped[] = [];
  let state = textmate.INITIAL;
  let at = 0;
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    for (const { startIndex, endIndex, scopes } of tokens) {
      scoped.push({ start: at + startIndex, end: at + endIndex, scopes });
    }
    state = ruleStack;
    at += line.length + 1;
  }
  return scoped;
}
