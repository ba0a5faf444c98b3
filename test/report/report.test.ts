import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { parse } from '../../src/expression/index.js';
import { measureReport, runReport, spaceTime } from '../../src/report/index.js';
import { serveHttp } from '../mutators/client/servers.js';
import { sampleReport } from './sample.js';

const html = runReport(sampleReport());

test('shows every part, and looks as before', async () => {
  await expect(html).toMatchFileSnapshot('../../fixtures/report/run.html');
});

test.each([
  ['of a run', html],
  ['of measurements', measured()],
])('the report %s holds no script, no style on an element, nothing from elsewhere', (_, text) => {
  expect(text).not.toMatch(/<script|<link|<iframe|<img|\son\w+=|\sstyle=|url\(/i);
  expect(
    text.match(/https?:\/\/[^"]*/g)?.filter((url) => url !== 'http://www.w3.org/2000/svg'),
  ).toEqual([]);
});

test('texts of users are texts', () => {
  expect(html).toContain('hold &lt;position&gt;');
  expect(html).toContain('speed &lt;m/s&gt; &amp; &quot;more&quot;');
  expect(html).not.toContain('<lost>');
});

/** The browser that is named, or one that is there; without, these are counted as skipped. */
const BROWSER = [process.env['PERTURB_TEST_CHROMIUM'], '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
);

describe.skipIf(BROWSER === undefined)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: BROWSER as string,
      args: ['--no-sandbox', '--disable-gpu'],
      timeout: 120_000,
    });
  }, 130_000);
  afterAll(() => browser?.close());

  /** What Jenkins allows the files of a build. */
  const STRICT = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';";

  test('is complete without JavaScript, under a strict content policy', async () => {
    const url = await serveHttp((_, response) => {
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': STRICT,
      });
      response.end(html);
    });
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(url);
    const headings = await page.locator('h2').allInnerTexts();
    expect(headings).toEqual([
      'Verdicts',
      'Smallest failing sets',
      'Outcomes',
      'Parameters',
      'Pairs of parameters',
      'Evidence',
      'Attempts',
    ]);
    for (const picture of await page.locator('svg').all()) {
      const box = await picture.boundingBox();
      expect(box?.width).toBeGreaterThan(200);
      expect(box?.height).toBeGreaterThan(40);
    }
    expect(await page.locator('svg').count()).toBeGreaterThan(5);
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(50);
    await page.close();
  });

  test.each([
    ['light', 375],
    ['dark', 375],
    ['light', 1_100],
  ] as const)(
    'styled, in the %s at a width of %d: nothing is cut off',
    async (colorScheme, width) => {
      const url = await serveHttp((_, response) => {
        response.writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
        });
        response.end(html);
      });
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
      await page.goto(url);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const shades = await page.evaluate(
        "[...document.querySelectorAll('body, svg > rect:first-child')].map((one) => [getComputedStyle(one).backgroundColor, getComputedStyle(one).fill][one.tagName === 'BODY' ? 0 : 1])",
      );
      const paper = { light: 'rgb(255, 255, 255)', dark: 'rgb(13, 17, 23)' }[colorScheme];
      expect(new Set(shades as string[])).toEqual(new Set([paper]));
      // Every text of a picture lies within it.
      const cut = await page.evaluate(
        "[...document.querySelectorAll('svg')].flatMap((picture) => { const box = picture.getBoundingClientRect(); return [...picture.querySelectorAll('text')].filter((one) => { const { left, right } = one.getBoundingClientRect(); return left < box.left - 0.5 || right > box.right + 0.5; }).map((one) => one.textContent); })",
      );
      expect(cut).toEqual([]);
      await page.close();
    },
  );

  test('axe-core finds nothing', async () => {
    const source = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
    const context = await browser.newContext({ bypassCSP: true });
    for (const [content, colorScheme] of [
      [html, 'light'],
      [html, 'dark'],
      [measured(), 'light'],
    ] as const) {
      const page = await context.newPage();
      await page.emulateMedia({ colorScheme });
      await page.setContent(content);
      await page.evaluate(source);
      const violations = await page.evaluate(
        "axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html.slice(0, 200)).join(' ')))",
      );
      expect(violations).toEqual([]);
      await page.close();
    }
    await context.close();
  });
});

test('the report of measurements has verdicts and evidence in the same manner', async () => {
  await expect(measured()).toMatchFileSnapshot('../../fixtures/report/measure.html');
});

function measured(): string {
  const [session] = sampleReport().sessions.values();
  const { expression } = parse(
    "MATCH (name = 'perturb.injected') AS gust, (name = 'crash') AS crash WHEN gust -> crash",
  );
  if (session === undefined || expression === undefined) throw new Error('no sample');
  const evaluation = evaluate(session, expression, { evidence: 1 });
  const [first] = evaluation.evidence;
  const picture = first && spaceTime(session, first);
  return measureReport({
    objective: 'hold position',
    sessions: [
      {
        name: 'flight 7',
        measurements: [
          { name: 'no crash', shouldPass: false, evaluation, ...(picture && { picture }) },
          { name: 'on a server', shouldPass: false, evaluation },
          { name: 'crash <sometime>', shouldPass: true, evaluation },
        ],
      },
      { name: 'flight 8', measurements: [], unread: ['flight8.jsonl:2: not <JSON>'] },
    ],
  });
}
