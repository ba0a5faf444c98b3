import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { questions } from '../../bench/peers/count-answers.js';
import { textOf } from '../../bench/peers/plain-sessions.js';
import { evaluate } from '../../src/evaluation/index.js';
import { check } from '../../src/expression/index.js';
import { readSession, type Session } from '../../src/session/index.js';
import { CAUSAL } from './causal.js';

/*
 * Recorded sessions of examples/, asked with the whole language: what the engine answers is what a
 * plain script counts that shares no code with it.
 */

async function read(name: string): Promise<Session> {
  const { session, problems } = await readSession(Readable.from([Buffer.from(textOf(name))]));
  expect(problems).toEqual([]);
  return session as Session;
}

const names = [...new Set(questions.map(({ session }) => session))];
const sessions = new Map(
  await Promise.all(names.map(async (name) => [name, await read(name)] as const)),
);

test.each(questions)('$session: $asks', ({ session, expression: text, holds, count }) => {
  const { expression, findings } = check(text, { role: 'check' });
  expect(findings.map(({ message }) => message)).toEqual([]);
  if (expression === undefined) throw new Error(`not read: ${text}`);
  const recorded = sessions.get(session) as Session;
  const { status, bindings, measures, groups } = evaluate(recorded, expression, {
    ...{ count: true, order: CAUSAL },
  });
  const counted = count();
  expect({
    status,
    bindings,
    ...(counted.left && { left: measures.map(({ left }) => left) }),
    ...(groups && { groups: [groups.all, groups.hold] }),
    ...(groups?.cutOff !== undefined && { cutOff: groups.cutOff }),
  }).toEqual({
    ...counted,
    status: holds ? 'holds' : 'fails',
    bindings: String(counted.bindings),
    ...(counted.left && { left: counted.left.map(String) }),
  });
});
