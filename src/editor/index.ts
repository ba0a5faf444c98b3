export { type EditorOptions, serveEditor } from './server.js';
