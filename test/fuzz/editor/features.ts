import { isDeepStrictEqual } from 'node:util';
import { type Name, parse, visit } from '../../../src/expression/index.js';
import { formatObjective } from '../../../src/objective/fmt/index.js';
import { expressionsOf, type LintOptions, lint } from '../../../src/objective/index.js';
import { decodeSource } from '../../../src/source/index.js';
import { readToml } from '../../../src/toml/index.js';
import type { Position, Range } from '../../editor/connection.js';
import { withoutSpans } from '../../expression/arbitrary.js';
import { hold } from '../target.js';
import type { ClientText } from './client-text.js';

/** What a request was about. */
export interface Asked {
  readonly uri: string;
  readonly at: ClientText;
  readonly position: Position;
  readonly range: Range;
  readonly text: string;
  readonly isObjective: boolean;
  readonly options: LintOptions;
}

/** A request of the protocol, and what must be true of its answer. */
export interface Feature {
  readonly method: string;
  readonly params: (asked: Asked) => object;
  /** @returns what happened, in a word or two */
  readonly hold: (answer: never, asked: Asked) => string;
}

interface Ranged {
  readonly range: Range;
}

interface TextEdit extends Ranged {
  readonly newText: string;
}

const at = ({ position }: Asked): object => ({ position });
const none = (): object => ({});

/** The features of the server, by the word for them in an input. */
export const features: Readonly<Record<string, Feature>> = {
  hover: {
    method: 'hover',
    params: at,
    hold: (answer: Ranged | null, { at, position }) => {
      if (answer === null) return 'none';
      holdAround(at, answer.range, position, 'hover');
      return 'some';
    },
  },
  complete: {
    method: 'completion',
    params: at,
    hold: (answer: { label: string; kind: number; textEdit: TextEdit }[], { at, position }) => {
      for (const { label, textEdit } of answer) {
        holdAround(at, textEdit.range, position, 'completion');
        const { start, end } = textEdit.range;
        hold(start.line === end.line, 'a completion that replaces lines');
        hold(label !== '', 'a completion without a label');
      }
      return [...new Set(answer.map(({ kind }) => kind))].join();
    },
  },
  define: {
    method: 'definition',
    params: at,
    hold: (answer: { uri: string; range: Range }[], { at, uri }) => {
      const here = answer.filter((place) => place.uri === uri);
      for (const { range } of here) at.spanOf(range, 'definition');
      return answer.length === 0 ? 'none' : here.length > 0 ? 'here' : 'elsewhere';
    },
  },
  refer: {
    method: 'references',
    params: ({ position }) => ({ position, context: { includeDeclaration: true } }),
    hold: (answer: (Ranged & { uri: string })[] | null, { at, uri }) => {
      for (const place of answer ?? []) {
        if (place.uri === uri) at.spanOf(place.range, 'references');
      }
      return String(answer?.length);
    },
  },
  highlight: {
    method: 'documentHighlight',
    params: at,
    hold: (answer: Ranged[] | null, { at }) => {
      for (const { range } of answer ?? []) at.spanOf(range, 'highlights');
      return String(answer?.length);
    },
  },
  prepare: {
    method: 'prepareRename',
    params: at,
    hold: (answer: Ranged | null, { at, position }) => {
      if (answer === null) return 'none';
      holdAround(at, answer.range, position, 'prepareRename');
      return 'some';
    },
  },
  rename: {
    method: 'rename',
    params: ({ position, text }) => ({ position, newName: text }),
    hold: (answer: { changes: Record<string, TextEdit[]> }, asked) => {
      const edits = answer.changes[asked.uri] ?? [];
      const after = asked.at.edited(edits, 'rename');
      if (edits.length > 0) holdRenamed(after, asked);
      return String(edits.length);
    },
  },
  act: {
    method: 'codeAction',
    params: ({ range }) => ({ range, context: { diagnostics: [] } }),
    hold: (answer: Action[], asked) => {
      for (const action of answer) holdAction(action, asked);
      return [...new Set(answer.map(({ title }) => title.split(' ')[0]))].join();
    },
  },
  format: {
    method: 'formatting',
    params: () => ({ options: { tabSize: 2, insertSpaces: true } }),
    hold: (answer: TextEdit[], { at, isObjective }) => {
      const after = at.edited(answer, 'formatting');
      // Half a character has no bytes, which the formatter would be given here.
      if (after === at.text || /\p{Cs}/u.test(after)) return 'none';
      hold(isObjective, 'formatting of what is no objective');
      const formatted = formatObjective(decodeSource('', Buffer.from(at.text)));
      hold(after === formatted?.text, 'formatting is not what the formatter gives');
      return 'some';
    },
  },
  symbols: {
    method: 'documentSymbol',
    params: none,
    hold: (answer: Symbol[], { at }) => {
      const visit = (symbols: readonly Symbol[]): number => {
        for (const { name, range, selectionRange, children } of symbols) {
          const [outer, inner] = [range, selectionRange].map((one) => at.spanOf(one, 'symbols'));
          hold(outer !== undefined && inner !== undefined, 'a symbol without a range');
          const within = outer.start <= inner.start && inner.end <= outer.end;
          hold(within, "a symbol's name is outside of it");
          hold(name !== '', 'a symbol without a name');
          visit(children);
        }
        return symbols.length;
      };
      return String(visit(answer));
    },
  },
  fold: {
    method: 'foldingRange',
    params: none,
    hold: (answer: { startLine: number; endLine: number }[], { at }) => {
      for (const { startLine, endLine } of answer) {
        hold(startLine < endLine, 'nothing to fold');
        at.offsetOf({ line: endLine, character: 0 }, 'folding');
      }
      return String(answer.length);
    },
  },
  select: {
    method: 'selectionRange',
    params: ({ position }) => ({ positions: [position] }),
    hold: ([answer]: Selection[], { at, position }) => {
      hold(answer !== undefined, 'no selection');
      let inner = holdAround(at, answer.range, position, 'selection');
      let depth = 1;
      for (let around = answer.parent; around !== undefined; around = around.parent) {
        const outer = at.spanOf(around.range, 'selection');
        const isAround = outer.start <= inner.start && inner.end <= outer.end;
        hold(isAround, 'a selection that does not hold the one within');
        inner = outer;
        depth += 1;
      }
      return String(depth);
    },
  },
  tokens: {
    method: 'semanticTokens/full',
    params: none,
    hold: (answer: { data: number[] }, { at }) => holdTokens(answer.data, at),
  },
  tokensin: {
    method: 'semanticTokens/range',
    params: ({ range }) => ({ range }),
    hold: (answer: { data: number[] }, { at }) => holdTokens(answer.data, at),
  },
};

