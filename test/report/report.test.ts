import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { parse } from '../../src/expression/index.js';
import { renderMeasurementReport, renderRunReport } from '../../src/report/index.js';
import { measurementDocument, pictureOf, runReportDocument } from '../../src/results/index.js';
import { isLong } from '../long.js';
import { serveHttp } from '../mutators/client/servers.js';
import { LARGE_PAIRS, largeReport, sampleReport } from './sample.js';

/** Measurements that do not hold, beside those of a binding. */
const MORE = {
  'a mean': 'MATCH (height > 0) AS high AGGREGATE mean(high.height - 0.5) < 1',
  'each event':
    "MATCH (probe = 'SIMULATOR') AS event, (name = 'crash') AS crash WHEN event -> crash AGGREGATE count() >= 1 BY event",
  'no crash after drift':
    "MATCH (name = 'drift') AS drift, NOT (name = 'crash') AS crash WHEN drift -> crash",
};

const html = renderRunReport(runReportDocument(sampleReport()));
/** 500 attempts, six parameters, three causes. */
const large = renderRunReport(runReportDocument(largeReport()));

test('shows every part, and looks as before', async () => {
  await expect(html).toMatchFileSnapshot('../../fixtures/report/run.html');
});

test.each([
  ['of a run', html],
  ['of a large run', large],
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

test('failures come first, each with the command that repeats it', () => {
  const first = /<section id="([^"]+)"/.exec(large)?.[1];
  expect(first).toBe('failures');
  const [failures = ''] = large.split('</section>');
  const commands = failures
    .replace(/<\/?span[^>]*>/g, '')
    .matchAll(/<code>(perturb runs replay[^<]+)<\/code>/g);
  const repeated = [...commands].map(([, command]) => command);
  // Of each of the three causes every attempt, and its smallest set.
  expect(repeated).toHaveLength(57 + 66 + 59 + 3);
  expect(repeated[0]).toBe('perturb runs replay &#39;runs/large and long&#39; --attempt 1');
  expect(failures).toContain(
    '<p>Failures: no crash, 4 of 5 times, 80 % (37.6 to 96.4 %); before, 5 of 5 times, 100 % (56.6 to 100 %).</p>',
  );
  expect(failures).toContain('Failed in 57 of 500 attempts, 11.4 % (8.9 to 14.5 %)');
  expect(failures.match(/<h3>[^<]+/g)).toHaveLength(3);
});

test('the rates of a measurement leave out what only shrank another failure', () => {
  const rates = [...large.matchAll(/aria-label="([^"]+): the failure rate[^;]+; ([^"]+)"/g)];
  expect(rates.map(([, name, counts]) => [name, counts])).toEqual([
    ['no crash', '57 of 500 attempts failed'],
    ['lands in time', '66 of 500 attempts failed'],
    [LARGE_PAIRS[2]?.name, '59 of 500 attempts failed'],
  ]);
  expect(large).toContain('57 of 500 failed, 11.4 % (8.9 to 14.5 %)');
  expect(large).toContain('<td>50 of 127</td><td>39.4 % (31.3 to 48.1 %)</td>');
});

