import { readFileSync } from 'node:fs';
import { type ExpressionText, expressionsOf } from '../../src/objective/index.js';
import {
  joinVocabularies,
  readSession,
  type Vocabulary,
  vocabularyOf,
} from '../../src/session/index.js';
import { decodeSource } from '../../src/source/index.js';
import { readToml } from '../../src/toml/index.js';

/* Right expressions, each with sessions of the system that it is about. */

export interface RightText extends Pick<ExpressionText, 'text' | 'role'> {
  readonly from: string;
  readonly vocabulary: Vocabulary;
}

type Event = readonly [probe: string, name: string, attributes?: Readonly<Record<string, unknown>>];

/** What the objectives of examples/objectives speak of; each event is recorded several times. */
const EVENTS: Readonly<Record<string, readonly Event[]>> = {
  'drone-wind': [
    ['AUTOPILOT', 'TAKEOFF'],
    ['AUTOPILOT', 'HEARTBEAT', { severity: 1 }],
    ['AUTOPILOT', 'HEARTBEAT_LATE', { severity: 4, payload: 320 }],
    ['AUTOPILOT', 'MODE_CHANGE', { payload: 'LAND', cause: 7 }],
    ['AUTOPILOT', 'MODE_CHANGE', { payload: 'RTL', cause: 8 }],
    ['GAZEBO', 'POSITION', { altitude: 2.5 }],
    ['GAZEBO', 'GUST', { force: 13.5, id: 7 }],
    ['NAVIGATOR', 'COURSE_ERROR', { payload: 1.5 }],
  ],
  'web-shop-latency': [
    ['storefront', 'order.accepted', { 'order-id': 1, severity: 1 }],
    ['storefront', 'order.confirmed', { 'order-id': 1 }],
    ['storefront', 'order.refused', { 'order-id': 2 }],
    ['stock-client', 'call.start', { 'call-id': 1, attempt: 2 }],
    ['stock-client', 'call.timeout', { 'call-id': 1, attempt: 1 }],
    ['payments', 'payment.captured', { 'order-id': 1 }],
    ['storefront', 'response.sent', { match: 'static', status: 200, 'duration-ms': 12 }],
    ['storefront', 'response.sent', { match: 'order', status: 200, 'duration-ms': 40 }],
  ],
  'can-gateway': [
    ['gateway', 'GATEWAY_READY'],
    ['powertrain bus', 'first frame'],
    ['powertrain bus', 'rx', { 'can-id': 280, sequence: 1 }],
    ['body bus', 'tx', { 'can-id': 280, sequence: 1, 'latency-us': 800 }],
    ['gateway', 'drop', { 'source.line': 3 }],
    ['gateway', 'diagnostic', { severity: 4, payload: 'U0100', 'source.line': 3 }],
    ['gateway', 'boot', { cause: 'power-on' }],
  ],
  'robot-arm-torque': [
    ['gripper', 'GRIP_CLOSED', { force: 50.0 }],
    ['arm', 'MOTION_STARTED'],
    ['arm', 'HOMING_DONE', { ok: true }],
    ['gripper', 'BOX_LIFTED', { box: 1 }],
    ['gripper', 'CONTACT_LOST', { box: 1 }],
    ['table-sensor', 'CONTACT_LOST', { box: 1 }],
    ['gripper', 'BOX_PLACED', { box: 1 }],
    ['arm', 'OVER_TORQUE', { severity: 6, joint: 2 }],
    ['arm', 'STOPPED', { joint: 2, scope: 'arm' }],
    ['arm', 'STOPPED', { joint: 1, scope: 'joint' }],
    [
      'arm',
      'POSE',
      { phase: 'at-target', 'error.x': 0.1, 'error.y': 0.1, 'error.z': 0.1, retries: 0 },
    ],
    [
      'arm',
      'POSE',
      { phase: 'moving', 'error.x': 0.1, 'error.y': 0.1, 'error.z': 0.1, retries: 0 },
    ],
  ],
};

export async function vocabularyIn(...texts: readonly string[]): Promise<Vocabulary> {
  const sessions = await Promise.all(texts.map((text) => readSession(text)));
  return joinVocabularies(
    sessions.map(({ session, problems }) => {
      if (session === undefined) throw new Error(JSON.stringify(problems));
      return vocabularyOf(session);
    }),
  );
}

/** The session of events, each `times` times, one after another by their clocks. */
export function sessionOf(events: readonly Event[], times = 5): string {
  return Array.from({ length: times }, () => events)
    .flat()
    .map(([probe, name, attributes = {}], time) => {
      return `${JSON.stringify({ probe, name, time, attributes })}\n`;
    })
    .join('');
}

function textsOf(path: string): readonly Pick<ExpressionText, 'text' | 'role'>[] {
  const { document } = readToml(decodeSource(path, readFileSync(path)));
  return document === undefined ? [] : expressionsOf(document);
}

/** The right expressions of the examples and of docs/questions.md. */
export async function rightTexts(): Promise<RightText[]> {
  const read = (path: string) => readFileSync(path, 'utf8');
  const ofObjectives = Object.entries(EVENTS).map(
    async ([name, events]) =>
      [
        `examples/objectives/${name}.objective.toml`,
        await vocabularyIn(sessionOf(events)),
      ] as const,
  );
  const drone = [
    'examples/drone/drone.objective.toml',
    await vocabularyIn(read('examples/sessions/drone.session.jsonl')),
  ] as const;
  const objectives = [...(await Promise.all(ofObjectives)), drone].flatMap(([from, vocabulary]) =>
    textsOf(from).map((one) => ({ ...one, from, vocabulary })),
  );
  const asked = await vocabularyIn(
    ...['good', 'bad'].map((name) => read(`examples/questions/${name}.session.jsonl`)),
  );
  const questions = read('docs/questions.md').matchAll(/^```trace\n(.*?)^```$/gms);
  return [
    ...objectives,
    ...[...questions].map(([, text = '']) => ({
      ...{ text, role: 'check' as const, from: 'docs/questions.md', vocabulary: asked },
    })),
  ];
}
