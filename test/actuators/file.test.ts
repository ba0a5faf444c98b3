import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createActuator, type LiveActuator } from '../../src/actuators/acting/index.js';
import { checksum } from '../../src/durable/index.js';
import type { ManifestMutator } from '../../src/mutators/index.js';
import { isLong } from '../long.js';
import {
  contextIn,
  failureOf,
  mutationOf,
  readManifest,
  temporaryDirectory,
  valuesOf,
} from '../server/support.js';

/** A directory with a system in it, and the actuators of mutators with a string parameter. */
async function rig(actuators: readonly string[]) {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  const context = contextIn(directory);
  const manifest = actuators.map(
    (actuator, index) => `[[mutator]]
name = "m${index}"
[[mutator.param]]
name = "value"
type = "string"
[mutator.actuator]
kind = "file"
${actuator}
`,
  );
  const made = await Promise.all(
    readManifest(manifest.join('\n')).map((mutator) => createActuator(mutator, context)),
  );
  const [first] = made;
  if (first === undefined) throw new Error('no actuator');
  return {
    at,
    all: made,
    inject: (value: string) => first.inject(mutationOf(valuesOf({ value }))),
    reset: (...args: Parameters<typeof first.reset>) => first.reset(...args),
    read: (name: string) => readFileSync(at(name), 'utf8'),
    /** What is kept while files are mutated. */
    kept: () => readdirSync(at('state/originals')),
  };
}

const WHOLE = 'path = "system.conf"\ntemplate = "value = {value}\\n"';
const link = 'path = "link.conf"\ntemplate = "value = {value}\\n"';

