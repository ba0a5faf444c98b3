import fc from 'fast-check';
import { type AST, parseTOML } from 'toml-eslint-parser';
import { describe, expect, it } from 'vitest';
import { SourceFile, type Span } from '../../../src/source/index.js';
import { parseToml, type TomlDocument, type TomlPath } from '../../../src/toml/index.js';
import { runs } from '../../long.js';
import { writeDocument } from './random-document.js';
import { Tape } from './tape.js';

interface Place {
  readonly path: TomlPath;
  readonly key: Span;
  readonly value: Span;
}

/** Where toml-eslint-parser sees the keys, values and headers of a document. */
function placesOf(program: AST.TOMLProgram, text: string): Place[] {
  const places: Place[] = [];
  const visitEntry = (table: TomlPath, entry: AST.TOMLKeyValue) => {
    const names = entry.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
    const path = [...table, ...names];
    places.push({ path, key: lastKey(entry.key), value: spanOf(entry.value) });
    visitValue(path, entry.value);
  };
  const visitValue = (path: TomlPath, value: AST.TOMLContentNode) => {
    if (value.type === 'TOMLInlineTable') {
      for (const entry of value.body) visitEntry(path, entry);
    } else if (value.type === 'TOMLArray') {
      for (const [index, element] of value.elements.entries()) {
        const span = spanOf(element);
        places.push({ path: [...path, index], key: span, value: span });
        visitValue([...path, index], element);
      }
    }
  };
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      visitEntry([], node);
      continue;
    }
    const brackets = node.kind === 'array' ? ']]' : ']';
    const end = text.indexOf(brackets, node.key.range[1]) + brackets.length;
    const header = { start: node.range[0], end };
    places.push({ path: node.resolvedKey, key: lastKey(node.key), value: header });
    for (const entry of node.body) visitEntry(node.resolvedKey, entry);
  }
  return places;
}

function lastKey(key: AST.TOMLKey): Span {
  return spanOf(key.keys.at(-1) as AST.TOMLBare | AST.TOMLQuoted);
}

function spanOf({ range: [start, end] }: { readonly range: readonly [number, number] }): Span {
  return { start, end };
}

function agree(text: string, program: AST.TOMLProgram) {
  const { document } = parseToml(new SourceFile('a.toml', text)) as { document: TomlDocument };
  const places = placesOf(program, text);
  const ours = places.map(({ path }) => {
    return { path, key: document.keySpan(path), value: document.valueSpan(path) };
  });
  expect(ours).toEqual(places);
  expect(document.comments().map((comment) => comment.span)).toEqual(program.comments.map(spanOf));
}

const CORPUS = [
  '',
  '# only a comment',
  `name = "Wind gust"

[mutation_constraints]
max_concurrent_mutations = 2
mutator_tags = ["drone", # why
  'simulator',
]

[[mutator]]
name = "wind"
[[mutator.param_constraints]]
name = "speed"
range = [0.0, 25.0]
[[mutator.param_constraints]]
name = "mode"
enum_options = ["gust"]

[[mutator]] # another
name = 'battery'
[mutator.param_constraints]
name = """level"""

[[measurement]]
name = "lands"
check = """
MATCH (name = "LANDED") AS landed # "
AGGREGATE count(landed) = 1"""
stopping_conditions.passing_measurements = 3
stopping_conditions.failing_measurements = 0x1
`.replaceAll('\n', '\r\n'),
  `[fruit]\napple.color = "red"\napple.taste.sweet = true\n[fruit.apple.texture]\nsmooth = true\n`,
  `[a.b.c]\nx = 1\n[a]\ny = 2\n[a.b]\nz = { p.q = 1, "r s" = [[], [{}]] }\n`,
  `[[a]]\n[[a.b]]\n[a.b.c]\nd=1\n[[a.b]]\n[[a]]\n[[a.b]]\nx.y = [1979-05-27 07:32:00Z, 07:32:00]\n`,
  `'' = 1\n"" . "" = 2\n`.replace(`'' = 1\n`, ''),
  `site."google.com" = true\n3.14159 = "pi"\n-1- . _ = nan\n1979-05-27 = inf\n`,
  `a = { # c1\n  b = 1, # c2\n\n  c.d = "x", }\ne = {}\nf = [ # ]\n]\n`,
];

describe('toml-eslint-parser agrees', () => {
  it.each(CORPUS)('on %j', (text) => {
    agree(text, parseTOML(text, { tomlVersion: '1.1' }));
  });

  it('on random documents, where it reads them', () => {
    let read = 0;
    const numRuns = runs(4_000);
    const tapes = fc.array(fc.nat(1_000_000), { maxLength: 200, size: 'max' });
    fc.assert(
      fc.property(tapes, (numbers) => {
        const { text } = writeDocument(new Tape(numbers));
        let program: AST.TOMLProgram;
        try {
          program = parseTOML(text, { tomlVersion: '1.1' });
        } catch {
          return;
        }
        read += 1;
        agree(text, program);
      }),
      { numRuns },
    );
    expect(read).toBeGreaterThan(numRuns / 2);
  });
});
