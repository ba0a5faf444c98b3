/*
 * The rows on objective files in sections 2.4 and 7 of the requirements, each with files of its own.
 */

const actuator = '{ kind = "exec", inject = ["true"], reset = ["true"] }';
export const MANIFEST = `[[mutator]]
id = "gazebo"
name = "wind"
probe = "GAZEBO"
tags = ["drone"]
max_active = "10min"
param = [{ name = "speed", type = "integer", hard_range = [0, 40] }]
actuator = ${actuator}

[[mutator]]
id = "fan"
name = "wind"
probe = "FAN"
tags = ["bench"]
max_active = "10min"
param = [{ name = "speed", type = "integer", hard_range = [0, 40] }]
actuator = ${actuator}

[[mutator]]
name = "link"
tags = ["radio"]
max_active = "10min"
param = [
  { name = "up", type = "boolean" },
  { name = "route", type = "string", hard_range = ["link-1", "link-3"] },
  { name = "mode", type = "enum", options = ["slow", "lossy", "dead"] },
]
actuator = ${actuator}

[[mutator]]
name = "gps"
tags = ["radio"]
max_active = "10min"
actuator = ${actuator}
`;

const measurement = (keys: string) => `[[measurement]]\nname = "m"\n${keys}`;
export const CHECK = `check = "MATCH (name = 'a') AS a"\n`;
const STOP = '[stopping_conditions]\nattempts = 9\n';

/** An objective with these tables, which begin in its second line. */
const withTables = (tables: string) => `name = "n"\n${tables}${measurement(CHECK)}${STOP}`;
const constraints = (keys: string) => withTables(`[mutation_constraints]\n${keys}\n`);
const mutator = (keys: string) => withTables(`[[mutator]]\n${keys}\n`);
const param = (of: string, keys: string) =>
  mutator(`name = "${of}"\n[[mutator.param_constraints]]\n${keys}`);
/** An objective whose measurement has these keys, from its fourth line on. */
export const measured = (keys: string) => `name = "n"\n${measurement(keys)}${STOP}`;
export const stopped = (keys: string) =>
  `name = "n"\n${measurement(CHECK)}[stopping_conditions]\n${keys}\n`;
/** An objective whose measurement stops it, by a key in its sixth line. */
export const measurementStop = (key: string) =>
  measured(`${CHECK}[measurement.stopping_conditions]\n${key}\n`);
export const checked = (expression: string) => measured(`check = """\n${expression}\n"""\n`);

const PRECONDITION = `mutation_precondition = "MATCH (name = 'a') AS a"`;
const CONFLICT =
  'error objective/precondition-conflict: the "mutation_precondition" of a mutator cannot be combined with the global one; keep one of the two';

/** A row, files that it allows, and files that have a finding by it. */
type Row = readonly [
  row: string,
  right: readonly string[],
  wrong: readonly (readonly [file: string, finding: string])[],
];

