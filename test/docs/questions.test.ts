import { createReadStream } from 'node:fs';
import { expect, test } from 'vitest';
import { chooseOrder, evaluate, orderFor } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { readSession, type Session } from '../../src/session/index.js';
import { blocksOf, documents } from './documents.js';

/*
 * Each expression of docs/questions.md holds for the good session of examples/questions, and says
 * something about it; for the bad session it does not hold.
 */

const text = documents.find(({ path }) => path === 'docs/questions.md')?.text ?? '';
const [good, bad] = (await Promise.all(['good', 'bad'].map(read))) as [Session, Session];

async function read(name: string): Promise<Session> {
  const path = `examples/questions/${name}.session.jsonl`;
  const { session, problems } = await readSession(createReadStream(path));
  if (session === undefined || problems.length > 0) throw new Error(`${path} is broken`);
  return session;
}

/** What stands below a question, which begins with its number. */
const sections = text.split(/^(?=\*\*\d+\. |## )/m).flatMap((section) => {
  const [, number, asks = ''] = /^\*\*(\d+)\. (.*?)\*\*/s.exec(section) ?? [];
  return number === undefined ? [] : [{ number: Number(number), asks, section }];
});

test('the page answers 29 questions, numbered in their order', () => {
  const numbers = sections.map(({ number }) => number);
  expect(numbers).toEqual(Array.from({ length: 29 }, (_, at) => at + 1));
});

test.each(sections)('question $number: $asks', ({ section }) => {
  const answers = blocksOf(section).map(({ language, body }) => {
    expect(language).toBe('trace');
    const expression = parse(body).expression as Expression;
    const [ofGood, ofBad] = [good, bad].map((session) =>
      evaluate(session, expression, { baseline: [good] }),
    );
    return [body, ofGood?.status, ofGood?.vacuous, ofBad?.status];
  });
  expect(answers).toEqual(answers.map(([body]) => [body, 'holds', false, 'fails']));
  expect(answers.length).toBeGreaterThan(0);
});

test.each(['auto', 'causal', 'time'] as const)(
  'a commit without its preparation before it fails question 6 by the order %s',
  (order) => {
    const { section = '' } = sections.find(({ number }) => number === 6) ?? {};
    const expression = parse(blocksOf(section)[0]?.body ?? '').expression as Expression;
    const [ofGood, ofBad] = [good, bad].map((session) => {
      const choice = orderFor(chooseOrder([session], { order }), [session], expression);
      const { status, measures } = evaluate(session, expression, { order: choice });
      return [status, measures[0]?.left];
    });
    expect([ofGood, ofBad]).toEqual([
      ['holds', '0'],
      ['fails', '1'],
    ]);
  },
);
