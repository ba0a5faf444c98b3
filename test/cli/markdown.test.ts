import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/reporters/terminal/markdown.js';

const PAGE = `# toml/syntax

The file is not TOML: **nothing** after \`x\` can be read with certainty, see [the docs](a.md).

| severity | fix |
|---|---|
| error | yes |

## Fails

\`\`\`toml
name = "a"

[x
\`\`\`
`;

test('a page as a terminal of 60 columns shows it', () => {
  expect(renderMarkdown(PAGE, { width: 60, title: (text) => text }, false)).toBe(`toml/syntax

The file is not TOML: nothing after "x" can be read with
certainty, see the docs.

severity  error
fix       yes

Fails

    name = "a"

    [x
`);
});

test('in colour, titles and code stand out', () => {
  const text = renderMarkdown(PAGE, { title: (title) => title }, true);
  expect(text).toContain('\x1b[1m\x1b[4mtoml/syntax\x1b[24m\x1b[22m');
  expect(text).toContain('\x1b[36mx\x1b[39m');
});