test('the rates of a single cause by many parameters stand side by side', () => {
  const document = runReportDocument(largeReport());
  const { causes } = document;
  const single = renderRunReport({ ...document, causes: causes.slice(0, 1) });
  const charts = [
    ...single.matchAll(/aria-label="no crash: the failure rate by region of ([^;]+);/g),
  ];
  expect(charts.map(([, subject]) => subject)).toEqual([
    'wind speed, link delay of the telemetry that the autopilot receives',
    'battery sag, sensor bias',
    'clock skew, mode of the motors when the voltage is low',
  ]);
  expect(single).toContain('<figure class="spread">');
  expect(large).not.toContain('<figure class="spread">');
});

test('the pair of parameters that explains most failures of a measurement is shown', () => {
  for (const { name, pair } of LARGE_PAIRS) {
    const [x, y] = pair;
    expect(large).toMatch(new RegExp(`<figcaption>${name}: ${y}(?:,.[^ ]+)? against ${x}[,.]`));
  }
});

test('two parameters span a heat map with a legend, its worst cell in words, and a table of the cells', () => {
  const [failures = ''] = large.split('</section>');
  const [first = ''] = failures.split('</figure>');
  expect(/<svg[^>]* aria-label="([^"]+)"/.exec(first)?.[1]).toBe(
    'no crash: link delay of the telemetry that the autopilot receives,\u00a0ms against wind speed,\u00a0m/s: 560 attempts, 117 of them failed; the worst failure rate in a cell, 5 of 5 failed, is at wind speed,\u00a0m/s: 75 to 83.33; link delay of the telemetry that the autopilot receives,\u00a0ms: 91.67 to 100',
  );
  const texts = [...first.matchAll(/<text[^>]*>([^<]+)<\/text>/g)].map(([, text]) => text);
  expect(texts.slice(-6)).toEqual([
    'failure rate in a cell',
    '0 %',
    '≤ 25 %',
    '≤ 50 %',
    '≤ 75 %',
    '≤ 100 %',
  ]);
  const colours = [...first.matchAll(/<rect [^>]*fill="([^"]+)" stroke="#ffffff"/g)];
  expect(colours).toHaveLength(144);
  const [, table] = first.split('<summary>The cells</summary>');
  expect(table?.match(/<tr>/g)).toHaveLength(1 + 144);
});

test('evidence has the time of each event, its trace, and what the expression mentions', () => {
  const facts = [...html.matchAll(/<div>((?:time|trace|span|height|mutator|wing)[^<]*)<\/div>/g)];
  expect(facts.map(([, fact]) => fact)).toEqual([
    'mutator.name: wind',
    'time: 2026-03-02T09:30:00.000250Z',
    'trace.id: 4bf92f3577b34da6',
    'span.id: 00f067aa',
    'height: 1.5',
  ]);
});

/** The browser that is named, or one that is there; without, these are counted as skipped. */
const BROWSER = [process.env['PERTURB_TEST_CHROMIUM'], '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
);

const OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true";

