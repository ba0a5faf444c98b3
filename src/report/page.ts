import { createHash } from 'node:crypto';
import { all, type Content, element, type Markup } from './markup.js';
import { DIM, FAILED, IN_THE_DARK, INCONCLUSIVE, INK, PAPER, PASSED } from './palette.js';

/** Only makes it nicer: without it, nothing is missing. */
const STYLE = `
:root{color-scheme:light dark;--ink:${INK};--paper:${PAPER};--dim:${DIM};--line:#d0d7de;--passed:${PASSED};--failed:${FAILED};--inconclusive:${INCONCLUSIVE}}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:68rem;padding:0 1rem;color:var(--ink);background:var(--paper)}
h1{margin-bottom:.25rem}h2{margin-top:2.5rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}
.lead{font-size:1.15rem;margin:.25rem 0}
table{border-collapse:collapse;margin:1rem 0}caption{text-align:left;font-weight:600;padding:.4rem 0}
th,td{border:1px solid var(--line);padding:.35rem .7rem;text-align:left;vertical-align:top}td{overflow-wrap:anywhere}
tbody th{font-weight:500}thead th{color:var(--dim);font-weight:600}
.passed{color:var(--passed)}.failed{color:var(--failed)}.inconclusive,.undecided{color:var(--inconclusive)}.skipped{color:var(--dim)}
.figures{display:flex;flex-wrap:wrap;gap:.5rem 2.5rem}
figure{margin:1rem 0;max-width:100%}figcaption{color:var(--dim)}svg{max-width:100%;height:auto}
@media (max-width:40rem){body{margin-top:1rem}th,td{padding:.2rem .3rem;font-size:.8rem}}
@media screen and (prefers-color-scheme:dark){:root{--ink:${IN_THE_DARK[INK]};--paper:${IN_THE_DARK[PAPER]};--dim:${IN_THE_DARK[DIM]};--line:#3d444d;--passed:${IN_THE_DARK[PASSED]};--failed:${IN_THE_DARK[FAILED]};--inconclusive:${IN_THE_DARK[INCONCLUSIVE]}}${darkPictures()}}
@media print{body{margin:0;max-width:none}figure,tr{break-inside:avoid}h2,h3,caption{break-after:avoid}}
`;

function darkPictures(): string {
  return Object.entries(IN_THE_DARK)
    .map(([light, dark]) => `[fill="${light}"]{fill:${dark}}[stroke="${light}"]{stroke:${dark}}`)
    .join('');
}

/** The style that the page has, and no script, frame or request. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** A whole document: one file that needs no other. */
export function page(title: string, ...content: Content[]): string {
  const head = element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('title', {}, title),
    { markup: `<style>${STYLE}</style>` },
  );
  const body = element('body', {}, element('main', {}, element('h1', {}, title), ...content));
  return `<!DOCTYPE html>\n${element('html', { lang: 'en' }, head, body).markup}\n`;
}

/** A part of the page with a heading; nothing where it has no content. */
export function section(heading: string, ...content: Content[]): Markup {
  const inner = all(...content);
  return inner.markup === '' ? inner : element('section', {}, element('h2', {}, heading), inner);
}

/** A picture with a text below it. */
export function figure(picture: Markup, caption: string): Markup {
  return element('figure', {}, picture, element('figcaption', {}, caption));
}

/** Pictures beside one another, as far as there is room. */
export function figures(...pictures: Content[]): Markup {
  return element('div', { class: 'figures' }, ...pictures);
}
