import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

/*
 * Every `console` block of the docs is run, and holds what its commands print:
 * a document is its own golden file, so `npm run golden` writes it anew.
 */

const bin = mkdtempSync(join(tmpdir(), 'perturb-docs-'));
const shim = join(bin, 'perturb');
writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${resolve('dist/bin.cjs')}" "$@"\n`);
chmodSync(shim, 0o755);
afterAll(() => rmSync(bin, { recursive: true }));

function run(command: string): string {
  const env = { PATH: `${bin}${delimiter}${process.env['PATH']}` };
  const { stdout, stderr, error } = spawnSync('sh', ['-c', `${command} 2>&1`], {
    encoding: 'utf8',
    env,
  });
  if (error) throw error;
  return `$ ${command}\n${stdout}${stderr}`;
}

function rerun(document: string): string {
  return document.replace(/^```console\n(.*?)^```$/gms, (_block, body: string) => {
    const commands = body.split('\n').filter((line) => line.startsWith('$ '));
    return `\`\`\`console\n${commands.map((line) => run(line.slice(2))).join('\n')}\`\`\``;
  });
}

const documents = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

test.each(documents)('%s shows what its commands print', async (path) => {
  await expect(rerun(readFileSync(path, 'utf8'))).toMatchFileSnapshot(resolve(path));
});

test.each(documents)('the links of %s lead somewhere', (path) => {
  const text = readFileSync(path, 'utf8').replace(/^```.*?^```$/gms, '');
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link as string);
  const known = links.filter((link) => {
    const target = resolve(path, '..', link);
    try {
      return readdirSync(resolve(target, '..')).includes(target.split('/').at(-1) as string);
    } catch {
      return false;
    }
  });
  expect(known).toEqual(links);
});
