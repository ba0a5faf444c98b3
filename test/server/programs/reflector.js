import { spawn } from 'node:child_process';

/*
 * A stand-in for a reflector: `reflector.js PLUGIN STDIN` starts a plugin, prints its pid, and waits to be
 * killed. STDIN is what the plugin gets as stdin.
 */

const [, , plugin = '', stdin = ''] = process.argv;
const closing = stdin === 'closed' ? 'exec "$0" <&-' : 'exec "$0"';
const given = stdin === 'a pipe' ? 'pipe' : stdin === 'inherited' ? 'inherit' : 'ignore';
const child = spawn('sh', ['-c', closing, plugin], { stdio: [given, 'inherit', 'inherit'] });
process.stdout.write(`${child.pid}\n`);
