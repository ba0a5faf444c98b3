import { createConnection } from 'vscode-languageserver/node';
import { type EditorOptions, serveEditor } from './server.js';

/** Serves an editor on stdin and stdout. Resolves when it is done or goes away. */
export function serveStdio(options: EditorOptions): Promise<void> {
  const connection = createConnection(process.stdin, process.stdout);
  serveEditor(connection, options);
  return new Promise((done) => {
    connection.onExit(() => done());
    process.stdin.on('end', () => done());
    process.stdin.on('close', () => done());
    process.stdout.on('error', () => done());
  });
}
