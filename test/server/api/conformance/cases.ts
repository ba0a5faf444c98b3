import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';

/** What is known of a server to examine. */
export interface Target {
  /** A key that it accepts, when it requires one. */
  readonly key?: string;
  /** A mutator whose injections fail, when there is one. */
  readonly failing?: string;
}

interface Listed {
  readonly mutator_correlation_id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

type Headers = Readonly<Record<string, string>>;

const UNKNOWN = 'no-mutator-has-this-id';

/**
 * Declares a test for each row of the status tables in the requirements,
 * sections 4, 5 and 7, that concerns such a server.
 *
 * @param urlOf where the API is, with its base path; asked once the tests begin
 */
export function examine(target: Target, urlOf: () => string): void {
  let url: string;
  let listed: readonly Listed[];

  const keyed = (): Headers => (target.key === undefined ? {} : { mutator_apikey: target.key });
  const ask = (method: string, path: string, headers: Headers, body?: object) =>
    fetch(url + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const list = (headers = keyed()) => ask('GET', '/mutator', headers);
  const create = (id: string, headers = keyed()) =>
    ask('POST', mutations(id), headers, { mutation: randomUUID(), params: paramsFor(id) });
  const reset = (id: string, headers = keyed()) => ask('DELETE', mutations(id), headers);

  /** Values that a mutator takes, as far as its descriptor tells. */
  function paramsFor(id: string): object {
    const attributes = listed.find((one) => one.mutator_correlation_id === id)?.attributes ?? {};
    const keys = Object.keys(attributes).flatMap(
      (key) => /^mutator\.params\.([^.]+)\.value_type$/.exec(key)?.[1] ?? [],
    );
    return Object.fromEntries(keys.map((key) => [key, valueFor(key, attributes)]));
  }

  beforeAll(async () => {
    url = urlOf();
    listed = (await (await list()).json()) as Listed[];
    expect(listed.length, 'the server has no mutator to examine').toBeGreaterThan(0);
  });
  const usable = () => {
    const ids = listed.map((one) => one.mutator_correlation_id);
    return ids.find((id) => id !== target.failing) as string;
  };

  describe('GET /mutator', () => {
    test('200: mutators listed, a JSON array', async () => {
      const response = await list();
      expect(response.status).toBe(200);
      for (const mutator of (await response.json()) as Listed[]) {
        expect(mutator.mutator_correlation_id).toBeTypeOf('string');
        expect(mutator.attributes).toBeTypeOf('object');
        expect(Array.isArray(mutator.attributes)).toBe(false);
      }
    });
    refusesWithoutKey(list);
  });

  describe('POST /mutator/{mutator_correlation_id}/mutation', () => {
    test('201: mutation created', async () => {
      await expectEmpty(await create(usable()), 201);
      await expectEmpty(await reset(usable()), 200);
    });
    refusesWithoutKey((headers) => create(usable(), headers));
    test('404: target mutator not found', async () => {
      await expectEmpty(await create(UNKNOWN), 404);
    });
    const { failing } = target;
    if (failing !== undefined) {
      test('500: internal mutator error', async () => {
        await expectEmpty(await create(failing), 500);
      });
    }
  });

  describe('DELETE /mutator/{mutator_correlation_id}/mutation', () => {
    test('200: mutations reset, after one and after none', async () => {
      await expectEmpty(await create(usable()), 201);
      await expectEmpty(await reset(usable()), 200);
      await expectEmpty(await reset(usable()), 200);
    });
    test('200: for every mutator of the list, by its percent-encoded id', async () => {
      for (const { mutator_correlation_id: id } of listed) await expectEmpty(await reset(id), 200);
    });
    refusesWithoutKey((headers) => reset(usable(), headers));
    test('404: target mutator not found', async () => {
      await expectEmpty(await reset(UNKNOWN), 404);
    });
  });

  function refusesWithoutKey(request: (headers?: Headers) => Promise<Response>): void {
    if (target.key === undefined) return;
    test('400: missing mutator_apikey request header', async () => {
      await expectEmpty(await request({}), 400);
    });
    test('401: unauthorized', async () => {
      await expectEmpty(await request({ mutator_apikey: `not-${target.key}` }), 401);
    });
  }
}

function mutations(id: string): string {
  return `/mutator/${encodeURIComponent(id)}/mutation`;
}

async function expectEmpty(response: Response, status: number): Promise<void> {
  expect({ status: response.status, body: await response.text() }).toEqual({ status, body: '' });
}

function valueFor(key: string, attributes: Readonly<Record<string, unknown>>): unknown {
  const of = (what: string) => attributes[`mutator.params.${key}.${what}`];
  const option = Object.keys(attributes).find((name) =>
    name.startsWith(`mutator.params.${key}.option_set.`),
  );
  const given =
    of('least_effect_value') ??
    of('default_value') ??
    (option === undefined ? undefined : attributes[option]) ??
    of('value_min') ??
    of('value_max');
  if (given !== undefined) return given;
  switch (of('value_type')) {
    case 'String':
      return '';
    case 'Bool':
      return false;
    default:
      return 0;
  }
}