/** How many pictures there are, and which of their texts are shortened, or lie over one another. */
const TEXTS = `(() => {
  const pictures = [...document.querySelectorAll('svg')];
  const all = pictures.flatMap((picture) => {
    const texts = [...picture.querySelectorAll('text')];
    return texts.map((one) => ({ picture, text: one.textContent, box: one.getBoundingClientRect() }));
  });
  const isOver = (a, b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
  return {
    pictures: pictures.length,
    shortened: all.filter(({ text }) => text.includes('…')).map(({ text }) => text),
    overlapping: all.flatMap((a, at) =>
      all
        .slice(at + 1)
        .filter((b) => a.picture === b.picture && isOver(a.box, b.box))
        .map((b) => a.text + ' / ' + b.text),
    ),
  };
})()`;

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
      'Failures',
      'Evidence',
      'The run',
      'Measurements',
      'Failure rates',
      'Attempts',
    ]);
    const links = await page.locator('nav a').all();
    expect(links).toHaveLength(headings.length);
    for (const link of links) {
      const target = String(await link.getAttribute('href'));
      expect(await page.locator(`section${target} > h2`).innerText()).toBe(await link.innerText());
    }
    for (const picture of await page.locator('svg').all()) {
      const box = await picture.boundingBox();
      expect(box?.width).toBeGreaterThan(200);
      expect(box?.height).toBeGreaterThan(40);
    }
    expect(await page.locator('svg').count()).toBe(4);
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(50);
    const passed = page.locator('#attempt-1');
    expect(await passed.isVisible()).toBe(false);
    await page.locator('summary', { hasText: '39 passed' }).click();
    expect(await passed.isVisible()).toBe(true);
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
      // What has many events keeps its size, and can be scrolled.
      const scaled = await page.evaluate(
        "[...document.querySelectorAll('.wide svg')].map((one) => one.getBoundingClientRect().width / Number(one.getAttribute('width')))",
      );
      expect(scaled).toEqual([1]);
      await page.close();
    },
  );

  test.each([
    ['light', 1_280, 'screen'],
    ['dark', 1_280, 'screen'],
    ['light', 375, 'screen'],
    ['dark', 375, 'screen'],
    ['light', 718, 'print'],
  ] as const)(
    'a large run in the %s at a width of %d on %s: in bounds, and no text over another',
    async (colorScheme, width, media) => {
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
      await page.emulateMedia({ media });
      await page.setContent(large);
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      if (width === 1_280) expect(height).toBeLessThanOrEqual(6_000);
      await page.evaluate(OPEN_ALL);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const { pictures, shortened, overlapping } = (await page.evaluate(TEXTS)) as {
        pictures: number;
        shortened: string[];
        overlapping: string[];
      };
      expect({ pictures, shortened, overlapping }).toEqual({
        pictures: 7,
        shortened: [],
        overlapping: [],
      });
      await page.close();
    },
  );

  test('axe-core finds nothing', async () => {
    const source = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
    const context = await browser.newContext({ bypassCSP: true });
    for (const [content, colorScheme] of [
      [html, 'light'],
      [html, 'dark'],
      [large, 'light'],
      // Its colours are those of the small one.
      ...(isLong ? [[large, 'dark'] as const] : []),
      [measured(), 'light'],
    ] as const) {
      const page = await context.newPage();
      await page.emulateMedia({ colorScheme });
      await page.setContent(content);
      // The many rows of the large one take axe too long.
      if (content !== large) await page.evaluate(OPEN_ALL);
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

test('the report of measurements has the worst groups, each piece of evidence, and what absences were tested on', () => {
  const html = measured();
  const captions = [...html.matchAll(/<caption>([^<]+)<\/caption>/g)].map(([, text]) => text);
  for (const caption of [
    'A binding',
    'The largest in mean(high.height - 0.5)',
    'The worst groups',
    'In the worst group',
    'The unexpected event',
  ]) {
    expect(captions).toContain(caption);
  }
  for (const text of [
    '<p>high.height - 0.5 = 1</p>',
    '<div>satisfied by 2 of 3 groups, not by 1</div>',
    '<div>the absence of crash was tested on 1 choice of drift</div>',
    '<th scope="row" align="left">NOT crash</th>',
    '<div>count() &gt;= 1: 0</div>',
  ]) {
    expect(html).toContain(text);
  }
});

test('the report of measurements says what matched nothing, in each session and in all', () => {
  const evaluation = evaluated("MATCH (name = 'crsh') AS crash AGGREGATE count() = 0");
  const asked = new Map([['crash', ['crsh']]]);
  const measurements = [{ name: 'no crash', shouldPass: true, evaluation, asked }];
  const sessions = ['one', 'other'].map((name) => ({
    ...{ name, measurements, names: new Set(['crash']) },
  }));
  const shown = renderMeasurementReport(
    measurementDocument({ objective: 'hold position', sessions, findings: new Map() }),
  );
  const line = 'no event matched `crsh`; did you mean `crash`?';
  expect(shown.split(`<strong>vacuous: ${line}</strong>`)).toHaveLength(3);
  expect(shown).toContain(
    '<p>no crash is vacuous: no event matched `crsh` in any of 2 sessions; did you mean `crash`?</p>',
  );
});

function evaluated(text: string) {
  const [session] = sampleReport().sessions.values();
  const { expression } = parse(text);
  if (session === undefined || expression === undefined) throw new Error('no sample');
  return evaluate(session, expression, { evidence: 1 });
}

function measured(): string {
  const [session] = sampleReport().sessions.values();
  const evaluation = evaluated(
    "MATCH (name = 'perturb.injected') AS gust, (name = 'crash') AS crash WHEN gust -> crash",
  );
  const [first] = evaluation.evidence;
  const picture = session && first && pictureOf(session, first);
  const result = {
    objective: 'hold position',
    sessions: [
      {
        name: 'flight 7',
        measurements: [
          { name: 'no crash', shouldPass: false, evaluation, ...(picture && { picture }) },
          { name: 'on a server', shouldPass: false, evaluation },
          { name: 'crash <sometime>', shouldPass: true, evaluation },
          ...Object.entries(MORE).map(([name, text]) => {
            return { name, shouldPass: true, evaluation: evaluated(text) };
          }),
        ],
      },
      { name: 'flight 8', measurements: [], unread: ['flight8.jsonl:2: not <JSON>'] },
    ],
    findings: new Map(),
  };
  return renderMeasurementReport(measurementDocument(result));
}