interface Symbol extends Ranged {
  readonly name: string;
  readonly selectionRange: Range;
  readonly children: readonly Symbol[];
}

interface Selection extends Ranged {
  readonly parent?: Selection;
}

interface Action {
  readonly title: string;
  readonly kind: string;
  readonly edit: { readonly changes?: Readonly<Record<string, readonly TextEdit[]>> };
}

function holdAround(text: ClientText, range: Range, position: Position, about: string) {
  const span = text.spanOf(range, about);
  const { start, end } = range;
  const isBefore = (a: Position, b: Position) =>
    a.line < b.line || (a.line === b.line && a.character <= b.character);
  hold(isBefore(start, position) && isBefore(position, end), `not around the position: ${about}`);
  return span;
}

/** The tokens are those of the text: in order, apart, on whole characters. */
function holdTokens(data: readonly number[], text: ClientText): string {
  let line = 0;
  let character = 0;
  let last = 0;
  const types = new Set<number>();
  for (let index = 0; index < data.length; index += 5) {
    const [lines = 0, characters = 0, length = 0, type = 0] = data.slice(index, index + 4);
    character = lines === 0 ? character + characters : characters;
    line += lines;
    const start = { line, character };
    const end = { line, character: character + length };
    const span = text.spanOf({ start, end }, 'tokens');
    hold(span.start >= last, 'tokens overlap');
    hold(span.end > span.start, 'an empty token');
    last = span.end;
    types.add(type);
  }
  return [...types].sort((a, b) => a - b).join();
}

function documentOf(text: string) {
  return readToml(decodeSource('', Buffer.from(text))).document;
}

/** One label of one expression has another name; nothing else has changed. */
function holdRenamed(after: string, { at, text }: Asked): void {
  const [old, renamed] = [documentOf(at.text), documentOf(after)];
  if (old === undefined) return;
  hold(renamed !== undefined, 'a rename breaks the file');
  const [olds, news] = [expressionsOf(old), expressionsOf(renamed)];
  hold(olds.length === news.length, 'a rename changes what is an expression');
  const changed = olds.flatMap((site, index) => {
    const other = news[index]?.text as string;
    return site.text === other ? [] : [[site.text, other] as const];
  });
  hold(changed.length <= 1, 'a rename changes several expressions');
  for (const [one, other] of changed) {
    const tree = parse(one).expression;
    if (tree === undefined) continue;
    const renamedTree = parse(other).expression;
    hold(renamedTree !== undefined, 'a rename breaks its expression');
    const labels = new Set(labelsOf(one));
    const [from, ...more] = [...labels].filter((label) => !labelsOf(other).includes(label));
    hold(from !== undefined && more.length === 0, 'a rename loses more than one label');
    const expected = withLabel(withoutSpans(tree), from, text);
    hold(isDeepStrictEqual(withoutSpans(renamedTree), expected), 'a rename changes the tree');
  }
}

function labelNames(tree: Parameters<typeof visit>[0]): Name[] {
  const names: Name[] = [];
  const path = ({ path }: { readonly path: readonly Name[] }) => {
    if (path.length > 1) names.push(path[0] as Name);
  };
  visit(tree, {
    match: ({ patterns }) => {
      names.push(...patterns.map(({ label }) => label));
      return false;
    },
    chain: ({ labels }) => void names.push(...labels),
    attribute: path,
  });
  return names;
}

function labelsOf(text: string): string[] {
  const { expression } = parse(text);
  return expression === undefined ? [] : labelNames(expression).map(({ text }) => text);
}

function withLabel<T>(tree: T, from: string, to: string): T {
  const copy = structuredClone(tree);
  for (const name of labelNames(copy as Parameters<typeof visit>[0])) {
    if (name.text === from) Object.assign(name, { text: to });
  }
  return copy;
}

/** The edits of an action can be made, and do what its title says. */
function holdAction({ title, edit }: Action, asked: Asked): void {
  const { at, uri, options, isObjective } = asked;
  const edits = edit.changes?.[uri];
  if (edits === undefined) return;
  const kind = title.split(' ')[0] as string;
  const after = at.edited(edits, `the action ${kind}`);
  hold(after !== at.text, `an action that changes nothing: ${kind}`);
  const rule = /^Ignore (\S+) on this line$/.exec(title)?.[1];
  if (rule === undefined || !isObjective || documentOf(at.text) === undefined) return;
  const count = (text: string, known: LintOptions): number =>
    lint(decodeSource('', Buffer.from(text)), known).filter((one) => one.rule === rule).length;
  // The mutators may have been loading when the action was made.
  const silences = [options, {}].some((known) => count(after, known) < count(at.text, known));
  hold(silences, `a comment that silences nothing: ${rule}`);
}
