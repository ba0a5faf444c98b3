import { expect, test } from 'vitest';
import { DivergenceSearch } from '../../src/explain/index.js';
import { type Session, SessionBuilder } from '../../src/session/index.js';

/** A session of events as `probe.name`, of which `name<n` receives the message of event n. */
function sessionOf(...words: readonly string[]): Session {
  const builder = new SessionBuilder();
  const numbers: number[] = [];
  for (const [n, word] of words.entries()) {
    const [, probe = '', name = '', from] = /^(\w+)\.(\w+)(?:<(\d+))?$/.exec(word) ?? [];
    numbers.push(builder.event({ probe, name, time: BigInt(n) * 1_000_000n }));
    if (from !== undefined)
      builder.interaction(numbers[Number(from)] as number, numbers[n] as number);
  }
  return builder.build();
}

function firstOf(failing: Session, passing: Session, ...others: readonly Session[]) {
  const search = new DivergenceSearch(failing, passing);
  for (const one of others) search.add(one);
  const found = search.first();
  if (found === undefined) return undefined;
  const nameOf = (session: Session, event: number | undefined) =>
    event === undefined
      ? undefined
      : session.texts[session.columns.get('name')?.numbers[event] ?? -1];
  return {
    probe: failing.probes[failing.timelines.probe[found.failingLine] as number],
    common: found.common,
    failing: nameOf(failing, found.failing),
    passing: nameOf(passing, found.passing),
    shared: `${found.shared} of ${found.others}`,
  };
}

test('the first difference is the event after the common ones', () => {
  const [good, bad] = [sessionOf('P.a', 'P.b', 'P.c'), sessionOf('P.a', 'P.x', 'P.c')];
  expect(firstOf(bad, good)).toEqual({
    ...{ probe: 'P', common: 1, failing: 'x', passing: 'b', shared: '0 of 0' },
  });
});

test('equal sessions do not diverge, and Perturb’s own events do not count', () => {
  const good = sessionOf('perturb.injected', 'P.a', 'P.b');
  expect(firstOf(sessionOf('P.a', 'P.b'), good)).toBeUndefined();
});

test('a timeline that ends early diverges there', () => {
  const found = firstOf(sessionOf('P.a'), sessionOf('P.a', 'P.b'));
  expect(found).toMatchObject({ common: 1, failing: undefined, passing: 'b' });
});

test('a difference that follows from another one is not the first, whatever the clocks say', () => {
  // P differs, and its message makes Q differ; the clock of Q is earlier.
  const bad = sessionOf('Q.start', 'P.a', 'P.x', 'P.send', 'Q.get<3', 'Q.y');
  const good = sessionOf('Q.start', 'P.a', 'P.b', 'P.send', 'Q.get<3', 'Q.z');
  expect(firstOf(bad, good)).toMatchObject({ probe: 'P', failing: 'x', passing: 'b' });
});

test('an event that hears from another one is another event', () => {
  const bad = sessionOf('P.a', 'R.a', 'Q.get<1');
  const good = sessionOf('P.a', 'R.a', 'Q.get<0');
  expect(firstOf(bad, good)).toMatchObject({ probe: 'Q', common: 0 });
});

test('of differences that nothing orders, one that no other passing session has comes first', () => {
  const bad = sessionOf('P.x', 'Q.y');
  const good = sessionOf('P.a', 'Q.b');
  const noisy = sessionOf('P.x', 'Q.b');
  expect(firstOf(bad, good, noisy)).toMatchObject({ probe: 'Q', shared: '0 of 1' });
  expect(firstOf(bad, good, noisy, bad)).toMatchObject({ probe: 'Q', shared: '1 of 2' });
});
