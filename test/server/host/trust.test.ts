import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OriginalStore } from '../../../src/actuators/file/original-store.js';
import { contentDigest, temporaryName } from '../../../src/actuators/file/target-file.js';
import { checksum } from '../../../src/durable/index.js';
import { type HostEvent, inspectState, openHost, StateError } from '../../../src/server/index.js';
import { MUTATION, readManifest, temporaryDirectory, valuesOf } from '../support.js';

const MANIFEST = `[[mutator]]
name = "wind"
[[mutator.param]]
name = "value"
type = "string"
default = "x"
[mutator.actuator]
kind = "file"
path = "wind.conf"
template = "wind = {value}\\n"
[[mutator]]
name = "rain"
[mutator.actuator]
kind = "exec"
inject = ["touch", "rain"]
reset = ["rm", "-f", "rain"]
`;

/** A system that is mutated by a manifest in its directory, and the state of its server. */
function system() {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  writeFileSync(at('wind.conf'), 'as it was\n');
  const events: HostEvent[] = [];
  const open = async (more: { readonly adoptState?: boolean; readonly state?: string } = {}) => {
    const host = await openHost({
      mutators: readManifest(MANIFEST),
      directory,
      stateDirectory: at(more.state ?? 'state'),
      environment: { PATH: process.env['PATH'] },
      events: (event) => void events.push(event),
      ...(more.adoptState !== undefined && { adoptState: more.adoptState }),
    });
    onTestFinished(async () => void (await host.shutdown({ graceMs: 0, timeoutMs: 1_000 })));
    return host;
  };
  /** Leaves the state as a crash does that happens while both are active. */
  const crash = async () => {
    const host = await open();
    for (const id of ['wind', 'rain']) {
      const params = valuesOf(id === 'wind' ? { value: 'x' } : {});
      expect(await host.inject(id, { id: MUTATION, params })).toEqual({ kind: 'injected' });
    }
    cpSync(at('state'), at('saved'), {
      recursive: true,
      filter: (name) => !name.endsWith('.sock'),
    });
    await host.shutdown({ graceMs: 0, timeoutMs: 10_000 });
    // In the same directory, which is what records are bound to.
    cpSync(at('saved'), at('state'), { recursive: true });
    rmSync(at('saved'), { recursive: true });
    writeFileSync(at('wind.conf'), 'wind = x\n');
    writeFileSync(at('rain'), '');
  };
  const read = (name: string) => readFileSync(at(name), 'utf8');
  return { directory, at, open, crash, read, events };
}

/** State that was not made in its directory. */
function foreignState(
  directory: string,
  path: string,
  more: { readonly mode?: number; readonly temporary?: string } = {},
): void {
  const originals = join(directory, 'originals');
  for (const name of [originals, join(directory, 'running')]) {
    mkdirSync(name, { recursive: true, mode: 0o700 });
  }
  chmodSync(directory, 0o700);
  const journal = `perturb-journal 2
b198e3ca {"id":"wind","touched":{"mutation":"3b241101-e2bb-4255-8caf-4136c566a962","since":1795375720182}}
2f5313ab {"id":"rain","touched":{"mutation":"3b241101-e2bb-4255-8caf-4136c566a962","since":1795375720284}}
ed05a3e0 {"records":2}
`;
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  const record = `{
  "path": ${JSON.stringify(path)},
  "original": {
    "mode": ${more.mode ?? 420},
    "owner": {
      "uid": ${uid},
      "gid": ${gid}
    },
    "digest": "${contentDigest(Buffer.from('as it was\n'))}"
  },
  "changes": [
    {
      "mutator": "wind",
      "change": {
        "kind": "text",
        "text": "wind = x\\n"
      }
    }
  ],
  "expected": [
    "${contentDigest(Buffer.from('as it was\n'))}",
    "${contentDigest(Buffer.from('wind = x\n'))}"
  ],
  "inPlace": false,
  "temporary": ${JSON.stringify(more.temporary ?? temporaryName())}
}`;
  const places = new OriginalStore(originals).places(path);
  const write = (name: string, text: string) => writeFileSync(name, text, { mode: 0o600 });
  write(join(directory, 'journal'), journal);
  write(places.record, `${record}\n${checksum(record)}\n`);
  write(places.originalPath, 'as it was\n');
}

async function refusal(opening: Promise<unknown>): Promise<readonly [string, string]> {
  const error = await opening.catch((reason: unknown) => reason);
  if (!(error instanceof StateError)) throw error;
  return [error.code, error.message];
}

