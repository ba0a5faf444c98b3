export { createConnection } from 'vscode-languageserver/node';
export { type EditorOptions, serveEditor, serveStdio } from './server.js';
