import { startChdb } from '../../evaluation/clickhouse/server.js';
import { hostsEnvironment } from './hosts.js';
import type { Provide } from './provided.js';

const PASSWORD = "the lab's password";

/** Puts ClickHouse's engine, with an empty database and a user `lab`, at db.example. */
export const provideClickHouse: Provide = async () => {
  const credentials = `lab:${PASSWORD}`;
  const { url, stop } = await startChdb(credentials);
  const created = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: 'create database perturb',
  });
  if (!created.ok) throw new Error(await created.text());
  return {
    env: { ...hostsEnvironment, CLICKHOUSE_PASSWORD: PASSWORD },
    hosts: { 'db.example': Number(new URL(url).port) },
    end: stop,
  };
};