describe('state whose records name no directory', () => {
  test('is listed, as a repository could have brought it, until it is accepted', async () => {
    const { at, open, read } = system();
    foreignState(at('state'), at('wind.conf'));
    writeFileSync(at('wind.conf'), 'wind = x\n');
    expect(await refusal(open())).toEqual([
      'foreign',
      `the state directory ${at('state')} has records from another directory: nothing was reset or restored. A start would reset "wind", "rain" and restore "${at('wind.conf')}". If you have moved or copied the directory, start with --adopt-state; if you do not trust its origin, choose another directory with --state-dir`,
    ]);
    expect(read('wind.conf')).toBe('wind = x\n');
    const host = await open({ adoptState: true });
    expect((await host.recover({ forgetMissing: false })).residual).toEqual([]);
    expect(read('wind.conf')).toBe('as it was\n');
  });

  test('restores only what the manifest leads to, and no bits for set-user-id', async () => {
    const { at, open, read } = system();
    foreignState(at('state'), at('other.conf'));
    writeFileSync(at('other.conf'), 'wind = x\n');
    const host = await open({ adoptState: true });
    expect(host.ignored).toEqual([
      `no mutator of kind file has the recorded path "${at('other.conf')}"`,
    ]);
    const { originalPath: kept, record } = new OriginalStore(at('state/originals')).places(
      at('other.conf'),
    );
    expect(await host.reset('wind')).toEqual({
      kind: 'failed',
      reason: `"${at('other.conf')}" is recorded as mutated, but is not the file that the manifest names, so Perturb did not restore it: if the record is correct, restore "${at('other.conf')}" by hand from ${kept}, then remove ${record}`,
    });
    expect(read('other.conf')).toBe('wind = x\n');

    const second = system();
    foreignState(second.at('state'), second.at('wind.conf'), { mode: 0o6755 });
    writeFileSync(second.at('wind.conf'), 'wind = x\n', { mode: 0o755 });
    const next = await second.open({ adoptState: true });
    expect((await next.recover({ forgetMissing: false })).residual).toEqual([]);
    expect(statSync(second.at('wind.conf')).mode & 0o7777).toBe(0o755);
  });

  test('removes nothing but what a server has made', async () => {
    const { at, open, read } = system();
    foreignState(at('state'), at('wind.conf'), { temporary: 'precious' });
    writeFileSync(at('wind.conf'), 'wind = x\n');
    writeFileSync(at('precious'), 'theirs');
    const host = await open({ adoptState: true });
    expect(await host.reset('wind')).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('it names a file that no server creates'),
    });
    expect([read('precious'), read('wind.conf')]).toEqual(['theirs', 'wind = x\n']);
  });
});

describe('records', () => {
  test('hold for the directory that they were made in', async () => {
    const { at, open, crash, read } = system();
    await crash();
    cpSync(at('state'), at('copy'), { recursive: true, mode: 0 });
    const message = `A start would reset "wind", "rain" and restore "${at('wind.conf')}".`;
    const [code, text] = await refusal(open({ state: 'copy' }));
    expect([code, text]).toEqual(['foreign', expect.stringContaining(message)]);
    // Another directory under the same name.
    renameSync(at('state'), at('moved'));
    renameSync(at('copy'), at('state'));
    expect((await refusal(open()))[0]).toBe('foreign');
    expect([read('wind.conf'), existsSync(at('rain'))]).toEqual(['wind = x\n', true]);
    rmSync(at('state'), { recursive: true });
    renameSync(at('moved'), at('state'));
    const host = await open();
    expect((await host.recover({ forgetMissing: false })).residual).toEqual([]);
    expect([read('wind.conf'), existsSync(at('rain'))]).toEqual(['as it was\n', false]);
  });
});

