import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasShape, isToken, newToken } from '../../src/ready-made/shared/state-file.js';

test('a token is 24 hexadecimal digits, and each is another one', () => {
  const tokens = Array.from({ length: 100 }, newToken);
  expect([tokens.every(isToken), new Set(tokens).size]).toEqual([true, 100]);
  for (const value of [
    '',
    'x'.repeat(24),
    '0'.repeat(23),
    '0'.repeat(25),
    `${'0'.repeat(24)}\n`,
    0,
  ]) {
    expect([value, isToken(value)]).toEqual([value, false]);
  }
});

test('a state has the keys of its shape, each as it must be, and no others', () => {
  const shape = { token: isToken, size: Number.isInteger };
  const state = { token: newToken(), size: 1 };
  expect(hasShape(state, shape)).toBe(true);
  for (const other of [
    { ...state, path: '/etc' },
    { ...state, size: 1.5 },
    { token: state.token },
    JSON.parse(`{"token":"${state.token}","size":1,"__proto__":{}}`),
    [state],
    null,
    'state',
  ]) {
    expect([other, hasShape(other, shape)]).toEqual([other, false]);
  }
});

test('only an object with the keys of a shape fits it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      if (hasShape(value, { id: (id) => id !== undefined }))
        expect(Object.keys(value as object)).toEqual(['id']);
    }),
  );
});