describe('the whole of a file', () => {
  test('that is missing at first is made, and removed again', async () => {
    const { at, inject, reset, read, kept } = await rig([WHOLE]);
    await inject('a');
    expect(read('system.conf')).toBe('value = a\n');
    await inject('b');
    expect(kept()).toHaveLength(1);
    await reset();
    expect(readdirSync(at('.'))).toEqual(['state']);
    expect(kept()).toEqual([]);
  });

  test('is put back with its bytes, its mode and its owner, and has them meanwhile', async () => {
    const { at, inject, reset } = await rig([WHOLE]);
    const bytes = Buffer.from([0xff, 0, 10, 13, 0xc3]);
    writeFileSync(at('system.conf'), bytes);
    if (process.getuid?.() === 0) chownSync(at('system.conf'), 12, 34);
    chmodSync(at('system.conf'), 0o4750);
    const about = () => {
      const { mode, uid, gid } = statSync(at('system.conf'));
      return { mode: mode & 0o7777, uid, gid };
    };
    const before = about();
    await inject('a');
    expect(about()).toEqual(before);
    await reset();
    expect(about()).toEqual(before);
    expect(readFileSync(at('system.conf'))).toEqual(bytes);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'never gets bits for set-user-id that it does not have, nor the attributes of another file',
    async () => {
      const { at, inject, reset } = await rig([WHOLE]);
      const about = () => {
        const { mode, uid, gid } = statSync(at('system.conf'));
        return { mode: mode & 0o7777, uid, gid };
      };
      for (const [mode, uid, left] of [
        [0o755, 0, 0o755],
        [0o4755, 12, 0o755],
        [0o4755, 0, 0o4755],
      ] as const) {
        writeFileSync(at('system.conf'), 'as it was');
        chownSync(at('system.conf'), 0, 0);
        chmodSync(at('system.conf'), 0o6755);
        await inject('a');
        chownSync(at('system.conf'), uid, 0);
        chmodSync(at('system.conf'), mode);
        await reset();
        expect(about()).toEqual({ mode: left, uid: 0, gid: 0 });
      }
    },
  );

  test('is never seen half-written, and leaves nothing beside it', async () => {
    const { at, inject, reset, read } = await rig([WHOLE]);
    writeFileSync(at('system.conf'), 'x');
    for (const value of ['a'.repeat(100_000), 'b']) {
      await inject(value);
      expect(read('system.conf')).toBe(`value = ${value}\n`);
      expect(readdirSync(at('.')).sort()).toEqual(['state', 'system.conf']);
    }
    await reset();
  });
});

describe('a link', () => {
  test('stays a link: the file that it leads to is changed, through any number of them', async () => {
    const { at, inject, reset, read } = await rig([link]);
    mkdirSync(at('a/b'), { recursive: true });
    writeFileSync(at('a/b/real'), 'as it was');
    symlinkSync('b', at('a/c'));
    symlinkSync('c/real', at('a/second'));
    symlinkSync(at('a/second'), at('link.conf'));
    await inject('x');
    expect(read('a/b/real')).toBe('value = x\n');
    expect(lstatSync(at('link.conf')).isSymbolicLink()).toBe(true);
    expect(readlinkSync(at('a/second'))).toBe('c/real');
    await reset();
    expect(read('a/b/real')).toBe('as it was');
    expect(readdirSync(at('a/b'))).toEqual(['real']);
  });

  test('to a file that is missing makes that one, and removes it again', async () => {
    const { at, inject, reset, read } = await rig([link]);
    symlinkSync('missing', at('link.conf'));
    await inject('x');
    expect(read('missing')).toBe('value = x\n');
    await reset();
    expect(existsSync(at('missing'))).toBe(false);
    expect(readlinkSync(at('link.conf'))).toBe('missing');
  });

  test('that leads elsewhere at the reset: the file that was changed is put back', async () => {
    const { at, inject, reset, read } = await rig([link]);
    for (const name of ['one', 'two']) writeFileSync(at(name), `${name} as it was`);
    symlinkSync('one', at('link.conf'));
    await inject('x');
    rmSync(at('link.conf'));
    symlinkSync('two', at('link.conf'));
    await inject('y');
    expect([read('one'), read('two')]).toEqual(['value = x\n', 'value = y\n']);
    await reset();
    expect([read('one'), read('two')]).toEqual(['one as it was', 'two as it was']);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'of another user leads to files of theirs only, and to none in a directory of others',
    async () => {
      const { at, inject, reset, read, kept } = await rig([link]);
      mkdirSync(at('a'));
      writeFileSync(at('a/real'), 'as it was');
      symlinkSync('a', at('b'));
      for (const target of ['a/real', 'b/real', 'a/missing']) {
        symlinkSync(target, at('link.conf'));
        lchownSync(at('link.conf'), 12, 34);
        const path = at(target.replace('b/', 'a/'));
        expect(await failureOf(inject('x'))).toEqual([
          'foreign-link',
          `a link owned by user 12 leads to "${path}", which belongs to another user: use the file's own path in the manifest, or have the server's user create the link`,
        ]);
        rmSync(at('link.conf'));
      }
      expect([read('a/real'), kept(), existsSync(at('a/missing'))]).toEqual([
        'as it was',
        [],
        false,
      ]);
      symlinkSync('b/real', at('link.conf'));
      lchownSync(at('b'), 12, 34);
      expect((await failureOf(inject('x')))[0]).toBe('foreign-link');
      chownSync(at('a/real'), 12, 34);
      await inject('x');
      expect(read('a/real')).toBe('value = x\n');
      await reset();
      expect(read('a/real')).toBe('as it was');
    },
  );

  test('that leads in a circle is refused', async () => {
    const { at, inject } = await rig([link]);
    symlinkSync('link.conf', at('link.conf'));
    expect(await failureOf(inject('x'))).toMatchObject(['file', /ELOOP|too many links/]);
  });
});

describe('a file that somebody else changes meanwhile', () => {
  const begun = async () => {
    const set = await rig([WHOLE]);
    writeFileSync(set.at('system.conf'), 'as it was');
    await set.inject('a');
    writeFileSync(set.at('system.conf'), 'theirs');
    const original = join(
      'state/originals',
      set.kept().find((name) => name.endsWith('.original')) ?? '',
    );
    const record = join('state/originals', set.kept().find((name) => name.endsWith('.json')) ?? '');
    return { ...set, original, record };
  };

  test('is left as it is, by a reset and by an injection, and the message says what to do', async () => {
    const { at, inject, reset, read, original } = await begun();
    for (const act of [reset, () => inject('b')]) {
      const [code, message] = await failureOf(act());
      expect(code).toBe('changed-meanwhile');
      expect(message).toContain(
        `its original is in ${at(original)}, so overwrite the file with it, reset again`,
      );
    }
    expect([read('system.conf'), read(original)]).toEqual(['theirs', 'as it was']);
  });

  test('can be put back by hand, as the message says, also where record and original are gone', async () => {
    const first = await begun();
    writeFileSync(first.at('system.conf'), 'as it was');
    await first.reset();
    expect([first.read('system.conf'), first.kept()]).toEqual(['as it was', []]);
    const second = await begun();
    rmSync(second.at(second.record));
    expect((await failureOf(second.reset()))[0]).toBe('changed-meanwhile');
    rmSync(second.at(second.original));
    expect((await failureOf(second.reset()))[0]).toBe('original-gone');
    expect(second.read('system.conf')).toBe('theirs');
    writeFileSync(second.at('system.conf'), 'as it was');
    await second.reset();
    await second.inject('b');
    await second.reset();
    expect([second.read('system.conf'), second.kept()]).toEqual(['as it was', []]);
  });

  test('is put back by a reset where only its record is gone', async () => {
    const { at, inject, reset, read, kept, record } = await begun();
    writeFileSync(at('system.conf'), 'as it was');
    await inject('b');
    rmSync(at(record));
    await reset();
    expect([read('system.conf'), kept()]).toEqual(['as it was', []]);
  });

  test('is not to be put back from an original that is damaged', async () => {
    const { at, reset, original } = await begun();
    writeFileSync(at(original), 'as it wa');
    const [code, message] = await failureOf(reset());
    expect([code, message]).toEqual(['damaged', expect.not.stringContaining('overwrite the file')]);
  });

  test('or makes a directory of, is left as it is', async () => {
    const { at, reset } = await begun();
    rmSync(at('system.conf'));
    mkdirSync(at('system.conf'));
    expect((await failureOf(reset()))[0]).toBe('not-a-file');
    expect(readdirSync(at('system.conf'))).toEqual([]);
  });

  test('or removes, is as it was after a reset, which reports that', async () => {
    const { at, reset, read, kept } = await begun();
    rmSync(at('system.conf'));
    const found: string[] = [];
    await reset(undefined, (text) => found.push(text));
    await reset(undefined, (text) => found.push(text));
    expect(found).toEqual(['"system.conf" had been removed, and was recreated']);
    expect([read('system.conf'), kept()]).toEqual(['as it was', []]);
  });

  test('or removes with its directory, is restored once that is there again', async () => {
    const { at, inject, reset, read } = await rig([
      WHOLE.replace('system.conf', 'etc/system.conf'),
    ]);
    mkdirSync(at('etc'));
    writeFileSync(at('etc/system.conf'), 'as it was');
    await inject('a');
    rmSync(at('etc'), { recursive: true });
    expect(await failureOf(reset())).toEqual([
      'file',
      `"${at('etc/system.conf')}": its directory does not exist`,
    ]);
    mkdirSync(at('etc'));
    await reset();
    expect(read('etc/system.conf')).toBe('as it was');
  });

  test('and that did not exist at first is for them to remove', async () => {
    const { at, inject, reset } = await rig([WHOLE]);
    await inject('a');
    writeFileSync(at('system.conf'), 'theirs');
    expect((await failureOf(reset()))[1]).toContain('did not exist originally, so move it away');
    rmSync(at('system.conf'));
    await reset();
  });
});

test('a record that the system cannot read is not called damaged', async () => {
  const { at, inject, reset, read } = await rig([WHOLE]);
  writeFileSync(at('system.conf'), 'as it was');
  await inject('a');
  renameSync(at('state/originals'), at('state/away'));
  writeFileSync(at('state/originals'), '');
  expect(await failureOf(reset())).toEqual(['file', expect.stringContaining('ENOTDIR')]);
  rmSync(at('state/originals'));
  renameSync(at('state/away'), at('state/originals'));
  await reset();
  expect(read('system.conf')).toBe('as it was');
});

test('a record that is damaged anywhere is told, and the file never left as if it were reset', async () => {
  const { at, inject, kept } = await rig([WHOLE]);
  writeFileSync(at('system.conf'), 'as it was');
  await inject('a');
  const record = at(join('state/originals', kept().find((name) => name.endsWith('.json')) ?? ''));
  const whole = readFileSync(record);
  const [mutator] = readManifest(
    `[[mutator]]\nname = "m0"\n[[mutator.param]]\nname = "value"\ntype = "string"\n[mutator.actuator]\nkind = "file"\n${WHOLE}`,
  );
  // The long form damages every byte.
  const bytes = [...whole.keys()].filter((byte) => isLong || byte % 17 === 0);
  const damages = [...bytes, whole.length - 1].flatMap((byte) => {
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(byte) ^ (1 << (byte % 8)), byte);
    return [flipped, whole.subarray(0, byte)];
  });
  for (const [index, damaged] of damages.entries()) {
    writeFileSync(record, damaged);
    // As the next process does, which remembers nothing.
    const next = await createActuator(mutator as ManifestMutator, contextIn(at('.')));
    const error = await next.reset().catch((reason: unknown) => reason);
    expect(error, `damage ${index}`).toMatchObject({ code: 'damaged' });
    expect(readFileSync(at('system.conf'), 'utf8')).toBe('value = a\n');
  }
});

test.each([
  ['without its changes', { changes: undefined }, 'must have required properties changes'],
  ['with a number as its path', { path: 5 }, 'path must be string'],
  [
    'whose original has no owner',
    { original: { mode: 420, digest: '' } },
    'original must have required properties owner',
  ],
  [
    'with a change that has no text',
    { changes: [{ mutator: 'm0', change: { kind: 'text' } }] },
    'changes[0].change must have required properties text',
  ],
])('a record %s is refused, and nothing is touched', async (_, damage, problem) => {
  const { at, inject, kept, read } = await rig([WHOLE]);
  writeFileSync(at('system.conf'), 'as it was');
  await inject('a');
  const record = join('state/originals', kept().find((name) => name.endsWith('.json')) ?? '');
  const [json = ''] = /^.*}(?=\n)/s.exec(read(record)) ?? [];
  const text = JSON.stringify({ ...JSON.parse(json), ...damage });
  writeFileSync(at(record), `${text}\n${checksum(text)}\n`);
  const files = () => ['system.conf', ...kept().map((name) => `state/originals/${name}`)];
  const before = files().map((name) => [name, read(name)]);
  const [mutator] = readManifest(
    `[[mutator]]\nname = "m0"\n[[mutator.param]]\nname = "value"\ntype = "string"\n[mutator.actuator]\nkind = "file"\n${WHOLE}`,
  );
  // As the next process does, which remembers nothing.
  const next = await createActuator(mutator as ManifestMutator, contextIn(at('.')));
  const refused = [
    'damaged',
    `${at(record)} is damaged (${problem}): restore the mutated file by hand, then move the damaged file to another directory`,
  ];
  expect(await failureOf(next.reset())).toEqual(refused);
  expect(await failureOf(next.inject(mutationOf(valuesOf({ value: 'b' }))))).toEqual(refused);
  expect(files().map((name) => [name, read(name)])).toEqual(before);
});

