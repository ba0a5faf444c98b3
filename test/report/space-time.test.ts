import { expect, test } from 'vitest';
import { spaceTime } from '../../src/report/space-time.js';
import { pictureOf } from '../../src/results/index.js';
import { SessionBuilder } from '../../src/session/index.js';

/* Space-time diagrams: lanes, bars of mutations, and the axis of time. */

const SECOND = 1_000_000_000n;

/** A session with a mutation in force from 1 s to 62 s, and a failure; times may be left out. */
function session(hasTimes = true) {
  const builder = new SessionBuilder();
  const at = (seconds: number) =>
    hasTimes ? { time: BigInt(seconds * 1_000) * (SECOND / 1_000n) } : {};
  const own = (name: string, seconds: number) =>
    builder.event({
      ...{ probe: 'perturb', name, ...at(seconds) },
      attributes: { 'mutator.name': 'wind' },
    });
  own('perturb.injected', 1);
  const sent = builder.event({ probe: 'ZULU', name: 'GUST', seq: 0, ...at(1.5) });
  const received = builder.event({ probe: 'ALPHA', name: 'CRASH', seq: 0, ...at(1.75) });
  builder.interaction(sent, received);
  own('perturb.reset', 62);
  return builder.build();
}

const binding = { gust: { probe: 'ZULU', seq: 0 }, crash: { probe: 'ALPHA', seq: 0 } };

function drawn(hasTimes = true) {
  const picture = pictureOf(session(hasTimes), { why: 'first', binding });
  if (picture === undefined) throw new Error('there is no picture');
  return { picture, markup: spaceTime(picture).markup };
}

test('a mutation has a lane of its own, with a bar from its injection to its reset, and probes follow by name', () => {
  const { picture, markup } = drawn();
  expect(picture.lanes).toEqual(['wind', 'ALPHA', 'ZULU']);
  expect(picture.bars).toEqual([{ lane: 'wind', from: 0, to: 3 }]);
  expect(picture.events.map(({ title }) => title)).toEqual(['injected', 'GUST', 'CRASH', 'reset']);
  const circles = [...markup.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x));
  const bar = /<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="14"/.exec(markup);
  expect([Number(bar?.[1]), Number(bar?.[1]) + Number(bar?.[2])]).toEqual([circles[0], circles[3]]);
});

test('events lie along an axis of time, which is broken where nothing happens', () => {
  const { markup } = drawn();
  const texts = [...markup.matchAll(/<text[^>]*>([^<]+)<\/text>/g)].map(([, text]) => text);
  expect(texts.filter((text) => /^(?:0$|\+)/.test(text ?? ''))).toEqual([
    '0',
    '+500ms',
    '+1min 1s',
  ]);
  // Twice the time is twice the way, and a minute is no longer than the longest step.
  const [x0, x1, x2, x3] = [...markup.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x));
  expect(Number(x1) - Number(x0)).toBe(2 * (Number(x2) - Number(x1)));
  expect(Number(x3) - Number(x2)).toBe(170);
  expect(markup.match(/stroke="#57606a" stroke-width="1.5"/g)).toHaveLength(1);
});

test('without times, events lie in their order and there is no axis', () => {
  const { markup } = drawn(false);
  expect(markup).not.toContain('>+');
  expect(markup.match(/<circle/g)).toHaveLength(4);
});

test('a mutation that was not reset is in force to the end', () => {
  const builder = new SessionBuilder();
  builder.event({
    ...{ probe: 'perturb', name: 'perturb.injected', time: SECOND },
    attributes: { 'mutator.name': 'wind' },
  });
  builder.event({ probe: 'A', name: 'CRASH', seq: 0, time: 2n * SECOND });
  const crash = { crash: { probe: 'A', seq: 0 } };
  const picture = pictureOf(builder.build(), { why: 'first', binding: crash });
  expect(picture?.bars).toEqual([{ lane: 'wind', from: 0, to: undefined }]);
});
