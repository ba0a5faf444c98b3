export { createConnection } from 'vscode-languageserver/node';
export { type EditorOptions, serveEditor } from './server.js';
export { serveStdio } from './stdio.js';
