import fc from 'fast-check';
import { marked } from 'marked';
import { expect, test } from 'vitest';
import { codeBlock, escapeMarkdown, inlineCode, visible } from '../../src/basics/index.js';

/* Foreign texts in hovers and reports, read back by the Markdown parser that VS Code uses. */

/** The text that a reader sees, if the HTML holds no other tags than the given ones. */
function shownIn(html: string, ...tags: readonly string[]): string {
  const rest = html.replace(/<(\/?)(\w+)( class="[\w-]+")?>/g, (tag, _, name: string) =>
    tags.includes(name) ? '' : tag,
  );
  expect(rest).not.toMatch(/[<>]/);
  return rest
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          '`',
          '``',
          '**',
          '_',
          '[x](command:evil)',
          '![i](http://h/p.png)',
          '<img src=x>',
          '&lt;',
        ],
        ...[
          '# ',
          '- ',
          '+ ',
          '1. ',
          '2) ',
          '> ',
          '---',
          '===',
          '\n',
          '\n\n',
          '\t',
          '    ',
          '\\',
          '|',
        ],
        ...[
          'https://evil.example',
          'www.evil.example',
          'a@b.example',
          '~~',
          '$(bug)',
          '!',
          ' ',
          'a',
        ],
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

/** On one line, with escapes for what acts on a line's direction or on a terminal. */
const shown = (text: string) => visible(text.replace(/\s+/g, ' ').trim());

test('foreign text is shown as it is, and acts on nothing', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const seen = shownIn(marked.parse(`x ${escapeMarkdown(text)}`, { async: false }), 'p');
      expect(seen.trim()).toBe(`x ${shown(text)}`.trim());
    }),
    { numRuns: 2000 },
  );
});

test('foreign text at the start of a paragraph is no heading, list, quote or rule', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const seen = shownIn(marked.parse(escapeMarkdown(text), { async: false }), 'p');
      expect(seen.trim()).toBe(shown(text));
    }),
    { numRuns: 2000 },
  );
});

test('foreign text is one span of code, whatever backticks it has', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const html = marked.parse(`a ${inlineCode(text)} b`, { async: false });
      expect(html.match(/<code>/g)).toHaveLength(1);
      const seen = shownIn(html, 'p', 'code');
      expect(seen.replace(/\s+/g, ' ').trim()).toBe(
        `a ${visible(text) || ' '} b`.replace(/\s+/g, ' '),
      );
    }),
    { numRuns: 2000 },
  );
});

test('foreign lines are one block of code', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const html = marked.parse(`${codeBlock('trace', text)}\n\nafter`, { async: false });
      expect(html.match(/<pre>/g)).toHaveLength(1);
      expect(html).toMatch(/<p>after<\/p>\n$/);
    }),
    { numRuns: 2000 },
  );
});