const KEY = 'path = "app.toml"\nformat = "toml"\nkey = ["speed"]\nvalue = "{value}"';

describe('a file that cannot be changed', () => {
  test('in a directory that is missing, or is none, is told, and nothing is kept', async () => {
    const { at, inject, reset, kept } = await rig(['path = "a/b.conf"\ntemplate = "{value}"']);
    expect((await failureOf(inject('x')))[1]).toMatch(/^"a\/b.conf": ENOENT: no such file/);
    writeFileSync(at('a'), '');
    expect((await failureOf(inject('x')))[1]).toMatch(/^"a\/b.conf": ENOTDIR: not a directory/);
    await reset();
    expect(kept()).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')(
    'because nothing can be made beside it is put back all the same',
    async () => {
      // A file of the system that can be written, in a directory where even root makes none.
      const { inject, reset, kept } = await rig([`path = "/proc/self/comm"\ntemplate = "{value}"`]);
      const before = readFileSync('/proc/self/comm', 'utf8');
      const [code, message] = await failureOf(inject('b'));
      expect([code, message]).toEqual([
        'file',
        expect.stringMatching(
          /^"\/proc\/self\/comm": \w+: .* '\/proc\/\d+\/\.perturb-[\da-f-]{36}\.new'$/,
        ),
      ]);
      expect(readFileSync('/proc/self/comm', 'utf8')).toBe(before);
      expect(kept()).toHaveLength(2);
      await reset();
      expect([readFileSync('/proc/self/comm', 'utf8'), kept()]).toEqual([before, []]);
    },
  );

  test('does not depend on a name that somebody else may have taken', async () => {
    const { at, inject, reset, read, kept } = await rig([WHOLE]);
    writeFileSync(at('system.conf'), 'as it was');
    await inject('a');
    const record = kept().find((name) => name.endsWith('.json')) ?? '';
    const [name = ''] = /\.perturb-[\da-f-]{36}\.new/.exec(read(`state/originals/${record}`)) ?? [];
    mkdirSync(at(name));
    await inject('b');
    expect(read('system.conf')).toBe('value = b\n');
    await reset();
    expect(read('system.conf')).toBe('as it was');
    expect(readdirSync(at('.')).sort()).toEqual([name, 'state', 'system.conf']);
  });

  test('being larger than is read is told, as is a value that would make it so', async () => {
    const { at, all, inject } = await rig([KEY, KEY.replaceAll('toml', 'env')]);
    writeFileSync(at('app.toml'), 'speed = "1"');
    truncateSync(at('app.toml'), 64 * 1024 * 1024 + 1);
    const problem = `"${at('app.toml')}" is larger than 64 MiB, the limit for file mutators`;
    expect(await failureOf(inject('x'))).toEqual(['too-large', problem]);
    // A comment costs less to read than a line that may be an assignment, and than TOML.
    const full = `speed=1\n${'#'.repeat(64 * 1024 * 1024 - 8)}`;
    writeFileSync(at('app.env'), full);
    const [, env] = all;
    const change = (value: string) => env?.inject(mutationOf(valuesOf({ value })));
    expect(await failureOf(change('22') ?? Promise.resolve())).toEqual([
      'too-large',
      problem.replace('app.toml', 'app.env'),
    ]);
    await change('2');
    await env?.reset();
    expect(readFileSync(at('app.env')).equals(Buffer.from(full))).toBe(true);
  });

  test('being a directory or a pipe is told, and not waited for', async () => {
    const { at, inject } = await rig([WHOLE]);
    mkdirSync(at('system.conf'));
    expect((await failureOf(inject('x')))[0]).toBe('not-a-file');
    rmdirSync(at('system.conf'));
    execFileSync('mkfifo', [at('system.conf')]);
    expect((await failureOf(inject('x')))[0]).toBe('not-a-file');
  });
});

describe('one key of a file', () => {
  const key = (file: string, path: string, value: string) =>
    `path = "${file}"\nkey = ${path}\nvalue = ${value}`;

  test('of several mutators: each reset takes its own back, the last restores the bytes', async () => {
    const { at, all, read, kept } = await rig([
      key('s.json', '["a"]', '"{value}"'),
      key('s.json', '["b", "1"]', '2.50'),
      key('s.json', '["c"]', 'true'),
    ]);
    const before = '\ufeff{"a" : 1,\r\n "b": [ {} , 0x ], "c":"\\u0063" }'.replace('0x', 'null');
    writeFileSync(at('s.json'), before);
    const inject = (index: number) => all[index]?.inject(mutationOf(valuesOf({ value: 'v' })));
    const reset = (index: number) => all[index]?.reset();
    await Promise.all([inject(0), inject(1), inject(2)]);
    expect(read('s.json')).toBe('\ufeff{"a" : "v",\r\n "b": [ {} , 2.5 ], "c":true }');
    await reset(1);
    expect(read('s.json')).toBe('\ufeff{"a" : "v",\r\n "b": [ {} , null ], "c":true }');
    await inject(0);
    await reset(0);
    expect(read('s.json')).toBe('\ufeff{"a" : 1,\r\n "b": [ {} , null ], "c":true }');
    await reset(2);
    expect([read('s.json'), kept()]).toEqual([before, []]);
  });

  test('of several mutators: what is injected last has an effect, also again', async () => {
    const { at, all, read } = await rig([
      key('s.json', '["a"]', '"{value}"'),
      key('s.json', '["a"]', '"{value}"'),
      'path = "s.json"\ntemplate = "{value}"',
      'path = "s.json"\ntemplate = "{value}"',
    ]);
    writeFileSync(at('s.json'), '{ "a": 1 }');
    const inject = async (index: number, value: string) => {
      await all[index]?.inject(mutationOf(valuesOf({ value })));
      return read('s.json');
    };
    expect(await inject(0, 'x')).toBe('{ "a": "x" }');
    expect(await inject(1, 'y')).toBe('{ "a": "y" }');
    expect(await inject(0, 'z')).toBe('{ "a": "z" }');
    for (const [index, text] of [
      [2, '+60'],
      [3, '-30'],
      [2, '+120'],
    ] as const) {
      expect(await inject(index, text)).toBe(text);
    }
    for (const index of [2, 3, 0]) await all[index]?.reset();
    expect(read('s.json')).toBe('{ "a": "y" }');
    await all[1]?.reset();
    expect(read('s.json')).toBe('{ "a": 1 }');
  });

  test('of several mutators: what somebody has put back meanwhile is changed by all again', async () => {
    const { at, all, read } = await rig([
      key('s.json', '["a"]', '"{value}"'),
      key('s.json', '["b"]', '"{value}"'),
    ]);
    const before = '{ "a": 1, "b": 2 }';
    writeFileSync(at('s.json'), before);
    const inject = (index: number) => all[index]?.inject(mutationOf(valuesOf({ value: 'v' })));
    await inject(0);
    writeFileSync(at('s.json'), before);
    await inject(1);
    expect(read('s.json')).toBe('{ "a": "v", "b": "v" }');
  });

  test('of a file that another mutator has made goes with that file', async () => {
    const { at, all, read, kept } = await rig([
      'path = "s.json"\ntemplate = \'{ "a": 1, "made": "{value}" }\'',
      key('s.json', '["a"]', '"{value}"'),
    ]);
    const [whole, part] = all;
    const value = (text: string) => valuesOf({ value: text });
    await whole?.inject(mutationOf(value('x')));
    await part?.inject(mutationOf(value('y')));
    await whole?.inject(mutationOf(value('z')));
    expect(read('s.json')).toBe('{ "a": "y", "made": "z" }');
    await whole?.reset();
    expect(existsSync(at('s.json'))).toBe(false);
    expect((await failureOf(part?.inject(mutationOf(value('y'))) ?? Promise.resolve()))[0]).toBe(
      'no-file',
    );
    await part?.reset();
    expect(kept()).toEqual([]);
  });

  test('of TOML is set with all else as it is', async () => {
    const { at, all, read } = await rig([
      key('s.toml', '["a", "b c", "d"]', '"{value}"'),
      key('s.toml', '["list", "1", "n"]', 'inf'),
      key('s.toml', '["date"]', '7'),
    ]);
    const before =
      "# c\r\ndate = 2020-01-01 00:00:00 # d\r\na.\"b c\" = { d = '''x''', e = 1 }\r\n[[list]]\n[[list]]\nn = 0x10\n";
    writeFileSync(at('s.toml'), before);
    for (const one of all) await one.inject(mutationOf(valuesOf({ value: 'q"\x7f\n' })));
    expect(read('s.toml')).toBe(
      before
        .replace('2020-01-01 00:00:00', '7')
        .replace("'''x'''", '"q\\"\\u007f\\n"')
        .replace('0x10', 'inf'),
    );
    for (const one of all) await one.reset();
    expect(read('s.toml')).toBe(before);
  });

  test.each([
    ['s.yaml', 'a: &x 1 # kept\nb: 2\n', ['a'], 'a: &x "v w" # kept'],
    ['s.yaml', 'list:\n- x\n- { a: 1 } # c\n', ['list', '1', 'a'], '- { a: "v w" } # c'],
    ['s.yml', "a: # c\n  'b c': 'x' # d\n\n", ['a', 'b c'], '\'b c\': "v w" # d'],
    ['.env', '# c\nA=1\n export B = "x y" # d\nB2=3', ['B'], "export B = 'v w' # d"],
    ['x.env', 'A=1\r\nB=\r\n', ['B'], "B='v w'\r\n"],
  ])('of %s is set with all else as it is, comments too: %j', async (name, before, path, line) => {
    const { at, inject, reset, read } = await rig([key(name, JSON.stringify(path), '"{value}"')]);
    writeFileSync(at(name), before);
    await inject('v w');
    expect(read(name)).toContain(line);
    const lines = (text: string) => text.split('\n').filter((one) => !one.includes('v w'));
    expect(lines(read(name)).every((one) => before.includes(one))).toBe(true);
    expect(read(name).split('\n').length).toBe(before.split('\n').length);
    await reset();
    expect(read(name)).toBe(before);
  });

  test.each([
    ['s.yaml', '["a"]', 'b: 1', 'no-key', 'has no single value at "a"'],
    ['s.yaml', '["a"]', 'a: [1]', 'no-key', 'has no single value at "a"'],
    ['s.yaml', '["a"]', 'a: |\n  text\n', 'no-key', 'has no single value at "a"'],
    ['s.yaml', '["a"]', 'a:\nb: 1', 'no-key', 'has no single value at "a"'],
    ['s.yaml', '["a"]', 'a: &x 1\nb: *x', 'no-key', 'has no single value at "a"'],
    ['s.yaml', '["b"]', 'a: &x 1\nb: *x', 'no-key', 'has no single value at "b"'],
    ['s.yaml', '["a", "k"]', 'a: &x { k: 1 }\nb: *x', 'no-key', 'has no single value at "a" / "k"'],
    [
      's.yaml',
      '["a", "k"]',
      'a: &x { k: 1 }\nb: { <<: *x }',
      'no-key',
      'has no single value at "a"',
    ],
    ['s.yaml', '["k"]', '&x\nk: 1\nb: *x', 'no-key', 'has no single value at "k"'],
    ['s.yaml', '["a"]', 'a: {', 'not-text', 'is not YAML: '],
    ['s.yaml', '["a"]', 'a: 1\na: 2', 'not-text', 'is not YAML: '],
    ['s.yaml', '["a"]', 'a: 1\n---\na: 2', 'not-text', 'is not YAML: '],
    ['s.env', '["a"]', 'b=1\n#a=2', 'no-key', 'has no single value at "a"'],
    ['s.env', '["a", "b"]', 'a=1', 'no-key', 'has no single value at "a" / "b"'],
    ['s.json', '["a"]', '{ "b": 1 }', 'no-key', 'has no single value at "a"'],
    ['s.json', '["a", "b"]', '{ "a": 1 }', 'no-key', 'has no single value at "a" / "b"'],
    ['s.json', '["a", "01"]', '{ "a": [1, 2] }', 'no-key', 'has no single value'],
    ['s.json', '["a"]', '{ "a": 1, }', 'not-text', 'is not JSON: '],
    ['s.json', '["a"]', '{ "a": 1, "a": 2 }', 'not-text', 'is not JSON: '],
    ['s.toml', '["a"]', '[a]\nb = 1', 'no-key', 'has no single value at "a"'],
    ['s.toml', '["a"]', 'a = [1]', 'no-key', 'has no single value at "a"'],
    ['s.toml', '["a"]', 'a = ', 'not-text', 'is not TOML: '],
  ])('that is not there as a value is told: %s %s in %j', async (name, path, text, code, says) => {
    const { at, inject, read, kept } = await rig([key(name, path, '"{value}"')]);
    writeFileSync(at(name), text);
    expect(await failureOf(inject('x'))).toEqual([code, expect.stringContaining(says)]);
    expect([read(name), kept()]).toEqual([text, []]);
  });

  test('of no file, of one that is not UTF-8, or to what JSON cannot hold, is told', async () => {
    const { at, all, inject, kept } = await rig([
      key('s.json', '["a"]', '"{value}"'),
      key('s.json', '["a"]', 'nan'),
    ]);
    expect((await failureOf(inject('x')))[0]).toBe('no-file');
    writeFileSync(at('s.json'), Buffer.from([0x22, 0xff, 0x22]));
    expect(await failureOf(inject('x'))).toEqual([
      'not-text',
      expect.stringContaining('not UTF-8'),
    ]);
    writeFileSync(at('s.json'), '{"a": 1}');
    expect((await failureOf(inject('\ud800')))[0]).toBe('bad-value');
    const [, second] = all;
    const [code, message] = await failureOf(
      second?.inject(mutationOf(valuesOf({ value: '' }))) ?? Promise.resolve(),
    );
    expect([code, message]).toEqual(['bad-value', expect.stringContaining('no number nan')]);
    expect(kept()).toEqual([]);
  });
});

describe('a file with more than bytes', () => {
  /** Sets or gets an extended attribute; undefined where there is no program or file system for it. */
  const attribute = (path: string, value?: string) => {
    const set = 'import os, sys; os.setxattr(sys.argv[1], "user.perturb", sys.argv[2].encode())';
    const get = 'import os, sys; print(os.getxattr(sys.argv[1], "user.perturb").decode())';
    const args = value === undefined ? ['-c', get, path] : ['-c', set, path, value];
    const { status, stdout } = spawnSync('python3', args, { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };

  test.for([
    ['', 'system.conf'],
    [', whatever its name', 'two\nlines, "quoted" $HOME.conf'],
  ] as const)('keeps its extended attributes%s', async ([, name], { skip }) => {
    const { at, inject, reset, read } = await rig([
      WHOLE.replace('"system.conf"', JSON.stringify(name)),
    ]);
    writeFileSync(at(name), 'as it was');
    if (attribute(at(name), 'kept') === undefined) skip();
    await inject('a');
    expect([read(name), attribute(at(name))]).toEqual(['value = a\n', 'kept']);
    await reset();
    expect([read(name), attribute(at(name))]).toEqual(['as it was', 'kept']);
  });

  test('is replaced only where those can be copied, or written into; a reset goes on', async () => {
    const [plain, inPlace] = [await rig([WHOLE]), await rig([`${WHOLE}\nin_place = true`])];
    for (const { at } of [plain, inPlace]) writeFileSync(at('system.conf'), 'as it was');
    await plain.inject('a');
    vi.stubEnv('PATH', plain.at('nowhere'));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await failureOf(plain.inject('b'))).toEqual([
      'attributes',
      `the mode and extended attributes of "${plain.at('system.conf')}" cannot be copied to a new file (spawn cp ENOENT): set in_place = true to write into the file`,
    ]);
    expect(plain.read('system.conf')).toBe('value = a\n');
    await plain.reset();
    expect([plain.read('system.conf'), plain.kept()]).toEqual(['as it was', []]);
    await inPlace.inject('b');
    expect(inPlace.read('system.conf')).toBe('value = b\n');
  });

  test('and with another name is refused, before anything is kept', async () => {
    const { at, inject, read, kept } = await rig([WHOLE]);
    writeFileSync(at('other.conf'), 'as it was');
    linkSync(at('other.conf'), at('system.conf'));
    const [code, message] = await failureOf(inject('a'));
    expect([code, message]).toEqual([
      'hard-links',
      `"${at('system.conf')}" has another hard link, which would keep the old content: set in_place = true to write into the file, or use a file without hard links`,
    ]);
    expect([read('other.conf'), kept()]).toEqual(['as it was', []]);
  });

  test('is written into where the manifest says so', async () => {
    const { at, inject, reset, read, kept } = await rig([`${WHOLE}\nin_place = true`]);
    writeFileSync(at('other.conf'), 'as it was, and longer than the new one');
    linkSync(at('other.conf'), at('system.conf'));
    const { ino } = statSync(at('system.conf'));
    await inject('a');
    expect([read('other.conf'), statSync(at('system.conf')).ino]).toEqual(['value = a\n', ino]);
    await inject('a longer value');
    expect(read('other.conf')).toBe('value = a longer value\n');
    await reset();
    expect(read('other.conf')).toBe('as it was, and longer than the new one');
    expect([statSync(at('system.conf')).ino, kept()]).toEqual([ino, []]);
  });

  test('is written into by all as long as one must, until it is as it was', async () => {
    const { at, all, read, kept } = await rig([`${WHOLE}\nin_place = true`, WHOLE]);
    writeFileSync(at('system.conf'), 'as it was');
    const { ino } = statSync(at('system.conf'));
    const inject = (index: number) => all[index]?.inject(mutationOf(valuesOf({ value: 'same' })));
    await inject(0);
    await inject(1);
    await all[1]?.reset();
    await inject(1);
    await all[0]?.reset();
    await all[1]?.reset();
    expect(read('system.conf')).toBe('as it was');
    expect([statSync(at('system.conf')).ino, kept()]).toEqual([ino, []]);
  });
});

describe('two mutators of one file by different paths', () => {
  const inPlace = (path: string) => `path = "${path}"\ntemplate = "{value}"\nin_place = true`;
  const mutate = (value: string) => mutationOf(valuesOf({ value }));

  test('which are its hard links: the second is refused while the first is active', async () => {
    const { at, all, read, kept } = await rig([inPlace('one.conf'), inPlace('two.conf')]);
    const [one, two] = all as [LiveActuator, LiveActuator];
    writeFileSync(at('one.conf'), 'as it was');
    linkSync(at('one.conf'), at('two.conf'));
    for (const value of ['a', 'a longer value']) {
      await one.inject(mutate('a'));
      expect(await failureOf(two.inject(mutate(value)))).toEqual([
        'same-file',
        `"${at('two.conf')}" is the same file as "${at('one.conf')}", which is mutated: use the same path in both mutators`,
      ]);
      await two.reset();
      expect(read('two.conf')).toBe('a');
      await one.reset();
      expect([read('two.conf'), kept()]).toEqual(['as it was', []]);
    }
    await two.inject(mutate('b'));
    expect((await failureOf(one.inject(mutate('a'))))[0]).toBe('same-file');
    await two.reset();
    expect([read('one.conf'), kept()]).toEqual(['as it was', []]);
  });

  test('at the same moment: one of them is refused', async () => {
    const paths = ['a', 'b', 'c', 'd'].map((name) => `${name}.conf`);
    const { at, all, read, kept } = await rig(paths.map(inPlace));
    writeFileSync(at('a.conf'), 'as it was');
    for (const path of paths.slice(1)) linkSync(at('a.conf'), at(path));
    const settled = await Promise.allSettled(all.map((one) => one.inject(mutate('x'))));
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(refused).toEqual(['same-file', 'same-file', 'same-file']);
    for (const one of all.toReversed()) await one.reset();
    expect([read('a.conf'), kept()]).toEqual(['as it was', []]);
  });

  test('because its directory has another name now: the second is refused', async () => {
    const { at, all, read } = await rig(
      ['old', 'new'].map((name) => `path = "${name}/s.conf"\ntemplate = "{value}"`),
    );
    const [one, two] = all as [LiveActuator, LiveActuator];
    mkdirSync(at('old'));
    writeFileSync(at('old/s.conf'), 'as it was');
    await one.inject(mutate('a'));
    renameSync(at('old'), at('new'));
    expect((await failureOf(two.inject(mutate('b'))))[0]).toBe('same-file');
    expect((await failureOf(one.reset()))[0]).toBe('file');
    renameSync(at('new'), at('old'));
    await one.reset();
    expect(read('old/s.conf')).toBe('as it was');
  });
});
