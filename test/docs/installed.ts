import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The package as npm installs it in an empty folder. */
export interface Installation {
  readonly root: string;
  readonly modules: string;
  /** What was packed. */
  readonly tarball: string;
}

/** Packs what is built, and installs it with its dependencies from the registry. */
export function installPackage(): Installation {
  const root = mkdtempSync(join(tmpdir(), 'perturb-installed-'));
  npm('.', 'pack', '--silent', '--ignore-scripts', '--pack-destination', root);
  const [name = ''] = readdirSync(root);
  const tarball = join(root, name);
  writeFileSync(join(root, 'package.json'), '{ "private": true, "type": "module" }');
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  npm(root, 'install', ...quiet, tarball);
  return { root, modules: join(root, 'node_modules'), tarball };
}

/**
 * Lets npm work for a reader with a home of their own as it works here: with the same registry,
 * certificates, proxies and cache.
 */
export function npmEnvironment(): Record<string, string> {
  const passed = Object.entries(process.env).filter(([name]) =>
    /^(?:npm_config_\w+|https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir))$/i.test(
      name,
    ),
  );
  return {
    ...(Object.fromEntries(passed) as Record<string, string>),
    npm_config_cache: configured('cache'),
    npm_config_userconfig: configured('userconfig'),
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}

/** A setting of npm. */
function configured(name: 'cache' | 'userconfig'): string {
  return npm('.', 'config', 'get', name).trim();
}

function npm(cwd: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
  return stdout;
}