describe('a state directory', () => {
  const harms: Readonly<Record<string, readonly [string, (path: string) => void, string]>> = {
    'that others may write to': [
      '',
      (path) => chmodSync(path, 0o777),
      'other users can write to it',
    ],
    'with a journal that others may write to': [
      'journal',
      (path) => chmodSync(path, 0o620),
      'other users can write to it',
    ],
    'with a link for a journal': [
      'journal',
      (path) => {
        renameSync(path, `${path}.damaged`);
        symlinkSync('journal.damaged', path);
      },
      'it is not a regular file',
    ],
    'with a link for its originals': [
      'originals',
      (path) => {
        renameSync(path, join(path, '../../originals'));
        symlinkSync('../originals', path);
      },
      'it is not a directory',
    ],
    'with a pipe for a journal': [
      'journal',
      (path) => {
        rmSync(path);
        execFileSync('mkfifo', [path]);
      },
      'it is not a regular file',
    ],
    ...(process.getuid?.() === 0 && {
      'of another user': ['', (path) => chownSync(path, 12, 34), 'it belongs to user 12, not to 0'],
      'with a journal of another user': [
        'journal',
        (path) => chownSync(path, 12, 34),
        'it belongs to user 12, not to 0',
      ],
    }),
  };

  test.each(Object.keys(harms))('%s is refused, also when it is adopted', async (name) => {
    const { at, open, crash, read } = system();
    await crash();
    const [part, harm, reason] = harms[name] as (typeof harms)[string];
    const path = join(at('state'), part);
    harm(path);
    for (const adoptState of [false, true]) {
      const [code, message] = await refusal(open({ adoptState }));
      expect([code, message]).toEqual([
        'untrusted',
        expect.stringContaining(
          `${path} records active mutations, and cannot be trusted (${reason}`,
        ),
      ]);
    }
    expect([read('wind.conf'), existsSync(at('rain'))]).toEqual(['wind = x\n', true]);
    expect((await inspectState(at('state')))?.damage).toContain(reason);
  });

  test('has other names in it named and left alone', async () => {
    const { at, open, crash, read } = system();
    await crash();
    const names = [
      'running/foo(bar',
      'running/.*',
      'running/--help',
      'originals/a.json',
      'notes.txt',
    ];
    for (const name of names) writeFileSync(at(`state/${name}`), 'not a record');
    symlinkSync('/etc/hostname', at('state/originals/link.original'));
    const host = await open();
    expect(host.ignored).toEqual([
      ...['notes.txt', 'originals/a.json', 'originals/link.original'].map(
        (name) => `"${name}" was not created by a server`,
      ),
      ...['running/--help', 'running/.*', 'running/foo(bar'].map(
        (name) => `"${name}" was not created by a server`,
      ),
    ]);
    expect((await host.recover({ forgetMissing: false })).residual).toEqual([]);
    expect(read('wind.conf')).toBe('as it was\n');
    for (const name of names) expect(read(`state/${name}`)).toBe('not a record');
  });
});

describe('a state directory that is removed while a server runs', () => {
  const begun = async () => {
    const all = system();
    const host = await all.open();
    const inject = (id: string, value?: string) =>
      host.inject(id, { id: MUTATION, params: valuesOf(value === undefined ? {} : { value }) });
    expect(await inject('wind', 'x')).toEqual({ kind: 'injected' });
    return { ...all, host, inject };
  };
  const goneIn = (directory: string) =>
    `the journal or the lock of the state directory ${directory} was removed or replaced while the server ran, so the server resets all active mutators and shuts down`;

  test('lets no reset pass for done, until the file is as it was', async () => {
    const { at, host, read } = await begun();
    rmSync(at('state'), { recursive: true });
    expect(await host.reset('wind')).toEqual({
      kind: 'failed',
      reason: `the original of "${at('wind.conf')}" is missing from the state directory: restore the file by hand, then reset again`,
    });
    expect(read('wind.conf')).toBe('wind = x\n');
    expect((await host.gone).message).toBe(goneIn(at('state')));
    writeFileSync(at('wind.conf'), 'as it was\n');
    expect(await host.reset('wind')).toEqual({ kind: 'reset' });
  });

  test.each([
    ['the whole', ''],
    ['the journal', 'journal'],
    ['the lock', 'lock'],
  ])('lets nothing be injected: %s', async (_, part) => {
    const { at, host, inject, read } = await begun();
    const socket = readdirSync(at('state')).find((name) => name.endsWith('.sock')) ?? '';
    rmSync(at(`state/${part === 'lock' ? socket : part}`), { recursive: true });
    expect(await inject('rain')).toEqual({ kind: 'failed', reason: goneIn(at('state')) });
    expect([existsSync(at('rain')), (await host.gone).message]).toEqual([
      false,
      goneIn(at('state')),
    ]);
    const { residual: left } = await host.shutdown({ graceMs: 0, timeoutMs: 10_000 });
    if (part !== '') expect([left, read('wind.conf')]).toEqual([[], 'as it was\n']);
    else
      expect(left).toMatchObject([{ id: 'wind', reason: expect.stringContaining('is missing') }]);
  });

  test('or replaced by another one counts as removed', async () => {
    const { at, inject } = await begun();
    renameSync(at('state'), at('old'));
    cpSync(at('old'), at('state'), { recursive: true, filter: (name) => !name.endsWith('.sock') });
    expect(await inject('rain')).toEqual({ kind: 'failed', reason: goneIn(at('state')) });
  });
});
