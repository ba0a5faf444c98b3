import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The package as npm installs it in an empty folder. */
export interface Installation {
  readonly root: string;
  readonly modules: string;
}

/** Packs what is built, and installs it with its dependencies from the registry. */
export function installPackage(): Installation {
  const root = mkdtempSync(join(tmpdir(), 'perturb-installed-'));
  npm('.', 'pack', '--silent', '--ignore-scripts', '--pack-destination', root);
  const [tarball = ''] = readdirSync(root);
  writeFileSync(join(root, 'package.json'), '{ "private": true, "type": "module" }');
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  npm(root, 'install', ...quiet, join(root, tarball));
  return { root, modules: join(root, 'node_modules') };
}

function npm(cwd: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
}
