import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isLong, runs } from '../long.js';
import { buildProgram } from '../server/programs/run-program.js';
import { temporaryDirectory } from '../server/support.js';

/** Two users of this machine that the file is not readable for. */
const OWNER = 65_533;
const OTHER = 65_532;
const TIMES = Number(process.env['PERTURB_TEST_TRIES'] ?? runs(300));

/** What the owner of the directory does over and over; each step may fail. */
const attacks = {
  'a link put in the place of the file': `
    step(() => fs.symlinkSync(secret, 'link'));
    step(() => fs.renameSync('system.conf', 'aside'));
    step(() => fs.renameSync('link', 'system.conf'));
    step(() => fs.renameSync('aside', 'system.conf'));
    step(() => fs.writeFileSync('system.conf', 'as it was', { flag: 'wx', mode: 0o666 }));`,
  'a link put in the place of the directory': `
    step(() => fs.symlinkSync(path.dirname(secret), '../link'));
    step(() => fs.renameSync('../own', '../aside'));
    step(() => fs.renameSync('../link', '../own'));
    step(() => fs.unlinkSync('../own'));
    step(() => fs.renameSync('../aside', '../own'));
    step(() => fs.writeFileSync('../own/system.conf', 'as it was', { flag: 'wx', mode: 0o666 }));`,
  'a link put where the new file is written': `
    step(() => {
      for (const name of fs.readdirSync('.').filter((one) => one.endsWith('.new'))) {
        step(() => fs.unlinkSync(name));
        fs.symlinkSync(secret, name);
      }
    });
    step(() => { if (fs.lstatSync('system.conf').isSymbolicLink()) fs.unlinkSync('system.conf'); });
    step(() => fs.writeFileSync('system.conf', 'as it was', { flag: 'wx', mode: 0o666 }));`,
};

const script = (attack: string) => `
  const fs = require('node:fs');
  const path = require('node:path');
  const [secret] = process.argv.slice(1);
  const step = (work) => { try { work(); } catch {} };
  let seen = 0;
  const look = (name) => step(() => {
    if (fs.lstatSync(name).isFile() && fs.readFileSync(name, 'utf8').includes('a secret')) seen += 1;
  });
  let isOver = false;
  process.stdin.on('end', () => { isOver = true; }).resume();
  const round = () => {
    for (let index = 0; index < 50; index++) {${attack}
      for (const name of ['system.conf', 'aside']) look(name);
    }
    if (!isOver) return setImmediate(round);
    console.log(seen);
    process.exit();
  };
  console.log('ready');
  round();`;

const isRoot = process.getuid?.() === 0;

// Another user can only be played by root: `npm test` as root runs these.
describe.skipIf(!isRoot || process.platform !== 'linux')('the owner of a directory', () => {
  const place = mkdtempSync(join(tmpdir(), 'perturb-race-'));
  let built = '';
  beforeAll(async () => {
    built = await buildProgram('race-program', place);
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test.each(
    Object.entries(attacks).flatMap(([name, attack]) => [
      { name, attack, server: 0, who: 'root' },
      // It can do nothing that root cannot.
      ...(isLong ? [{ name, attack, server: OTHER, who: 'another user' }] : []),
    ]),
  )('has nothing read or written by $who with $name', async ({ attack, server }) => {
    const home = temporaryDirectory();
    chmodSync(home, 0o777);
    // Where each user may read it.
    const program = join(home, 'race-program.mjs');
    copyFileSync(built, program);
    mkdirSync(join(home, 'secret'));
    writeFileSync(join(home, 'secret/system.conf'), 'a secret', { mode: 0o600 });
    for (const name of ['secret', 'secret/system.conf'])
      chownSync(join(home, name), server, server);
    const theirs = join(home, 'theirs/own');
    mkdirSync(theirs, { recursive: true });
    writeFileSync(join(theirs, 'system.conf'), 'as it was');
    for (const name of ['theirs', 'theirs/own', 'theirs/own/system.conf']) {
      chownSync(join(home, name), OWNER, OWNER);
      chmodSync(join(home, name), 0o777);
    }
    const start = (args: readonly string[], uid: number, cwd: string) => {
      const child = spawn(process.execPath, args, {
        cwd,
        uid,
        gid: uid,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      child.stdout.setEncoding('utf8');
      return child;
    };
    const attacker = start(['-e', script(attack), join(home, 'secret/system.conf')], OWNER, theirs);
    await once(attacker.stdout, 'data');
    const victim = start([program, home, join(theirs, 'system.conf'), String(TIMES)], server, home);
    const [said] = await Promise.race([once(victim.stdout, 'data'), once(victim, 'close')]);
    attacker.stdin.end();
    const [seen] = await once(attacker.stdout, 'data');
    const { read, isSame, refused, changed } = JSON.parse(String(said));
    expect({ read, isSame, seen: Number(seen) }).toEqual({ read: 0, isSame: true, seen: 0 });
    expect(changed + refused).toBeGreaterThanOrEqual(TIMES);
  });
});