export const ROWS: readonly Row[] = [
  [
    '2.4 name: required',
    [withTables('')],
    [
      [
        `${measurement(CHECK)}${STOP}`,
        '1:1: error objective/missing-key: missing key "name"; add name = "Drone in wind"',
      ],
    ],
  ],
  [
    '2.4 name: string',
    [withTables('')],
    [
      [
        withTables('').replace('"n"', '5'),
        '1:8: error objective/wrong-type: expected a string, found an integer; put it in quotes: "5"',
      ],
    ],
  ],
  [
    '2.4 mutation_constraints: optional table',
    [withTables(''), constraints('')],
    [
      [
        withTables('mutation_constraints = 5\n'),
        '2:24: error objective/wrong-type: expected a table, found an integer',
      ],
    ],
  ],
  [
    '2.4 mutation_constraints.max_concurrent_mutations: optional integer',
    [constraints(''), constraints('max_concurrent_mutations = 2')],
    [
      [
        constraints('max_concurrent_mutations = 2.5'),
        '3:28: error objective/wrong-type: expected an integer, found a float',
      ],
    ],
  ],
  [
    '2.4 mutation_constraints.mutation_precondition: optional trace expression',
    [constraints(PRECONDITION)],
    [
      [
        constraints('mutation_precondition = 5'),
        '3:25: error objective/wrong-type: expected a string, found an integer; expected a trace expression, such as "MATCH (name = \'TAKEOFF\') AS takeoff"',
      ],
      [
        constraints('mutation_precondition = "MATCH"'),
        '3:31: error expression/syntax: expected a pattern after "MATCH", found the end; a pattern is (condition) AS label',
      ],
    ],
  ],
  [
    '2.4 mutation_constraints.mutation_precondition: excludes that of a mutator',
    [constraints(`${PRECONDITION}\n[[mutator]]\nname = "wind"`)],
    [
      [
        constraints(`${PRECONDITION}\n[[mutator]]\nname = "wind"\n${PRECONDITION}`),
        `6:1: ${CONFLICT}`,
      ],
    ],
  ],
  [
    '2.4 mutation_constraints.mutator_tags: optional array of strings',
    [constraints('mutator_tags = ["drone", "radio"]')],
    [
      [
        constraints('mutator_tags = "drone"'),
        '3:16: error objective/wrong-type: expected an array, found a string; put it in brackets: ["drone"]',
      ],
      [
        constraints('mutator_tags = [5]'),
        '3:17: error objective/wrong-type: expected a string, found an integer; put it in quotes: "5"',
      ],
    ],
  ],
  [
    '2.4 mutator: optional array of tables',
    [withTables(''), mutator('name = "wind"\n[[mutator]]\nname = "link"')],
    [
      [
        withTables('[mutator]\nname = "wind"\n'),
        '2:1: error objective/wrong-type: expected an array of tables, found a table; write [[mutator]]',
      ],
    ],
  ],
  [
    '2.4 mutator.name: required string',
    [mutator('name = "wind"')],
    [
      [
        mutator('probe = "FAN"'),
        '2:1: error objective/missing-key: missing key "name"; add name = "simulation-wind"',
      ],
      [
        mutator('name = 5'),
        '3:8: error objective/wrong-type: expected a string, found an integer; put it in quotes: "5"',
      ],
    ],
  ],
  [
    '2.4 mutator.probe: optional string',
    [mutator('name = "wind"\nprobe = "FAN"')],
    [
      [
        mutator('name = "wind"\nprobe = 5'),
        '4:9: error objective/wrong-type: expected a string, found an integer; put it in quotes: "5"',
      ],
    ],
  ],
  [
    '2.4 mutator.mutation_precondition: optional trace expression',
    [mutator(`name = "wind"\n${PRECONDITION}`)],
    [
      [
        mutator('name = "wind"\nmutation_precondition = "MATCH"'),
        '4:31: error expression/syntax: expected a pattern after "MATCH", found the end; a pattern is (condition) AS label',
      ],
      [
        mutator('name = "wind"\nmutation_precondition = 5'),
        '4:25: error objective/wrong-type: expected a string, found an integer; expected a trace expression, such as "MATCH (name = \'TAKEOFF\') AS takeoff"',
      ],
    ],
  ],
  [
    '2.4 mutator.param_constraints: optional, an array of tables',
    [mutator('name = "wind"'), param('wind', 'name = "speed"\nrange = [1, 2]')],
    [
      [
        mutator('name = "wind"\nparam_constraints = 5'),
        '4:21: error objective/wrong-type: expected a table or an array of tables, found an integer',
      ],
    ],
  ],
  [
    '2.4 param_constraints.name: required string',
    [],
    [
      [
        param('wind', 'range = [1, 2]'),
        '4:1: error objective/missing-key: missing key "name"; add name = "speed"',
      ],
      [
        param('wind', 'name = 5\nrange = [1, 2]'),
        '5:8: error objective/wrong-type: expected a string, found an integer; put it in quotes: "5"',
      ],
    ],
  ],
  [
    '2.4 param_constraints.range: required for a parameter that is neither boolean nor enum',
    [param('wind', 'name = "speed"\nrange = [0, 40]')],
    [
      [
        param('wind', 'name = "speed"'),
        '5:8: error catalog/range-required: the constraint on parameter "speed" needs a "range"; the hard range is [0, 40]',
      ],
    ],
  ],
  [
    '2.4 param_constraints.range: not permitted for a boolean',
    [],
    [
      [
        param('link', 'name = "up"\nrange = [0, 1]'),
        '6:1: error catalog/range-not-permitted: parameter "up" is a boolean and accepts no "range"; remove "range", because a boolean parameter accepts no range',
      ],
    ],
  ],
  [
    '2.4 param_constraints.range: not permitted for an enum',
    [],
    [
      [
        param('link', 'name = "mode"\nrange = ["dead", "slow"]'),
        '6:1: error catalog/range-not-permitted: parameter "mode" is an enum and accepts no "range"; use "enum_options" with one or more of "slow", "lossy" or "dead"',
      ],
    ],
  ],
  [
    '2.4 param_constraints.range: array of length 2',
    [],
    [
      [
        param('wind', 'name = "speed"\nrange = [1]'),
        '6:9: error objective/invalid-range: expected two bounds, found 1; use the form [lower, upper]',
      ],
      [
        param('wind', 'name = "speed"\nrange = [1, 2, 3]'),
        '6:9: error objective/invalid-range: expected two bounds, found 3; use the form [lower, upper]',
      ],
      [
        param('wind', 'name = "speed"\nrange = 1'),
        '6:9: error objective/wrong-type: expected an array, found an integer; use the form [lower, upper]',
      ],
    ],
  ],
  [
    '2.4 param_constraints.range: numeric bounds, or two strings in any order',
    [param('link', 'name = "route"\nrange = ["link-3", "link-1"]')],
    [
      [
        param('link', 'name = "route"\nrange = [1, 2]'),
        [
          '6:10: error catalog/range-type: expected a string for parameter "route", found 1',
          '6:13: error catalog/range-type: expected a string for parameter "route", found 2',
        ].join('\n'),
      ],
      [
        param('wind', 'name = "speed"\nrange = ["1", "2"]'),
        '6:9: error catalog/range-type: expected numbers for parameter "speed", found numbers in quotes; write [1, 2]',
      ],
    ],
  ],
  [
    '2.4 param_constraints.enum_options: required for an enum',
    [param('link', 'name = "mode"\nenum_options = ["slow"]')],
    [
      [
        param('link', 'name = "mode"'),
        '5:8: error catalog/options-required: the constraint on parameter "mode" needs "enum_options"; available options: "slow", "lossy" or "dead"',
      ],
    ],
  ],
  [
    '2.4 param_constraints.enum_options: not permitted for another parameter',
    [],
    [
      [
        param('wind', 'name = "speed"\nenum_options = ["1"]'),
        '6:1: error catalog/options-not-permitted: parameter "speed" is an integer and accepts no "enum_options"; use a "range"',
      ],
      [
        param('link', 'name = "up"\nenum_options = ["true"]'),
        '6:1: error catalog/options-not-permitted: parameter "up" is a boolean and accepts no "enum_options"; remove "enum_options"',
      ],
    ],
  ],
  [
    '2.4 param_constraints.enum_options: array of strings',
    [],
    [
      [
        param('link', 'name = "mode"\nenum_options = "slow"'),
        '6:16: error objective/wrong-type: expected an array, found a string; put it in brackets: ["slow"]',
      ],
      [
        param('link', 'name = "mode"\nenum_options = [5]'),
        '6:17: error objective/wrong-type: expected a string, found an integer; put it in quotes: "5"',
      ],
    ],
  ],
  [
    '2.4 measurement: required, at least 1',
    [
      measured(CHECK),
      measured(`${CHECK}[[measurement]]\nname = "o"\n${CHECK.replace("'a'", "'b'")}`),
    ],
    [
      [
        `name = "n"\n${STOP}`,
        '1:1: error objective/missing-key: missing key "measurement"; add a table [[measurement]]',
      ],
      [
        `name = "n"\nmeasurement = []\n${STOP}`,
        '2:15: error objective/missing-key: "measurement" is empty, expected at least one table',
      ],
    ],
  ],
  [
    '2.4 measurement.name: required string',
    [],
    [
      [
        measured(CHECK).replace('name = "m"\n', ''),
        '2:1: error objective/missing-key: missing key "name"; add name = "Stays in the air"',
      ],
      [
        measured(CHECK).replace('"m"', '5'),
        '3:8: error objective/wrong-type: expected a string, found an integer; put it in quotes: "5"',
      ],
    ],
  ],
  [
    '2.4 measurement.should_pass: optional boolean',
    [measured(`${CHECK}should_pass = true\n`), measured(`${CHECK}should_pass = false\n`)],
    [
      [
        measured(`${CHECK}should_pass = "no"\n`),
        '5:15: error objective/wrong-type: expected a boolean, found a string; write false',
      ],
    ],
  ],
  [
    '2.4 measurement.check: required trace expression',
    [],
    [
      [
        measured(''),
        '2:1: error objective/missing-key: missing key "check"; add check = "MATCH (name = \'CRASH\') AS crash AGGREGATE count() = 0"',
      ],
      [
        measured('check = 5\n'),
        '4:9: error objective/wrong-type: expected a string, found an integer; expected a trace expression, such as "MATCH (name = \'TAKEOFF\') AS takeoff"',
      ],
    ],
  ],
  [
    '2.4 measurement.stopping_conditions: optional table',
    [measurementStop('')],
    [
      [
        measured(`${CHECK}stopping_conditions = 5\n`),
        '5:23: error objective/wrong-type: expected a table, found an integer',
      ],
    ],
  ],
  ...['passing_measurements', 'failing_measurements'].map(
    (key): Row => [
      `2.4 measurement.stopping_conditions.${key}: optional integer`,
      [measurementStop(`${key} = 2`)],
      [
        [
          measurementStop(`${key} = 2.5`),
          '6:24: error objective/wrong-type: expected an integer, found a float',
        ],
      ],
    ],
  ),
  [
    '2.4 stopping_conditions: optional table',
    [],
    [
      [
        `name = "n"\nstopping_conditions = 5\n${measurement(CHECK)}`,
        '2:23: error objective/wrong-type: expected a table, found an integer',
      ],
      [
        `name = "n"\n${measurement(CHECK)}`,
        '1:1: warning objective/no-stopping-condition: nothing ever stops this objective; add [stopping_conditions] with "attempts" or "time"',
      ],
    ],
  ],
  ...['attempts', 'passing_measurements', 'failing_measurements'].map(
    (key): Row => [
      `2.4 stopping_conditions.${key}: optional integer`,
      [stopped(`${key} = 2`)],
      [
        [
          stopped(`${key} = "2"`),
          `6:${key.length + 4}: error objective/wrong-type: expected an integer, found a string; remove the quotes: 2`,
        ],
      ],
    ],
  ),
  [
    '2.4 stopping_conditions.time: optional duration in hours and minutes',
    ['2h 30min', '2h', '90min'].map((time) => stopped(`time = "${time}"`)),
    [
      [
        stopped('time = 90'),
        '6:8: error objective/wrong-type: expected a string, found an integer; write "90min" or "90s", in quotes',
      ],
      [
        stopped('time = "2h30"'),
        '6:11: error objective/invalid-duration: "30" has no unit; write "2h30min"',
      ],
      [
        stopped('time = "soon"'),
        '6:9: error objective/invalid-duration: expected a number, found "soon"; use numbers with units from large to small, such as "1h 30min"',
      ],
    ],
  ],
  [
    '2.4 trace expressions: one or several lines, with comments',
    [measured(CHECK), checked("# before\nMATCH (name = 'a') AS a # behind\n# after")],
    [],
  ],
  [
    '2.4 MATCH: one pattern or more, separated by commas',
    [checked("MATCH (name = 'a') AS a, (name = 'b') AS b WHEN a -> b")],
    [
      [
        checked("MATCH (name = 'a')"),
        '5:19: error expression/syntax: expected "AS" and a label after ")", found the end; a pattern is (condition) AS label',
      ],
      [
        checked("MATCH (name = 'a') AS a (name = 'b') AS b"),
        '5:25: error expression/syntax: expected "," before "("',
      ],
    ],
  ],
  ...['=', '!=', '>', '<', '<='].map(
    (operator): Row => [
      `2.4 MATCH: conditions with ${operator}`,
      [checked(`MATCH (severity ${operator} 3) AS a`)],
      [
        [
          checked(`MATCH (severity ${operator} ) AS a`),
          `5:${18 + operator.length}: error expression/syntax: expected an attribute or a value after "${operator}", found ")"`,
        ],
      ],
    ],
  ),
  ...['AND', 'OR'].map(
    (word): Row => [
      `2.4 MATCH: conditions with ${word}`,
      [checked(`MATCH (name = 'a' ${word} severity > 3) AS a`)],
      [
        [
          checked(`MATCH (name = 'a' ${word}) AS a`),
          `5:${19 + word.length}: error expression/syntax: expected a condition after "${word}", found ")"; a condition is a comparison such as severity > 3, or an event such as 'start' @ 'probe'`,
        ],
      ],
    ],
  ),
  [
    '2.4 MATCH: the attributes name, probe, severity and payload',
    [checked("MATCH (name = 'a' AND probe = 'P' AND severity > 3 AND payload = 5) AS a")],
    [],
  ],
  [
    '2.4 MATCH: <attr> @ <probe>',
    [
      checked('MATCH (altitude @ GAZEBO > 2.0) AS a'),
      checked('MATCH (HEARTBEAT @ AUTOPILOT) AS a'),
    ],
    [
      [
        checked('MATCH (altitude @ > 2.0) AS a'),
        '5:19: error expression/syntax: expected a probe name after "@", found ">"',
      ],
    ],
  ],
  [
    "2.4 FILTER: a condition on a matched name's fields",
    [checked("MATCH (name = 'a') AS a FILTER a.payload > 5 OR a.severity = 1")],
    [
      [
        checked("MATCH (name = 'a') AS a FILTER b.payload > 5"),
        '5:32: error expression/unknown-label: no pattern has the label "b"; expected "a"',
      ],
    ],
  ],
  [
    '2.4 AGGREGATE: comparisons, separated by commas',
    [checked("MATCH (name = 'a') AS a AGGREGATE count() > 1, count() < 5")],
    [
      [
        checked("MATCH (name = 'a') AS a AGGREGATE count()"),
        '5:42: error expression/syntax: expected a comparison operator after ")", found the end; expected one of = != < <= > >=',
      ],
    ],
  ],
  ...[
    ['count()', '5:41: error expression/unknown-label: no pattern has the label "b"; expected "a"'],
    [
      'max(a.payload)',
      '5:39: error expression/missing-label: the attribute "b" has no label; write a.b',
    ],
    [
      'mean(a.payload)',
      '5:40: error expression/missing-label: the attribute "b" has no label; write a.b',
    ],
    [
      'stddev(a.payload)',
      '5:42: error expression/missing-label: the attribute "b" has no label; write a.b',
    ],
  ].map(
    ([measure = '', finding = '']): Row => [
      `2.4 AGGREGATE: ${measure.replace('a.payload', '...')}`,
      [checked(`MATCH (name = 'a') AS a AGGREGATE ${measure} < 5`)],
      [
        [
          checked(`MATCH (name = 'a') AS a AGGREGATE ${measure.replace(/\(.*\)/, '(b)')} < 5`),
          finding,
        ],
      ],
    ],
  ),
  [
    '2.4 WHEN: causal conditions with ->, combined with AND',
    [
      checked(
        "MATCH (name = 'a') AS a, (name = 'b') AS b, (name = 'c') AS c WHEN a -> b AND a -> c",
      ),
    ],
    [
      [
        checked("MATCH (name = 'a') AS a WHEN a -> b"),
        '5:35: error expression/unknown-label: no pattern has the label "b"; expected "a"',
      ],
    ],
  ],
  [
    '7 a range not contained in the hard_range is an error',
    [],
    [
      [
        param('wind', 'name = "speed"\nrange = [0, 41]'),
        '6:13: error catalog/range-outside-hard-range: 41 is outside the hard ranges of parameter "speed": [0, 40] at probe "GAZEBO", [0, 40] at probe "FAN"; write 40 or less',
      ],
      [
        param('wind', 'name = "speed"\nrange = [-1, 40]'),
        '6:10: error catalog/range-outside-hard-range: -1 is outside the hard ranges of parameter "speed": [0, 40] at probe "GAZEBO", [0, 40] at probe "FAN"; write 0 or more',
      ],
      [
        param('link', 'name = "route"\nrange = ["link-1", "link-4"]'),
        '6:20: error catalog/range-outside-hard-range: "link-4" is outside the hard range ["link-1", "link-3"] of parameter "route"; write "link-3" or less',
      ],
    ],
  ],
];
