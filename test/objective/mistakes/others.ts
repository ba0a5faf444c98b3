import type { Mistake } from './objective.js';

/* Mistakes in manifests, in perturb.toml, and in names that recorded sessions know. */

/** A manifest without a mistake. */
export const RIGHT_MANIFEST = `[[mutator]]
name = "wind"
probe = "GAZEBO"

[[mutator.param]]
name = "speed"
type = "float"
hard_range = [0.0, 40.0]
default = 5.0

[[mutator.param]]
name = "mode"
type = "enum"
options = ["gust", "steady"]

[mutator.actuator]
kind = "http"

[mutator.actuator.inject]
url = "http://127.0.0.1:9000/wind"
body = '{ "speed": "{speed}", "mode": "{mode}" }'

[mutator.actuator.reset]
url = "http://127.0.0.1:9000/calm"

[[mutator]]
name = "fan"

[[mutator.param]]
name = "level"
type = "integer"
hard_range = [0, 5]

[mutator.actuator]
kind = "exec"
inject = ["./fan.sh", "{level}"]
reset = ["./fan.sh", "off"]
`;

export const MANIFEST_MISTAKES: readonly Mistake[] = [
  ['in a manifest, no type', 'name = "speed"\ntype = "float"', 'name = "speed"', 'type'],
  ['in a manifest, a misspelt key', 'probe =', '«prob» =', 'probe'],
  [
    'in a manifest, min for hard_range',
    'hard_range = [0.0, 40.0]',
    '«min» = 0.0\nmax = 40.0',
    'hard_range = [0.0, 40.0]',
  ],
  ['in a manifest, a number in quotes', 'default = 5.0', 'default = «"5.0"»', '5.0'],
  [
    'in a manifest, a text for an array',
    '["./fan.sh", "off"]',
    '«"./fan.sh off"»',
    '["./fan.sh", "off"]',
  ],
  ['in a manifest, int', 'type = "float"', 'type = «"int"»', 'integer'],
  ['in a manifest, a default outside', 'default = 5.0', 'default = «50.0»', '40.0'],
  ['in a manifest, an id twice', 'name = "fan"', 'name = "fan"\nid = «"wind"»', 'another id'],
  ['in a manifest, a range upside down', '[0.0, 40.0]', '«[40.0, 0.0]»'],
  ['in a manifest, a misspelt placeholder', '"{speed}"', '"«{sped}»"', '{speed}'],
  ['in a manifest, a placeholder of a shell', '"{level}"', '"«$level»"', '{level}'],
  ['in a manifest, a parameter without a use', ', "mode": "{mode}"', '', 'mode'],
];

/** A perturb.toml without a mistake. */
export const RIGHT_CONFIG = `[lint]
exclude = ["drafts/**"]
mutators = ["mutators.toml"]

[lint.rules]
"objective/no-stopping-condition" = "error"

[servers.bench]
url = "http://127.0.0.1:8080"
api_key_env = "PERTURB_BENCH_KEY"

[run]
timeout = "5s"

[polls.db]
tcp = "127.0.0.1:5432"

[run.timing]
onset = ["0s", "10s"]
`;

export const CONFIG_MISTAKES: readonly Mistake[] = [
  ['in perturb.toml, no url', 'url = "http://127.0.0.1:8080"\n', '', 'url'],
  ['in perturb.toml, a misspelt key', 'exclude', '«exlude»', 'exclude'],
  ['in perturb.toml, a text for an array', '["drafts/**"]', '«"drafts/**"»', '["drafts/**"]'],
  ['in perturb.toml, warning', '"error"', '«"warning"»', 'warn'],
  [
    'in perturb.toml, a misspelt rule',
    'no-stopping-condition"',
    'no-stoping-condition"',
    'objective/no-stopping-condition',
  ],
  [
    'in perturb.toml, the variable of another secret',
    '"PERTURB_BENCH_KEY"',
    '«"GITHUB_TOKEN"»',
    'rename the variable',
  ],
  ['in perturb.toml, no port to poll', '"127.0.0.1:5432"', '«"127.0.0.1"»', 'HOST:PORT'],
  [
    'in perturb.toml, an onset upside down',
    '["0s", "10s"]',
    '«["10s", "0s"]»',
    'write ["0s", "10s"]',
  ],
];

/** What happened on the bench that the right objective is about. */
export const BENCH_SESSION = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [
    { probe: 'GAZEBO', name: 'HEARTBEAT', attributes: { payload: n, severity: 1, mode: 'steady' } },
    {
      probe: 'PX4',
      name: 'TAKEOFF',
      time: n,
      attributes: { payload: n, severity: 5, armed: true },
    },
    { probe: 'PX4', name: 'CRASH', time: n, attributes: { payload: n, severity: 7, mode: 'gust' } },
    { probe: 'PX4', name: 'upload log', attributes: { 'span.start': true } },
    { probe: 'PX4', name: 'upload log', attributes: { 'span.end': true } },
  ]),
]
  .map((event) => `${JSON.stringify(event)}\n`)
  .join('');

export const RECORDED_MISTAKES: readonly Mistake[] = [
  ['an event that never happened', "name = 'CRASH'", "name = «'CRSAH'»", 'CRASH'],
  ['a probe that was not recorded', "probe = 'GAZEBO'", "probe = «'GAZEBBO'»", 'GAZEBO'],
  ['an attribute that was not recorded', 'severity > 3', '«severty» > 3', 'severity'],
  ['a text that an attribute never has', 'severity > 3', "mode = «'stedy'»", 'steady'],
  ['a number for what is always true or false', 'armed = TRUE', '«armed = 1»', 'TRUE'],
  [
    'a span counted twice',
    "MATCH (name = 'CRASH') AS crash",
    "MATCH «(name = 'upload log') AS upload» AGGREGATE count() <= 8",
    'span.end = TRUE',
  ],
  [
    'an order that nothing recorded',
    "MATCH (name = 'CRASH') AS crash",
    "MATCH (name = 'HEARTBEAT') AS beat, (name = 'CRASH') AS crash WHEN beat «->» crash",
    'record times, or messages between the probes',
  ],
  [
    'a time that nothing recorded',
    'beat.payload < late.payload',
    'beat.«time» < late.time',
    "record the events' times",
  ],
];
