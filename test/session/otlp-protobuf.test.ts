import { readFileSync } from 'node:fs';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { otlpToJson } from '../../src/session/importers/otlp-protobuf.js';
import { importOtlp, writeNeutral } from '../../src/session/index.js';
import { writeJson } from '../../src/values/index.js';

/* What the OpenTelemetry SDK for JavaScript sent for two spans and a log record. */
const traces = readFileSync('fixtures/otlp/traces.pb');
const logs = readFileSync('fixtures/otlp/logs.pb');

test('the requests of an SDK become the events that they tell of', async () => {
  const documents = [otlpToJson('traces', traces), otlpToJson('logs', logs)];
  const { session } = importOtlp(documents);
  await expect([...writeNeutral(session)].join('')).toMatchFileSnapshot(
    '../../fixtures/otlp/session.jsonl',
  );
});

test('a request that ends early, or is none, is refused or has less, and never hangs', () => {
  for (let length = 0; length < traces.length; length += 1) {
    try {
      otlpToJson('traces', traces.subarray(0, length));
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        otlpToJson('logs', bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
  );
});

test('lists in lists are read to a depth, and refused beyond', () => {
  expect(writeJson(otlpToJson('logs', logOf(nested(20))))).toContain('"stringValue":"x"');
  expect(() => otlpToJson('logs', logOf(nested(200)))).toThrow('too deep');
});

test('numbers that JSON has no writing for are texts', () => {
  const number = (value: number) => new BinaryWriter().tag(4, 1).double(value).finish();
  expect(writeJson(otlpToJson('logs', logOf(number(Number.NaN))))).toContain('"doubleValue":"NaN"');
  const least = new BinaryWriter()
    .tag(3, 0)
    .int64(-(2n ** 63n))
    .finish();
  expect(writeJson(otlpToJson('logs', logOf(least)))).toContain(
    '"intValue":"-9223372036854775808"',
  );
});

function wrap(field: number, bytes: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(field, 2).bytes(bytes).finish();
}

/** A text within so many lists. */
function nested(depth: number): Uint8Array {
  let value: Uint8Array = new BinaryWriter().tag(1, 2).string('x').finish();
  for (let at = 0; at < depth; at += 1) value = wrap(5, wrap(1, value));
  return value;
}

/** A request with one log record that has this body. */
function logOf(body: Uint8Array): Uint8Array {
  return wrap(1, wrap(2, wrap(2, wrap(5, body))));
}
