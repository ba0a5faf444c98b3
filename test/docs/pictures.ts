import { sessionPictures } from './session-pictures.js';
import type { SpaceTime } from './space-time.js';

/*
 * The pictures of docs/trace-tutorial.md. All show one flight: a simulator
 * (GAZEBO) that blows gusts, and an autopilot that sends heartbeats.
 */

const FLIGHT: SpaceTime = {
  title:
    'GAZEBO has g1, a gust of force 8, and then g2, a gust of force 14. AUTOPILOT has the heartbeats b1, b2 and b3. An arrow leads from a dot of GAZEBO after g1 to a dot of AUTOPILOT between b1 and b2, and another from a dot after g2 to one between b2 and b3.',
  probes: ['GAZEBO', 'AUTOPILOT'],
  events: [
    { id: 'g1', probe: 'GAZEBO', at: 1, text: 'g1: GUST\nforce 8', look: 'match' },
    { id: 's1', probe: 'GAZEBO', at: 2 },
    { id: 'g2', probe: 'GAZEBO', at: 4, text: 'g2: GUST\nforce 14', look: 'match' },
    { id: 's2', probe: 'GAZEBO', at: 5 },
    { id: 'b1', probe: 'AUTOPILOT', at: 0, text: 'b1: HEARTBEAT', look: 'second', side: 'below' },
    { id: 'r1', probe: 'AUTOPILOT', at: 2.6 },
    { id: 'b2', probe: 'AUTOPILOT', at: 3.6, text: 'b2: HEARTBEAT', look: 'second', side: 'below' },
    { id: 'r2', probe: 'AUTOPILOT', at: 5.6 },
    { id: 'b3', probe: 'AUTOPILOT', at: 6.6, text: 'b3: HEARTBEAT', look: 'second', side: 'below' },
  ],
  messages: [
    { from: 's1', to: 'r1', text: 'wind' },
    { from: 's2', to: 'r2', text: 'wind' },
  ],
};

/** A second flight, in which the heartbeats stop. */
const STOPPED: SpaceTime = {
  title:
    'GAZEBO has the gusts g1 and g2. AUTOPILOT has the heartbeats b1 and b2, and later a landing. An arrow leads from a dot of GAZEBO after g1 to a dot of AUTOPILOT before b1, and another from a dot after g2 to one between b2 and the landing.',
  probes: ['GAZEBO', 'AUTOPILOT'],
  events: [
    { id: 'g1', probe: 'GAZEBO', at: 0.2, text: 'g1: GUST', look: 'match' },
    { id: 's1', probe: 'GAZEBO', at: 0.9 },
    { id: 'g2', probe: 'GAZEBO', at: 3.8, text: 'g2: GUST', look: 'match' },
    { id: 's2', probe: 'GAZEBO', at: 4.5 },
    { id: 'r1', probe: 'AUTOPILOT', at: 1.5 },
    { id: 'b1', probe: 'AUTOPILOT', at: 2.4, text: 'b1: HEARTBEAT', look: 'second', side: 'below' },
    { id: 'b2', probe: 'AUTOPILOT', at: 4, text: 'b2: HEARTBEAT', look: 'second', side: 'below' },
    { id: 'r2', probe: 'AUTOPILOT', at: 5.3 },
    { id: 'land', probe: 'AUTOPILOT', at: 6.4, text: 'LANDING', side: 'below' },
  ],
  messages: [
    { from: 's1', to: 'r1' },
    { from: 's2', to: 'r2' },
  ],
};

/** By the name of the file. */
export const pictures: Readonly<Record<string, SpaceTime>> = {
  ...sessionPictures,
  flight: FLIGHT,
  'happened-before': {
    ...FLIGHT,
    title:
      'The same flight. A path is marked: from g1 along the line of GAZEBO, over the first message, and along the line of AUTOPILOT to b2. So g1 happened before b2. Between g2 and b2 there is no path in either direction: they are unordered.',
    paths: [['g1', 's1', 'r1', 'b2']],
    links: [{ from: 'g2', to: 'b2', text: 'unordered', look: 'fails' }],
  },
  bindings: {
    ...FLIGHT,
    title:
      'The same flight with the three pairs that WHEN gust -> beat keeps: g1 with b2, g1 with b3, and g2 with b3.',
    messages: (FLIGHT.messages ?? []).map(({ from, to }) => ({ from, to })),
    links: [
      { from: 'g1', to: 'b2', text: '1', look: 'holds' },
      { from: 'g1', to: 'b3', text: '2', look: 'holds' },
      { from: 'g2', to: 'b3', text: '3', look: 'holds' },
    ],
  },
  chain: {
    title:
      'Three probes. A gust at GAZEBO, a mode change at AUTOPILOT behind the message from GAZEBO, and an alarm at GROUND behind the message from AUTOPILOT: a path leads over all three. An earlier alarm at GROUND has no path to or from the gust or the mode change.',
    probes: ['GAZEBO', 'AUTOPILOT', 'GROUND'],
    events: [
      { id: 'gust', probe: 'GAZEBO', at: 0.6, text: 'GUST', look: 'match' },
      { id: 's1', probe: 'GAZEBO', at: 1.6 },
      { id: 'r1', probe: 'AUTOPILOT', at: 2.4 },
      { id: 'mode', probe: 'AUTOPILOT', at: 3.4, text: 'MODE_CHANGE', look: 'second' },
      { id: 's2', probe: 'AUTOPILOT', at: 4.4 },
      { id: 'early', probe: 'GROUND', at: 1, text: 'ALARM', look: 'match', side: 'below' },
      { id: 'r2', probe: 'GROUND', at: 5.2 },
      { id: 'alarm', probe: 'GROUND', at: 6.2, text: 'ALARM', look: 'match', side: 'below' },
    ],
    messages: [
      { from: 's1', to: 'r1' },
      { from: 's2', to: 'r2' },
    ],
    paths: [['gust', 's1', 'r1', 'mode', 's2', 'r2', 'alarm']],
  },
  absence: {
    ...STOPPED,
    title:
      'The second flight. The path from g2 over the second message to the landing is marked: there is no heartbeat on it. From g1 a path leads to b1.',
    paths: [['g2', 's2', 'r2', 'land']],
    links: [{ from: 'g1', to: 'b1', text: 'answered', look: 'holds' }],
  },
  next: {
    ...STOPPED,
    title:
      'The second flight. b1 is the next heartbeat after g1. b2 is not: b1 lies between g1 and b2.',
    paths: [['g1', 's1', 'r1', 'b1', 'b2']],
    links: [
      { from: 'g1', to: 'b1', text: 'next', look: 'holds' },
      { from: 'g1', to: 'b2', text: 'not next', look: 'fails' },
    ],
  },
  groups: {
    ...STOPPED,
    title:
      'The second flight in two groups. The group of g1 has two bindings, with b1 and with b2. The group of g2 has none.',
    events: STOPPED.events.map((event) =>
      event.id === 'g1'
        ? { ...event, text: 'g1: GUST\n2 bindings' }
        : event.id === 'g2'
          ? { ...event, text: 'g2: GUST\n0 bindings' }
          : event,
    ),
    links: [
      { from: 'g1', to: 'b1', text: '1', look: 'holds' },
      { from: 'g1', to: 'b2', text: '2', look: 'holds' },
    ],
  },
};
