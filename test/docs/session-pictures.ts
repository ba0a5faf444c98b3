import type { SpaceTime } from './space-time.js';

/*
 * The pictures of docs/sessions.md and its reference: what orders the events of traces and of logs
 * with vector clocks.
 */

/** By the name of the file. */
export const sessionPictures: Readonly<Record<string, SpaceTime>> = {
  'session-spans': {
    title:
      'Two services. At front a span checkout starts and ends; at stock a span reserve, its child, starts later and ends earlier. An arrow leads from the start of checkout down to the start of reserve, and another from the end of reserve up to the end of checkout.',
    probes: ['front', 'stock'],
    events: [
      { id: 'p', probe: 'front', at: 0.6, text: 'checkout\nspan.start', look: 'match' },
      { id: 'P', probe: 'front', at: 6.4, text: 'checkout\nspan.end', look: 'match' },
      {
        id: 'c',
        probe: 'stock',
        at: 2,
        text: 'reserve\nspan.start',
        look: 'second',
        side: 'below',
      },
      { id: 'e', probe: 'stock', at: 3.5, text: 'retry', side: 'below' },
      { id: 'C', probe: 'stock', at: 5, text: 'reserve\nspan.end', look: 'second', side: 'below' },
    ],
    messages: [
      { from: 'p', to: 'c' },
      { from: 'C', to: 'P' },
    ],
  },
  'session-late': {
    title:
      'The same two services, but reserve ends after checkout. An arrow leads from the start of checkout to the start of reserve. Between the ends there is none: they are unordered.',
    probes: ['front', 'stock'],
    events: [
      { id: 'p', probe: 'front', at: 0.6, text: 'checkout\nspan.start', look: 'match' },
      { id: 'P', probe: 'front', at: 4.4, text: 'checkout\nspan.end', look: 'match' },
      {
        id: 'c',
        probe: 'stock',
        at: 2,
        text: 'reserve\nspan.start',
        look: 'second',
        side: 'below',
      },
      { id: 'C', probe: 'stock', at: 6, text: 'reserve\nspan.end', look: 'second', side: 'below' },
    ],
    messages: [{ from: 'p', to: 'c' }],
    links: [{ from: 'P', to: 'C', text: 'unordered', look: 'fails' }],
  },
  'session-clocks': {
    title:
      'Two hosts with vector clocks. At a three events have the clocks a 1, a 2 and a 4. At b two events have the clocks b 1, and a 3 b 2. The entry of a grew to 3, and there is no event of a with 3, so an arrow leads from the event with a 2 to that event of b.',
    probes: ['a', 'b'],
    events: [
      { id: 'a1', probe: 'a', at: 0.6, text: 'start\n{a: 1}', look: 'match' },
      { id: 'a2', probe: 'a', at: 2.2, text: 'send\n{a: 2}', look: 'match' },
      { id: 'a4', probe: 'a', at: 5.4, text: 'stop\n{a: 4}', look: 'match' },
      { id: 'b1', probe: 'b', at: 1.4, text: 'start\n{b: 1}', look: 'second', side: 'below' },
      {
        id: 'b2',
        probe: 'b',
        at: 4,
        text: 'receive\n{a: 3, b: 2}',
        look: 'second',
        side: 'below',
      },
    ],
    messages: [{ from: 'a2', to: 'b2' }],
  },
};
