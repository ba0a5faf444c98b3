/*
 * HTML and SVG as text. Attributes alone style what is shown, for a content policy may keep every
 * style sheet out; texts are escaped here and nowhere else.
 */

/** Markup that is written already. */
export interface Markup {
  readonly markup: string;
}

/** What an element may hold. */
export type Content = string | number | Markup | undefined | readonly Content[];

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const VOID: ReadonlySet<string> = new Set(['meta', 'br', 'col']);

/** An element; an attribute that is undefined or false is left out. */
export function element(name: string, attributes: Attributes, ...content: Content[]): Markup {
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([key, value]) => (value === true ? ` ${key}` : ` ${key}="${escapeText(String(value))}"`));
  const open = `<${name}${list.join('')}>`;
  if (VOID.has(name)) return { markup: open };
  return { markup: `${open}${content.map(render).join('')}</${name}>` };
}

/** Several, one after the other. */
export function all(...content: Content[]): Markup {
  return { markup: content.map(render).join('') };
}

function render(content: Content): string {
  if (content === undefined) return '';
  if (typeof content === 'string') return escapeText(content);
  if (typeof content === 'number') return String(content);
  if (Array.isArray(content)) return content.map(render).join('');
  return (content as Markup).markup;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What a reader cannot see, and what turns the direction of the text around it, is written out. */
function escapeText(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\p{Cs}]/gu, (character) =>
      character === '\n' ? '\n' : `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
    );
}

/** A table with a caption; the first cell of each row is its header. Without titles it has no head. */
export function table(
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly Content[])[],
  idOf: (row: number) => string | undefined = () => undefined,
): Markup {
  return element(
    'table',
    { border: 1, cellpadding: 6, cellspacing: 0 },
    element('caption', {}, caption),
    titles.length > 0
      ? element(
          'thead',
          {},
          element(
            'tr',
            {},
            titles.map((title) => element('th', { scope: 'col', align: 'left' }, title)),
          ),
        )
      : undefined,
    element(
      'tbody',
      {},
      rows.map(([first, ...rest], at) =>
        element(
          'tr',
          { id: idOf(at) },
          element('th', { scope: 'row', align: 'left' }, first),
          rest.map((cell) => element('td', {}, cell)),
        ),
      ),
    ),
  );
}
