export * from '../../durable/index.js';
