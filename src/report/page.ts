import { createHash } from 'node:crypto';
import { all, type Content, element, type Markup } from './markup.js';

/** Only makes it nicer: without it, nothing is missing. */
const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:68rem;padding:0 1rem;color:#1f2328;background:#fff}' +
  'table{border-collapse:collapse;margin:1rem 0}caption{text-align:left;font-weight:600;padding:.4rem 0}' +
  'th,td{border:1px solid #d0d7de;padding:.35rem .7rem;text-align:left;vertical-align:top}' +
  'figure{margin:1rem 0}figcaption{color:#57606a}svg{max-width:100%;height:auto}';

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
