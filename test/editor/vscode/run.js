import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { install, installExtension, start } from './vscode-server.js';

/*
 * Runs the extension in VS Code itself, in a Chromium without a window: findings, hover, the
 * Problems panel, a fix, and what is asked of a mutator server before and after the folder is
 * trusted. With --pictures it writes the pictures of docs/editors.md too. Loopback only.
 */

const PICTURES = 'docs/pictures';
/** What VS Code showed when the script ended, for whoever has to find out why. */
const LAST_SEEN = join(tmpdir(), 'perturb-vscode-last.png');
const SETTINGS = {
  'workbench.colorTheme': 'Default Light Modern',
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.layoutControl.enabled': false,
  'window.commandCenter': false,
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'editor.stickyScroll.enabled': false,
  'editor.scrollBeyondLastLine': false,
  'editor.occurrencesHighlight': 'off',
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
};

const pictures = process.argv.includes('--pictures');
const executablePath = [process.env['PERTURB_TEST_CHROMIUM'], '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
);
if (executablePath === undefined) {
  throw new Error('there is no Chromium: name one in PERTURB_TEST_CHROMIUM');
}

/** @type {(() => unknown)[]} */
const endings = [];

/** @param {string} text */
const say = (text) => process.stdout.write(`${text}\n`);

/** A mutator server that counts how often it is asked for its mutators. */
async function countingServer() {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.setHeader('content-type', 'application/json').end('[]');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, asked: () => asked };
}

/** @param {string} root */
async function prepare(root) {
  install();
  const vsix = join(root, 'perturb.vsix');
  const { status } = spawnSync(process.execPath, ['editors/vscode/vsix.js', vsix], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  assert.equal(status, 0);
  const data = join(root, 'vscode');
  await installExtension(data, vsix);
  const mutators = await countingServer();
  const folder = join(root, 'bench');
  mkdirSync(folder);
  cpSync('examples/wind.objective.toml', join(folder, 'wind.objective.toml'));
  writeFileSync(join(folder, 'perturb.toml'), `[lint]\nmutators = ["${mutators.url}"]\n`);
  return { data, folder, mutators };
}

/**
 * A picture of the editor without the bars around it.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} name
 * @param {number} bottom
 */
async function takePicture(page, name, bottom) {
  if (!pictures) return;
  const clip = { x: 50, y: 0, width: 710, height: bottom };
  await page.screenshot({ path: join(PICTURES, `${name}.png`), clip });
}

async function main() {
  const root = mkdtempSync(join(tmpdir(), 'perturb-in-vscode-'));
  endings.push(() => rmSync(root, { recursive: true, force: true }));
  const { data, folder, mutators } = await prepare(root);
  const { child, port } = await start(data, SETTINGS);
  endings.push(async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });
  const browser = await chromium.launch({
    executablePath: /** @type {string} */ (executablePath),
    args: [
      ...['--no-sandbox', '--disable-gpu'],
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
  endings.push(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 760, height: 660 } });
  page.setDefaultTimeout(30_000);
  endings.push(() => page.screenshot({ path: LAST_SEEN }).catch(() => {}));

  const file = `vscode-remote://127.0.0.1:${port}${folder}/wind.objective.toml`;
  const payload = encodeURIComponent(JSON.stringify([['openFile', file]]));
  await page.goto(`http://127.0.0.1:${port}/?folder=${folder}&payload=${payload}`);

  await page.locator('.squiggly-warning').first().waitFor();
  await page.locator('.squiggly-error').nth(3).waitFor();
  say('squiggles: 4 errors and 1 warning');

  await page.keyboard.press('Control+B');
  await page.keyboard.press('Control+Shift+M');
  const problems = page.locator('.markers-panel .monaco-list-row');
  await problems.filter({ hasText: 'expression/unknown-label' }).waitFor();
  await page
    .getByRole('tab', { name: /^Problems/ })
    .getByText('5', { exact: true })
    .waitFor();
  await takePicture(page, 'vscode-problems', 640);
  say('Problems: 5');
  await page.keyboard.press('Control+Shift+M');

  const misspelt = page
    .locator('.view-line span')
    .filter({ hasText: /^baet$/ })
    .last();
  await misspelt.hover();
  const hover = page.locator('.monaco-hover:visible').filter({ hasText: 'baet' });
  await hover.getByText('expression/unknown-label').waitFor();
  await takePicture(page, 'vscode-hover', 500);
  say('hover: the finding, and the link to its rule');

  assert.equal(mutators.asked(), 0, 'a server was asked in Restricted Mode');
  say('Restricted Mode: no mutator server asked');

  await page
    .locator('.view-line span')
    .filter({ hasText: /^HEARTBEAT$/ })
    .last()
    .click();
  await page.keyboard.press('Control+.');
  await page.locator('.action-widget').getByText("'HEARTBEAT'").click();
  await page.locator('.view-line').filter({ hasText: "name = 'HEARTBEAT'" }).waitFor();
  say('quick fix: taken');

  await page.getByText('Restricted Mode').click();
  await page.getByText('Trust', { exact: true }).first().click();
  await page.locator('.squiggly-error').first().waitFor();
  const end = Date.now() + 60_000;
  while (mutators.asked() === 0 && Date.now() < end) await page.waitForTimeout(100);
  assert.ok(mutators.asked() > 0, 'no server was asked in a trusted folder');
  say('trusted: the mutator server is asked');
}

try {
  await main();
} finally {
  for (const end of endings.reverse()) await end();
}
