export * from './core.js';
export * from './http.js';
