import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { decodeSource, SourceFile } from '../../../src/source/index.js';
import {
  parseToml,
  type TomlDocument,
  type TomlPath,
  type TomlValue,
} from '../../../src/toml/index.js';
import { runs } from '../../long.js';
import { writeDocument } from './random-document.js';
import { writeString } from './random-string.js';
import { Tape } from './tape.js';

const tapes = fc
  .array(fc.nat(1_000_000), { maxLength: 250, size: 'max' })
  .map((numbers) => new Tape(numbers));

function read(file: SourceFile): TomlDocument {
  const { document, violations } = parseToml(file);
  expect(violations).toEqual([]);
  return document as TomlDocument;
}

function valueAt(document: TomlDocument, path: TomlPath): TomlValue {
  return path.reduce<unknown>((value, step) => (value as never)[step], document.root) as TomlValue;
}

describe('random documents', () => {
  it('have every key, value and comment where it was written', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const { text, places, comments } = writeDocument(tape);
        const document = read(new SourceFile('a.toml', text));
        for (const { path, key, value, written, string } of places) {
          const found = { path, key: document.keySpan(path), value: document.valueSpan(path) };
          expect(found).toEqual({ path, key, value });
          if (string !== undefined) expect(valueAt(document, path)).toBe(string.text);
          if (!written) continue;
          const slice = text.slice(value.start, value.end);
          const again = parse(`x = ${slice}`, { integersAsBigInt: true });
          expect(again['x']).toEqual(valueAt(document, path));
        }
        expect(document.comments()).toEqual(
          comments.map(({ start, end, ownLine }) => ({
            span: { start, end },
            text: text.slice(start, end),
            ownLine,
          })),
        );
      }),
      { numRuns: runs(8_000) },
    );
  });

  it('have keys that read back as they are', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const { text, places } = writeDocument(tape);
        const document = read(new SourceFile('a.toml', text));
        for (const { path } of places) {
          const name = path.at(-1);
          if (typeof name !== 'string') continue;
          const { start, end } = document.keySpan(path);
          expect(Object.keys(parse(`${text.slice(start, end)} = 1`))).toEqual([name]);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe('random strings', () => {
  it('say what smol-toml reads, and know where each unit is written', () => {
    fc.assert(
      fc.property(tapes, fc.boolean(), (tape, bom) => {
        const { toml, text, units } = writeString(tape);
        const before = tape.pick(['', '# é😀\r\n', 'x = ["""\n\\\n"""]\n']);
        const file = new SourceFile('a.toml', `${before}a = ${toml}`, bom);
        const document = read(file);
        const embedded = document.embed(['a']);
        expect(embedded.text).toBe(text);
        expect(document.root['a']).toBe(text);
        const base = before.length + 'a = '.length;
        for (const [at, { start, end }] of units.entries()) {
          const span = embedded.toFile({ start: at, end: at + 1 });
          expect(span).toEqual({ start: base + start, end: base + end });
        }
      }),
      { numRuns: runs(12_000) },
    );
  });

  it('have places after a BOM', () => {
    const { source } = decodeSource('a.toml', Buffer.from('\ufeffa = "\\t😀!"'));
    const document = read(source);
    expect(source.bom).toBe(true);
    expect(document.keySpan(['a'])).toEqual({ start: 0, end: 1 });
    expect(document.embed(['a']).toFile({ start: 3, end: 4 })).toEqual({ start: 9, end: 10 });
  });

  it.each([
    ['four and five closing quotes', 'a = """x""""\nb = """x"""""', ['x"', 'x""']],
    ['only quotes', `a = """""""\nb = ''''''''`, ['"', "''"]],
    [
      'a quote after a continuation, which smol-toml drops',
      'a = """x\\\n""""\nb = """\\\n"""""',
      ['x"', '""'],
    ],
    [
      'a quote after a continuation, before more',
      'a = """x\\\n"y"""\nb = """\\\n""y"""""',
      ['x"y', '""y""'],
    ],
    ['continuations one after another', 'a = """x\\\n\\ \t\n  \\\r\n y"""\nb = ""', ['xy', '']],
    ['CRLF, kept as it is', 'a = """\r\nx\r\n"""\nb = \'\'\'\r\n\r\n\'\'\'', ['x\r\n', '\r\n']],
  ])('%s', (_, text, expected) => {
    const document = read(new SourceFile('a.toml', text));
    expect([document.embed(['a']).text, document.embed(['b']).text]).toEqual(expected);
    expect([document.root['a'], document.root['b']]).toEqual(expected);
  });

  it('are the only values that can be embedded', () => {
    const document = read(new SourceFile('a.toml', 'a = 1\n"b c" = [""]'));
    expect(document.embed(['b c', 0]).toFile({ start: 0, end: 0 })).toEqual({ start: 16, end: 16 });
    expect(() => document.embed(['a'])).toThrow(new RangeError('no string at ["a"]'));
    expect(() => document.embed(['b c', 1])).toThrow(new RangeError('no string at ["b c",1]'));
  });
});
