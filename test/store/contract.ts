import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Candidate,
  type Migration,
  type ObjectiveStore,
  type OpenOptions,
  openStore,
  readStoreUrl,
} from '../../src/store/index.js';
import { migrations } from '../../src/store/migrations.js';
import { candidate } from './candidates.js';
import type { TestDatabase } from './databases.js';

const AT = new Date('2026-01-02T03:04:05.678Z');

const extra: Migration = {
  name: 'extra',
  up: async (db) => {
    await sql`alter table perturb_revisions add column note text`.execute(db);
  },
};

/** What every store does, whatever its database. */
export function describeStore({ name, fresh }: TestDatabase): void {
  const open = async (url: string, options: OpenOptions = {}): Promise<ObjectiveStore> => {
    const location = readStoreUrl(url, { base: '/', cwd: '/' });
    const store = await openStore(location, { whenMissing: 'create', now: () => AT, ...options });
    onTestFinished(() => store.close());
    return store;
  };

  describe(`a store on ${name}`, () => {
    test('keeps what it is given, byte for byte', async () => {
      const store = await open(await fresh());
      const wind = candidate('Wind 🌬');
      const [registered] = await store.register([wind]);
      const sha256 = createHash('sha256').update(wind.canonical).digest('hex');
      expect(registered).toEqual({
        refused: false,
        outcome: 'created',
        name: 'Wind 🌬',
        revision: 1,
        id: expect.stringMatching(/^019b7ca9-8f2e-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        sha256,
      });
      const { summary: _, original, ...rest } = wind;
      expect(await store.find('Wind 🌬')).toEqual({
        ...rest,
        original: new Uint8Array(original),
        id: registered?.id,
        revision: 1,
        revisions: 1,
        sha256,
        createdAt: AT,
      });
    });

    test('leaves out what is not known of a revision', async () => {
      const store = await open(await fresh());
      await store.register([{ ...candidate('Wind'), origin: { rules: '1' } }]);
      const found = await store.find('Wind');
      expect(found?.origin).toEqual({ rules: '1' });
      expect(found).not.toHaveProperty('deletedAt');
    });

    test('knows an objective by its name', async () => {
      const store = await open(await fresh());
      const outcomes = async (attempts: number, update = false) =>
        (await store.register([candidate('Wind', attempts)], { update })).map(
          ({ outcome, revision }) => `${outcome} ${revision}`,
        );
      expect(await outcomes(1)).toEqual(['created 1']);
      expect(await outcomes(1)).toEqual(['unchanged 1']);
      expect(await outcomes(2)).toEqual(['differs 1']);
      expect(await outcomes(2, true)).toEqual(['updated 2']);
      expect(await outcomes(2, true)).toEqual(['unchanged 2']);
      expect(await outcomes(1, true)).toEqual(['updated 3']);
      const revisions = [1, 2, 3, 4].map((revision) => store.find('Wind', revision));
      expect((await Promise.all(revisions)).map((found) => found?.canonical)).toEqual([
        candidate('Wind', 1).canonical,
        candidate('Wind', 2).canonical,
        candidate('Wind', 1).canonical,
        undefined,
      ]);
    });

    test('tells what was there before', async () => {
      const store = await open(await fresh());
      await store.register([candidate('Wind', 1)]);
      const [refused] = await store.register([candidate('Wind', 2)]);
      expect(refused?.previous).toBe(candidate('Wind', 1).canonical);
    });

    test('finds the known ones among many', async () => {
      const store = await open(await fresh());
      const many = Array.from({ length: 120 }, (_, index) => candidate(`Wind ${index}`));
      await store.register([many[0], many[60], many[119]] as readonly Candidate[]);
      const registered = await store.register(many);
      const unchanged = registered.filter(({ outcome }) => outcome === 'unchanged');
      expect(unchanged.map(({ name }) => name)).toEqual(['Wind 0', 'Wind 60', 'Wind 119']);
      expect(registered.map(({ name }) => name)).toEqual(many.map(({ name }) => name));
      expect((await store.names()).length).toBe(120);
      const found = await store.find('Wind 119');
      expect(found?.canonical).toBe(candidate('Wind 119').canonical);
    });

    test('registers all or none', async () => {
      const store = await open(await fresh());
      await store.register([candidate('Wind')]);
      const all = [candidate('Rain'), candidate('Wind', 2), candidate('Snow')];
      const outcomes = (await store.register(all)).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['created', 'differs', 'created']);
      expect(await store.names()).toEqual(['Wind']);
      await store.register(all, { update: true });
      expect(await store.names()).toEqual(['Rain', 'Snow', 'Wind']);
    });

    test('stores nothing in a dry run', async () => {
      const store = await open(await fresh());
      const [registered] = await store.register([candidate('Wind')], { dryRun: true });
      expect(registered?.outcome).toBe('created');
      expect(await store.find('Wind')).toBeUndefined();
    });

    test('lists the newest revisions by name', async () => {
      const store = await open(await fresh());
      expect(await store.list()).toEqual([]);
      await store.register([candidate('b'), candidate('B'), candidate('é'), candidate('a')]);
      await store.register([candidate('b', 7)], { update: true });
      const listed = await store.list();
      expect(listed.map(({ name, revision }) => `${name}@${revision}`)).toEqual([
        'B@1',
        'a@1',
        'b@2',
        'é@1',
      ]);
      expect(listed[2]).toMatchObject({
        measurements: 1,
        mutators: 2,
        stop: '{"attempts":7}',
        createdAt: AT,
      });
    });

    test('keeps the revisions of a deleted objective', async () => {
      const store = await open(await fresh());
      await store.register([candidate('Wind')]);
      await store.register([candidate('Wind', 2)], { update: true });
      expect(await store.delete('Wind')).toBe(true);
      expect(await store.delete('Wind')).toBe(false);
      expect(await store.delete('Rain')).toBe(false);
      expect(await store.list()).toEqual([]);
      expect(await store.names()).toEqual([]);
      expect((await store.find('Wind', 1))?.deletedAt).toEqual(AT);
      expect(await store.restore('Wind')).toBe(true);
      expect(await store.restore('Wind')).toBe(false);
      expect((await store.list()).map(({ revision }) => revision)).toEqual([2]);
    });

    test('gives the name of a deleted objective only to an update', async () => {
      const store = await open(await fresh());
      await store.register([candidate('Wind')]);
      await store.delete('Wind');
      const outcome = async (attempts: number, update: boolean) =>
        (await store.register([candidate('Wind', attempts)], { update }))[0]?.outcome;
      expect(await outcome(1, false)).toBe('deleted');
      expect(await outcome(1, true)).toBe('restored');
      await store.delete('Wind');
      expect(await outcome(2, true)).toBe('updated');
      expect((await store.list()).map(({ revision }) => revision)).toEqual([2]);
    });

    test('purges for good', async () => {
      const store = await open(await fresh());
      await store.register([candidate('Wind'), candidate('Rain')]);
      expect(await store.purge('Wind')).toBe(true);
      expect(await store.purge('Wind')).toBe(false);
      expect(await store.find('Wind', 1)).toBeUndefined();
      expect(await store.names()).toEqual(['Rain']);
      expect((await store.register([candidate('Wind')]))[0]?.revision).toBe(1);
    });

    test('is there for the next one who opens it', async () => {
      const url = await fresh();
      await (await open(url)).register([candidate('Wind')]);
      expect(await (await open(url)).names()).toEqual(['Wind']);
    });

    test('is migrated forward, and refused by an older program', async () => {
      const url = await fresh();
      await (await open(url)).register([candidate('Wind')]);
      const newer = await open(url, { migrations: [...migrations, extra] });
      expect((await newer.find('Wind'))?.canonical).toBe(candidate('Wind').canonical);
      await expect(open(url)).rejects.toMatchObject({
        code: 'newer',
        message: expect.stringMatching(
          /was written by a newer Perturb \(schema 3; this one supports up to 2\): update Perturb$/,
        ),
      });
    });

    test('stays as it was when a migration fails', async () => {
      const url = await fresh();
      await (await open(url)).register([candidate('Wind')]);
      const up = async () => {
        throw new Error('no');
      };
      const failing = { migrations: [...migrations, extra, { name: 'failing', up }] };
      await expect(open(url, failing)).rejects.toThrow('no');
      expect(await (await open(url)).names()).toEqual(['Wind']);
    });
  });
}
