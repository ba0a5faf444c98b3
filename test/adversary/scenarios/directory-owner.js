import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject, serve } from '../harness/server.js';
import { mutator } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

const OWNER = 65_533;

/** Puts a link in the place of the file and of each new one, over and over, and looks what it can read. */
const ATTACK = `
  const fs = require('node:fs');
  const secret = process.argv[1];
  const step = (work) => { try { work(); } catch {} };
  let seen = 0;
  let isOver = false;
  process.stdin.on('end', () => { isOver = true; }).resume();
  const round = () => {
    for (let index = 0; index < 50; index++) {
      step(() => fs.symlinkSync(secret, 'link'));
      step(() => fs.renameSync('system.conf', 'aside'));
      step(() => fs.renameSync('link', 'system.conf'));
      step(() => fs.renameSync('aside', 'system.conf'));
      step(() => {
        for (const name of fs.readdirSync('.').filter((one) => one.endsWith('.new'))) {
          step(() => fs.unlinkSync(name));
          fs.symlinkSync(secret, name);
        }
      });
      step(() => fs.writeFileSync('system.conf', 'as it was', { flag: 'wx', mode: 0o666 }));
      for (const name of ['system.conf', 'aside']) step(() => {
        const isFile = fs.lstatSync(name).isFile();
        if (isFile && fs.readFileSync(name, 'utf8').includes('a secret')) seen += 1;
      });
    }
    if (!isOver) return setImmediate(round);
    console.log(seen);
    process.exit();
  };
  console.log('ready');
  round();`;

/** @type {Scenario} */
export const directoryOwner = {
  name: 'directory-owner',
  promise:
    'the owner of a directory with a mutated file has no other file read or written by links',
  async run(place, size) {
    if (process.getuid?.() !== 0 || process.platform !== 'linux') {
      return { figures: '', broken: [], skipped: 'only root on Linux can play another user' };
    }
    const at = (/** @type {string} */ name) => join(place.directory, name);
    chmodSync(place.directory, 0o755);
    writeFileSync(at('secret'), 'a secret', { mode: 0o600 });
    const about = () => {
      const { mode, uid, gid } = lstatSync(at('secret'));
      return JSON.stringify([mode, uid, gid, readFileSync(at('secret'), 'utf8')]);
    };
    const before = about();
    const file = at('theirs/system.conf');
    mkdirSync(dirname(file));
    writeFileSync(file, 'as it was');
    for (const path of [dirname(file), file]) chownSync(path, OWNER, OWNER);
    const manifest = mutator(
      'wind',
      'kind = "file"\npath = "theirs/system.conf"\ntemplate = "mutated"',
    );
    const server = await serve(place, { manifest });
    const attacker = spawn(process.execPath, ['-e', ATTACK, at('secret')], {
      cwd: dirname(file),
      uid: OWNER,
      gid: OWNER,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    place.defer(() => attacker.kill('SIGKILL'));
    attacker.stdout.setEncoding('utf8');
    await once(attacker.stdout, 'data');
    const times = size === 'full' ? 1_000 : 20;
    /** @type {string[]} */
    const broken = [];
    for (let index = 0; index < times; index++) {
      await inject(server.url, 'wind');
      const url = `${server.url}/mutator/wind/mutation`;
      await (await fetch(url, { method: 'DELETE' })).arrayBuffer();
    }
    attacker.stdin.end();
    const [seen] = await once(attacker.stdout, 'data');
    if (Number(seen) !== 0) broken.push('the secret was read');
    if (about() !== before) broken.push(`the secret is ${about()} now`);
    process.kill(server.pid, 'SIGKILL');
    await server.exit;
    return {
      figures: `${times} injections and resets, against links put there all the time`,
      broken,
    };
  },
};
