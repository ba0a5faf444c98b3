import { createHash } from 'node:crypto';
import { CONTROL_CHARACTERS, escapeCharacter } from '../basics/index.js';

/*
 * HTML and SVG as text. Attributes carry all required styling, because a content policy may block
 * style sheets. Only this file escapes text.
 */

/** Escaped HTML or SVG. */
export interface Markup {
  readonly markup: string;
}

/** The content of an element. */
export type MarkupContent = string | number | Markup | undefined | readonly MarkupContent[];

/**
 * Builds markup from a template. Escapes interpolated text, including text in attributes. Inserts
 * interpolated markup unchanged.
 */
export function html(template: TemplateStringsArray, ...content: MarkupContent[]): Markup {
  return { markup: String.raw({ raw: template }, ...content.map(render)) };
}

/** Returns one `div` per line. */
export function divs(lines: readonly MarkupContent[]): Markup[] {
  return lines.map((line) => html`<div>${line}</div>`);
}

function render(content: MarkupContent): string {
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

/**
 * Escapes text for HTML. Replaces control characters other than line feeds with visible escape
 * sequences.
 */
function escapeText(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
    .replace(CONTROL_CHARACTERS, (character) =>
      character === '\n' ? '\n' : escapeCharacter(character),
    );
}

/** Capitalizes the first letter of a text. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Returns a table. The first cell of each row is the row's header.
 *
 * @param caption omitted if undefined
 * @param titles the column headers; empty for a table without a head row
 * @param idOf returns a row's `id`, if any
 */
export function htmlTable(
  caption: string | undefined,
  titles: readonly string[],
  rows: readonly (readonly MarkupContent[])[],
  idOf: (row: number) => string | undefined = () => undefined,
): Markup {
  const heads = titles.map((title) => html`<th scope="col" align="left">${title}</th>`);
  const body = rows.map(([first, ...rest], at) => {
    const id = idOf(at);
    const cells = rest.map((cell) => html`<td>${cell}</td>`);
    const open = id === undefined ? html`<tr>` : html`<tr id="${id}">`;
    return html`${open}<th scope="row" align="left">${first}</th>${cells}</tr>`;
  });
  const parts = [
    caption === undefined ? '' : html`<caption>${caption}</caption>`,
    titles.length > 0 ? html`<thead><tr>${heads}</tr></thead>` : '',
    html`<tbody>${body}</tbody>`,
  ];
  return html`<table border="1" cellpadding="6" cellspacing="0">${parts}</table>`;
}

/** Returns a table; undefined if there are no rows. */
export function filledTable(...table: Parameters<typeof htmlTable>): Markup | undefined {
  return table[2].length === 0 ? undefined : htmlTable(...table);
}

/*
 * Pictures' colours are in attributes, because a content policy may block style sheets. If the
 * style sheet is not blocked, it replaces each colour in dark mode.
 */

export const BACKGROUND_COLOUR = '#ffffff';
export const TEXT_COLOUR = '#1f2328';
export const DIM_COLOUR = '#57606a';
export const LINE_COLOUR = '#8c959f';
export const FAINT_COLOUR = '#eaeef2';
export const SHADE_COLOUR = '#ffe3a3';
export const PASSED_COLOUR = '#1a7f37';
export const FAILED_COLOUR = '#cf222e';
export const INCONCLUSIVE_COLOUR = '#9a6700';

/**
 * The heat map's colours for no failures, for failure rates or failing margins, and for passing
 * margins. The lists are in ascending order of values.
 */
export const NEVER_FAILED_COLOUR = '#d6ecfa';
export const FAILING_COLOURS = ['#ffdfad', '#ffc173', '#f79a3c', '#e07b12'] as const;
export const PASSING_COLOURS = [NEVER_FAILED_COLOUR, '#9fd0ef', '#5aaede'] as const;

/** Dark mode colours, keyed by the colours that they replace. */
const DARK_MODE_COLOURS: Readonly<Record<string, string>> = {
  [BACKGROUND_COLOUR]: '#0d1117',
  [TEXT_COLOUR]: '#e6edf3',
  [DIM_COLOUR]: '#9198a1',
  [LINE_COLOUR]: '#6e7681',
  [FAINT_COLOUR]: '#21262d',
  [SHADE_COLOUR]: '#4d3800',
  [PASSED_COLOUR]: '#3fb950',
  [FAILED_COLOUR]: '#ff7b72',
  [INCONCLUSIVE_COLOUR]: '#d29922',
  [PASSING_COLOURS[0]]: '#12293b',
  [PASSING_COLOURS[1]]: '#1b4767',
  [PASSING_COLOURS[2]]: '#266a9b',
  [FAILING_COLOURS[0]]: '#3d2a10',
  [FAILING_COLOURS[1]]: '#5f3d0e',
  [FAILING_COLOURS[2]]: '#86530d',
  [FAILING_COLOURS[3]]: '#b06c10',
};

/** The style sheet. The page is complete without it. */
const STYLE = `
:root{color-scheme:light dark;--ink:${TEXT_COLOUR};--paper:${BACKGROUND_COLOUR};--dim:${DIM_COLOUR};--line:#d0d7de;--passed:${PASSED_COLOUR};--failed:${FAILED_COLOUR};--inconclusive:${INCONCLUSIVE_COLOUR}}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:84rem;padding:0 1.25rem;color:var(--ink);background:var(--paper)}
h1{margin-bottom:.25rem}h2{margin:2rem 0 .75rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}h3{margin:1rem 0 .5rem}
.lead{font-size:1.3rem;line-height:1.4;margin:.5rem 0 1rem;max-width:60rem}
table{border-collapse:collapse;margin:.75rem 0}caption{text-align:left;font-weight:600;padding:.25rem 0}
th,td{border:1px solid var(--line);padding:.35rem .7rem;text-align:left;vertical-align:top}td{overflow-wrap:anywhere}
tbody th{font-weight:500}thead th{color:var(--dim);font-weight:600}
.passed{color:var(--passed)}.failed{color:var(--failed)}.inconclusive,.undecided{color:var(--inconclusive)}.skipped{color:var(--dim)}
.figures{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem}.figures figure{width:21rem}.figures>div{min-width:0;max-width:100%}
.figures figure.spread{width:auto}
.figures table,.figures p,.figures figure{margin:.5rem 0}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr));gap:.5rem 2rem;align-items:start}.columns>*{min-width:0}.columns>figure>svg{width:100%;max-width:36rem}
.unfinished{border:1px solid var(--line);border-left:.3rem solid var(--inconclusive);padding:.25rem 1rem;margin:1rem 0}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;padding:0}
a{color:inherit}code,pre{font-size:.87em;overflow-wrap:anywhere}.flag{white-space:nowrap}pre{margin:0;white-space:pre-wrap}
details{margin:.5rem 0}summary{cursor:pointer}
figure{margin:.75rem 0;max-width:100%}figcaption{color:var(--dim)}svg{max-width:100%;height:auto}
@media (max-width:40rem){body{margin-top:1rem}th,td{padding:.2rem .3rem;font-size:.8rem}tbody th{overflow-wrap:anywhere;min-width:4.2rem}td{min-width:3.1rem}thead th{font-size:.72rem}.wide{overflow-x:auto}.wide svg{max-width:none}}
@media screen and (prefers-color-scheme:dark){:root{--ink:${DARK_MODE_COLOURS[TEXT_COLOUR]};--paper:${DARK_MODE_COLOURS[BACKGROUND_COLOUR]};--dim:${DARK_MODE_COLOURS[DIM_COLOUR]};--line:#3d444d;--passed:${DARK_MODE_COLOURS[PASSED_COLOUR]};--failed:${DARK_MODE_COLOURS[FAILED_COLOUR]};--inconclusive:${DARK_MODE_COLOURS[INCONCLUSIVE_COLOUR]}}${darkPictures()}}
@media print{body{margin:0;max-width:none}nav{display:none}.figures,.columns{gap:.25rem .5rem}figure,tr{break-inside:avoid}h2,h3,caption{break-after:avoid}}
`;

function darkPictures(): string {
  return Object.entries(DARK_MODE_COLOURS)
    .map(([light, dark]) => `[fill="${light}"]{fill:${dark}}[stroke="${light}"]{stroke:${dark}}`)
    .join('');
}

/**
 * The content security policy. It allows the page's own style sheet, but no scripts, frames or
 * requests.
 */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/**
 * Returns a complete, self-contained HTML document.
 *
 * @param reload the interval in seconds at which the browser reloads the page; 0 for never
 */
export function page(title: string, reload: number, ...content: MarkupContent[]): string {
  const head = [
    html`<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    html`<meta name="viewport" content="width=device-width, initial-scale=1">`,
    reload > 0 ? html`<meta http-equiv="refresh" content="${reload}">` : '',
    html`<title>${title}</title><style>${{ markup: STYLE }}</style>`,
  ];
  const body = html`<body><main><h1>${title}</h1>${content}</main></body>`;
  return html`<!DOCTYPE html>\n<html lang="en"><head>${head}</head>${body}</html>\n`.markup;
}

/** Returns a section with a heading; empty if the section has no content. */
export function section(heading: string, ...content: MarkupContent[]): Markup {
  const inner = html`${content}`;
  if (inner.markup === '') return inner;
  return html`<section id="${idOf(heading)}"><h2>${heading}</h2>${inner}</section>`;
}

/** Returns the non-empty sections, preceded by a table of contents. */
export function sections(...parts: readonly (readonly [string, MarkupContent])[]): Markup {
  const full = parts.filter(([, content]) => render(content) !== '');
  const links = full.map(([heading]) => html`<li><a href="#${idOf(heading)}">${heading}</a></li>`);
  const all = full.map(([heading, content]) => section(heading, content));
  return html`<nav aria-label="Contents"><ul>${links}</ul></nav>${all}`;
}

function idOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}

/** Returns a disclosure widget that works without a script. */
export function disclosure(summary: string, ...content: MarkupContent[]): Markup {
  return html`<details><summary>${summary}</summary>${content}</details>`;
}

/** Returns a figure, with the caption above the picture. */
export function figure(picture: Markup, caption: string, ...more: MarkupContent[]): Markup {
  return html`<figure><figcaption>${caption}</figcaption>${picture}${more}</figure>`;
}

/** Returns a full-width figure, with the caption above the pictures. */
export function renderFullWidthFigure(
  pictures: Markup,
  caption: string,
  ...more: MarkupContent[]
): Markup {
  return html`<figure class="spread"><figcaption>${caption}</figcaption>${pictures}${more}</figure>`;
}

/**
 * Wraps a picture in a container that scrolls horizontally on narrow screens, including by
 * keyboard.
 */
export function wrapInScrollContainer(picture: Markup): Markup {
  return html`<div class="wide" tabindex="0">${picture}</div>`;
}

/** Lays out content in two columns on wide screens, or one on narrow screens. */
export function columns(...content: MarkupContent[]): Markup {
  return html`<div class="columns">${content}</div>`;
}

/** Lays out pictures, tables and texts side by side, wrapping on narrow screens. */
export function figures(...pictures: MarkupContent[]): Markup {
  return html`<div class="figures">${pictures}</div>`;
}
