/** A file without a mistake, for the mutators of the bench. */
export const RIGHT = `name = "Wind"

[mutation_constraints]
max_concurrent_mutations = 2
mutator_tags = ["drone", "simulator"]
mutation_precondition = "MATCH (name = 'TAKEOFF') AS takeoff"

[[mutator]]
name = "simulation-wind"
probe = "GAZEBO"

[[mutator.param_constraints]]
name = "speed"
range = [0.0, 25.0]

[[mutator.param_constraints]]
name = "mode"
enum_options = ["gust", "steady"]

[[mutator.param_constraints]]
name = "seed"
range = [0, 9]

[[measurement]]
name = "calm"
check = """
MATCH (name = 'HEARTBEAT' AND probe = 'GAZEBO') AS beat,
  (severity > 3 OR armed = TRUE) AS late
WHEN beat -> late
FILTER beat.payload < late.payload
AGGREGATE count() > 2, max(late.time) < 80"""
should_pass = true

[[measurement]]
name = "never"
check = "MATCH (name = 'CRASH') AS crash"
stopping_conditions = { failing_measurements = 5 }

[stopping_conditions]
attempts = 10
time = "2h 30min"
`;

/** Words that one slip changes: marked in what is there once. */
export const SLIPS: readonly string[] = [
  '«max_concurrent_mutations»',
  '«mutator_tags»',
  '«mutation_precondition»',
  '«enum_options»',
  '«should_pass»',
  '«failing_measurements»',
  '«attempts»',
  '«time» = "2h',
  '«range» = [0.0',
  '«check» = "MATCH',
  '"«drone»"',
  '"«simulation-wind»"',
  'probe = "«GAZEBO»"',
  '"«speed»"',
  '"«seed»"',
  '"«steady»"',
  '"""\n«MATCH»',
  '\n«WHEN»',
  '\n«FILTER»',
  '\n«AGGREGATE»',
  'beat -> «late»',
  '< «late».payload',
  'max(«late».time)',
  '«count»()',
  "(«name» = 'CRASH'",
  "«probe» = 'GAZEBO'",
];

const CRASH = "(name = 'CRASH') AS crash";
const ORDERED = 'WHEN beat -> late';
const LOUD = 'severity > 3 OR';
const PAYLOADS = 'beat.payload < late.payload';
const COUNT = 'count() > 2';

const PRECONDITION = "MATCH (name = 'TAKEOFF') AS takeoff";
const SPEED = '[0.0, 25.0]';
const MUTATOR = '[[mutator]]\nname = "simulation-wind"';
const CALM = '[[measurement]]\nname = "calm"';
const CONDITIONS = '[stopping_conditions]';
const TIME = 'time = "2h 30min"';
const ATTEMPTS = 'attempts = 10';
const CONCURRENT = 'mutations = 2';
const PROBE = 'probe = "GAZEBO"';
const WIND = 'name = "Wind"';
const RANGE = `range = ${SPEED}`;

/** A kind of mistake: what is right, what is written for it (marked), and the one right answer. */
export type Mistake = readonly [kind: string, right: string, written: string, answer?: string];

export const MISTAKES: readonly Mistake[] = [
  ['an empty name', 'name = "Wind"', 'name = «""»'],
  ['a count of zero', 'mutations = 2', 'mutations = «0»'],
  ['a number in quotes', 'attempts = 10', 'attempts = «"10"»'],
  ['a boolean in quotes', 'should_pass = true', 'should_pass = «"true"»'],
  ['minutes as m', '30min', '30«m»', 'min'],
  ['a time without a unit', '"2h 30min"', '«90»', '90min'],
  ['a range upside down', '[0.0, 25.0]', '«[25.0, 0.0]»'],
  ['a range of one', '[0.0, 25.0]', '«[25.0]»'],
  ['a range outside', '25.0]', '«60.0»]', '40.0'],
  ['an option twice', '"gust", "steady"', '"gust", «"gust"»'],
  ['no options', '["gust", "steady"]', '«[]»'],
  ['a measurement twice', 'name = "never"', 'name = «"calm"»'],
  ['a number for an expression', `"MATCH ${CRASH}"`, '«5»'],
  ['==', "name = 'CRASH'", "name «==» 'CRASH'", '='],
  ['===', "name = 'CRASH'", "name «===» 'CRASH'", '='],
  ['<>', "name = 'CRASH'", "name «<>» 'CRASH'", '!='],
  ['=!', "name = 'CRASH'", "name «=!» 'CRASH'", '!='],
  ['=<', '3 OR', '3 AND x «=<» 3 OR', '<='],
  ['&&', "name = 'CRASH'", "name = 'CRASH' «&&» armed = TRUE", 'AND'],
  ['&& without blanks', "name = 'CRASH'", "name = 'CRASH'«&&»armed = TRUE", 'AND'],
  ['||', "name = 'CRASH'", "name = 'CRASH' «||» armed = TRUE", 'OR'],
  ['~', "name = 'CRASH'", "name «~» 'CRASH'"],
  ['an en dash arrow', ORDERED, 'WHEN beat «–>» late', '->'],
  ['a long arrow', ORDERED, 'WHEN beat «-->» late', '->'],
  ['a fat arrow', ORDERED, 'WHEN beat «=>» late', '->'],
  ['an unquoted string', "'CRASH'", '«CRASH»', "'CRASH'"],
  ['a string not closed', "'CRASH'", "«'CRASH"],
  ['curly quotes', "name = 'CRASH'", 'name = «‘CRASH’»', "'CRASH'"],
  ['an event compared', "'CRASH'", "'CRASH' «@» GAZEBO", "'CRASH' @ GAZEBO"],
  ['an attribute for an event', LOUD, '«severity» @ GAZEBO OR', 'severity @ GAZEBO > 5'],
  ['a number for a name', "name = 'CRASH'", '«name = 3»'],
  ['a contradiction', LOUD, '«severity > 3 AND severity < 1» OR'],
  ['a stray parenthesis', CRASH, "(name = 'CRASH')«)» AS crash"],
  ['a parenthesis not closed', CRASH, "(name = 'CRASH' «AS» crash"],
  ['no AS', CRASH, "(name = 'CRASH') «crash»", 'AS'],
  ['IS for AS', CRASH, "(name = 'CRASH') «IS» crash", 'AS'],
  ['a label in quotes', 'AS crash', "AS «'crash'»", 'crash'],
  ['a label of two words', 'AS crash', 'AS my «crash»', '`my crash`'],
  ['a label with a dot', 'AS crash', 'AS my«.»crash', '`my.crash`'],
  ['a label twice', 'AS crash', "AS crash, (name = 'B') AS «crash»"],
  ['a comma too many', 'AS late\nWHEN', 'AS late,\n«WHEN»'],
  ['MATCH twice', '  (severity', '  «MATCH» (severity'],
  ['no comma', 'AS beat,\n  (sev', 'AS beat\n  «(»sev'],
  ['a cycle', ORDERED, 'WHEN beat -> late AND late «->» beat'],
  ['no label', PAYLOADS, '«payload» < late.payload', '.payload'],
  ['no labels', PAYLOADS, '«payload» = payload', '.payload'],
  ['a label for an attribute', PAYLOADS, '«beat» = late'],
  ['a label in a pattern', LOUD, 'severity > «beat».x OR', 'late.severity > beat.x'],
  ['an arrow in FILTER', PAYLOADS, 'beat «->» late', 'WHEN'],
  ['a comparison in WHEN', ORDERED, 'WHEN beat«.»x = 1', 'FILTER'],
  ['a function in FILTER', PAYLOADS, '«max»(beat.x) > 3', 'AGGREGATE'],
  ['count of something', COUNT, '«count(late.x)» > 2', 'count()'],
  ['max of nothing', 'max(late.time)', '«max()»', 'max(label.attribute)'],
  ['avg', 'max(late', '«avg»(late', 'mean'],
  ['median', 'max(late', '«median»(late', 'percentile(late.time, 50)'],
  ['p99', 'max(late.time)', '«p99»(late.time)', 'percentile(late.time, 99)'],
  ['percentile of nothing', 'max(late.time)', '«percentile(late.time)»', '95'],
  ['a percentage above 100', 'max(late.time)', 'percentile(late.time, «101»)', '100'],
  ['count(*)', COUNT, 'count(«*») > 2', 'count()'],
  ['max of max', 'max(late.time)', 'max(«max»(late.time))'],
  ['a count below zero', COUNT, '«count() < 0»'],
  ['a count that always holds', COUNT, '«count() >= 0»'],
  ['a share in percent', 'max(late.time) < 80', 'share(late.severity > 3) <= «5»', '0.05'],
  [
    'a count of one label for each of its events',
    'AS crash',
    'AS crash AGGREGATE «count() > 1» BY crash',
  ],
  ['BETWEEN', LOUD, 'severity «BETWEEN» 1 AND 5 OR', 'AND'],
  ['BETWEEN among measures', COUNT, 'count() «BETWEEN» 1 AND 5', ','],
  ['IN without parentheses', "name = 'CRASH'", "name IN «'A'», 'B'", 'IN'],
  ['a list', "'CRASH'", "«['A', 'B']»", 'IN'],
  ['alternatives in parentheses', "'CRASH'", "«(»'A' OR 'B')", 'IN'],
  ['IS NULL', "name = 'CRASH'", 'name «IS» NULL', 'NOT exists(name)'],
  ['LIKE', "name = 'CRASH'", "name «LIKE» 'CR%'", "GLOB 'CR*'"],
  ['=~', "name = 'CRASH'", "name «=~» 'CR'", 'GLOB'],
  ['NOT of what may be missing', "(name = 'CRASH')", '(«NOT (status = 3)»)', 'status != 3'],
  ['a function of an attribute', "name = 'CRASH'", "«upper»(name) = 'CRASH'"],
  ['a key in brackets', LOUD, "payload«['mode']» = 1 OR", 'payload.mode'],
  ['a parted sign', LOUD, 'severity > «-» 3 OR', '-3'],
  ['a date', LOUD, 'time > «2024»-05-01 OR'],
  ['a number ending in a dot', LOUD, 'severity > «3.» OR', '3.0'],
  ['a number beginning with a dot', LOUD, 'severity > «.5» OR', '0.5'],
  ['two comparators', LOUD, '1 < severity «<» 5 OR', 'AND'],
  ['WHERE', 'FILTER beat', '«WHERE» beat', 'FILTER'],
  ['GROUP BY', '< 80', '< 80 «GROUP» BY beat.x', 'BY'],
  ['FOLLOWED BY', ORDERED, 'WHEN beat «FOLLOWED» BY late', '->'],
  ['!->', ORDERED, 'WHEN beat «!->» late', 'NOT'],
  ['UNTIL', ORDERED, 'WHEN beat «UNTIL» late', 'NOT'],
  ['WITHIN a number', ORDERED, 'WHEN beat -> late WITHIN «5»', '5s'],
  ['WITHIN nothing', ORDERED, 'WHEN beat -> late WITHIN «0s»'],
  ['NEXT to itself', ORDERED, 'WHEN beat -> late AND beat «-> NEXT» beat'],
  ['keys of two labels', '< 80', '< 80 BY beat.x, «late»', 'one label'],
  ['a second clause', 'FILTER beat', '«WHEN» beat -> late FILTER beat', 'AND'],
  ['a precondition that holds before', 'AS takeoff', 'AS takeoff AGGREGATE «count() = 0»'],
  ['a difference without blanks', PAYLOADS, '«beat.x-late.x» < 5', 'beat.x - late.x'],
  [
    'unequal to one or the other',
    "name = 'CRASH'",
    "«name != 'A' OR name != 'B'»",
    "!= 'A' AND name !=",
  ],
  [
    'bounds that leave nothing out',
    LOUD,
    '«severity > 3 OR severity < 5» OR',
    '> 3 AND severity <',
  ],
  ['an ordered number in quotes', LOUD, "severity > «'3'» OR", 'severity > 3'],
  ['an ordered time in quotes', PAYLOADS, "late.age < «'5s'»", 'late.age < 5s'],
  ['a time as a bare number', PAYLOADS, '«late.time - beat.time < 100»', '100ms'],
  ['a count of time', COUNT, '«count() > 10ms»', 'write 10:'],
  ['a time since nothing', PAYLOADS, '«late.time < 5s»', 'late.time - session.start'],
  ['a time in a pattern', LOUD, '«time < 5s» OR', 'label.time - session.start'],
  ['orders of two events', PAYLOADS, '«beat.x < late.x AND beat.x > late.x»'],
  ['equal and unequal', PAYLOADS, '«beat.x = late.x AND late.x != beat.x»'],
  ['a cycle of orders', PAYLOADS, '«beat.x < beat.y AND beat.y < late.x AND late.x <= beat.x»'],
  [
    'names that are never equal',
    CRASH,
    "(name = 'A') AS a, (name = 'B') AS b FILTER «a.name = b.name»",
  ],
  [
    'values that never meet',
    CRASH,
    "(name = 'A' AND x > 5) AS a, (name = 'B' AND x < 3) AS b FILTER «a.x < b.x»",
  ],
  [
    'a bound of the pattern',
    CRASH,
    "(name = 'CRASH' AND x < 5) AS crash AGGREGATE «max(crash.x) > 10»",
  ],
  ['min above max', COUNT, '«min(late.x) > max(late.x)»', 'min is at most'],
  ['mean above max', COUNT, '«mean(late.x) > max(late.x)»', 'mean is at most max'],
  [
    'longer than WITHIN',
    `${ORDERED}\nFILTER ${PAYLOADS}`,
    'WHEN beat -> late WITHIN 5ms\nFILTER «late.time - beat.time > 10ms»',
  ],
  ['two bounds of one side', LOUD, '(«severity > 3» AND severity > 5) OR', 'delete'],
  ['a condition twice', "name = 'CRASH'", "name = 'CRASH' AND «name = 'CRASH'»", 'delete'],
  ['an alternative within another', LOUD, 'severity > 3 OR «severity > 5» OR', 'delete'],
  ['an order twice', ORDERED, 'WHEN beat -> late AND «beat -> late»', 'delete'],
  ['a measure twice', COUNT, 'count() > 2, «count() > 2»', 'delete'],
  ['a smaller count too', COUNT, '«count() > 1», count() > 2', 'delete'],
  ['the pattern again', PAYLOADS, "«beat.name = 'HEARTBEAT'»", 'delete'],
  ['a star in a name', "'CRASH'", "«'CRASH*'»", "GLOB 'CRASH*'"],
  ['a percent sign in a name', "'CRASH'", "«'CRASH%'»", "GLOB 'CRASH*'"],
  ['a probe in a name', "'CRASH'", "«'CRASH @ GAZEBO'»", "'CRASH' @ GAZEBO"],
  ['two names in one', "'CRASH'", "«'CRASH, FIRE'»", "IN ('CRASH', 'FIRE')"],
  ['a bar in a name', "'CRASH'", "«'CRASH|FIRE'»", "IN ('CRASH', 'FIRE')"],
  ['a blank after a name', "'CRASH'", "«'CRASH '»", "'CRASH'"],
  ['an invisible character', "'CRASH'", "'CR«\u200b»ASH'", 'delete it'],
  ['a no-break space', "'CRASH'", "'CR«\u00a0»ASH'", 'ordinary space'],
  ['a Cyrillic letter', "'CRASH'", "'«С»RASH'", 'CRASH'],
  ['a percent sign in GLOB', "name = 'CRASH'", "name GLOB «'CR%'»", "'CR*'"],
  ['a regular expression', "name = 'CRASH'", "name GLOB «'^CR.*$'»", "'CR*'"],
  [
    'one event twice',
    CRASH,
    "(name = 'A') AS one, (name = 'A') AS «two» FILTER one.id = two.id",
    'one != two',
  ],
  ['OR and a value', "name = 'CRASH'", "name = 'A' OR «'B'»", "name IN ('A', 'B')"],
  ['AND and a value', "name = 'CRASH'", "name != 'A' AND «'B'»", "name != 'B'"],
  ['> =', LOUD, 'severity «> =» 3 OR', '>='],
  ['! =', "name = 'CRASH'", "name «! =» 'CRASH'", '!='],
  ['STARTS WITH', "name = 'CRASH'", "name «STARTS» WITH 'CR'", "GLOB 'CR*'"],
  ['ENDS WITH', "name = 'CRASH'", "name «ENDS» WITH 'SH'", "GLOB '*SH'"],
  ['LIMIT', '< 80', '< 80 «LIMIT» 10', 'delete it'],
  ['RETURN', CRASH, `${CRASH} «RETURN» crash`, 'delete it'],
  [
    'a difference alone',
    `${PAYLOADS}\nAGGREGATE`,
    'late.time - beat.time\n«AGGREGATE»',
    'late.time - beat.time < 5s',
  ],
  ['two probes at once', LOUD, '«x @ A > 5 AND x @ B < 3» OR', 'OR'],
  ['an event in quotes', "(name = 'CRASH')", "('CRASH @ GAZEBO'«)»", "'CRASH' @ GAZEBO"],
  ['a name that rules the event out', 'name = "never"', 'name = «"No crash"»', 'count() = 0'],
  [
    'the same check twice',
    '[stopping_conditions]',
    `[[measurement]]\nname = «"crash"»\ncheck = "MATCH ${CRASH}"\n\n[stopping_conditions]`,
    'delete one',
  ],
  [
    'opposite checks',
    '[stopping_conditions]',
    `[[measurement]]\nname = «"calm sky"»\nshould_pass = false\ncheck = "MATCH ${CRASH}"\n\n[stopping_conditions]`,
    'correct one',
  ],
  ['names that differ by case', 'name = "never"', 'name = «"Calm"»', 'rename one'],
  ['names that differ by a blank', 'name = "never"', 'name = «"calm "»', 'rename one'],
  [
    'a precondition that waits for itself',
    `"MATCH (name = 'TAKEOFF') AS takeoff"`,
    `«"MATCH (name = 'perturb.injected') AS injected"»`,
    'a system event',
  ],
  [
    'a precondition that waits for the only mutation',
    `max_concurrent_mutations = 2\nmutator_tags = ["drone", "simulator"]\nmutation_precondition = "MATCH (name = 'TAKEOFF') AS takeoff"\n\n[[mutator]]`,
    `\n[[mutator]]\nmutation_precondition = «"MATCH (name = 'perturb.injected') AS other"»`,
    'a system event',
  ],
  [
    'a mutator with and without its probe',
    '[[measurement]]\nname = "calm"',
    '[[mutator]]\nname = «"simulation-wind"»\nparam_constraints = { name = "speed", range = [0.0, 9.0] }\n\n[[measurement]]\nname = "calm"',
    'merge the two',
  ],
  [
    'mutation_precondition cut short',
    'mutation_precondition',
    '«precondition»',
    'mutation_precondition',
  ],
  ['mutator_tags cut short', 'mutator_tags', '«tags»', 'mutator_tags'],
  [
    'max_concurrent_mutations cut short',
    'max_concurrent_mutations',
    '«max_mutations»',
    'max_concurrent_mutations',
  ],
  [
    'failing_measurements cut short',
    '{ failing_measurements',
    '{ «failing»',
    'failing_measurements',
  ],
  [
    'name and probe swapped',
    'name = "simulation-wind"\nprobe = "GAZEBO"',
    'name = «"GAZEBO"»\nprobe = "simulation-wind"',
    'swap',
  ],
  [
    'a merge conflict',
    '[mutation_constraints]',
    '«<<<<<<< HEAD»\n[mutation_constraints]',
    'keep one',
  ],
  ['a merge conflict in a check', '\nWHEN', '\n«<<<<<<<» HEAD\nWHEN', 'keep one'],
  [
    'conditions before their measurement',
    '[[measurement]]\nname = "calm"',
    '[measurement.stopping_conditions]\nfailing_measurements = 4\n\n[[«measurement»]]\nname = "calm"',
    'put [[measurement]] first',
  ],
  [
    'a count that the general one ends',
    'failing_measurements = 5 }\n\n[stopping_conditions]',
    'failing_measurements = «5» }\n\n[stopping_conditions]\nfailing_measurements = 3',
    'at most 3',
  ],
  ['a count beyond 64 bits', 'attempts = 10', 'attempts = «99999999999999999999»'],
  [
    'a comma of TOML 1.1',
    'failing_measurements = 5 }',
    'failing_measurements = 5«,» }',
    'delete it',
  ],
  [
    'no check',
    'name = "never"\ncheck = "MATCH (name = \'CRASH\') AS crash"',
    'name = "never"',
    'check = ',
  ],
  [
    'both preconditions',
    'name = "simulation-wind"',
    'name = "simulation-wind"\n«mutation_precondition» = "MATCH (x = 1) AS ready"',
    'keep one',
  ],
  ['a parameter twice', 'name = "seed"\nrange = [0, 9]', 'name = «"speed"»\nrange = [1.0, 9.0]'],
  ['a range and options', 'range = [0, 9]', 'range = [0, 9]\n«enum_options» = ["a"]'],
  ['a tag that there is not', '"simulator"]', '«"simulatr"»]', 'simulator'],
  ['a tag that no mutator has', '["drone", "simulator"]', '«["dron"]»', '"drone"'],
  ['tags that no mutator has', '["drone", "simulator"]', '«["ship", "car"]»', 'simulator'],
  ['a tag left open', '["drone", "simulator"]', '[«"drone, "simulator"]', 'closing'],
  ['no tags', '["drone", "simulator"]', '«[]»', 'consider all mutators'],
  ['an empty tag', '"simulator"]', '«""»]', 'remove the empty string'],
  ['a tag twice', '"simulator"]', '«"drone"»]'],
  ['an empty probe', 'probe = "GAZEBO"', 'probe = «""»', 'every probe'],
  ['numbers in quotes for a range', '[0.0, 25.0]', '«["25", "9.5"]»', '[9.5, 25]'],
  [
    'tags that exclude the mutator',
    'max_concurrent_mutations = 2\nmutator_tags = ["drone", "simulator"]',
    'mutator_tags = ["satellite"]',
  ],
  ['a bound of another type', 'range = [0, 9]', 'range = [0, «0.5»]'],
  [
    'a range of an enum',
    'enum_options = ["gust", "steady"]',
    '«range» = ["gust", "steady"]',
    'enum_options',
  ],
  ['no range', 'name = "seed"\nrange = [0, 9]', 'name = «"seed"»', 'range'],
  [
    'no options of an enum',
    'name = "mode"\nenum_options = ["gust", "steady"]',
    'name = «"mode"»',
    '"gust" or "steady"',
  ],
  ['options of a number', 'range = [0, 9]', '«enum_options» = ["0", "9"]', 'range'],
  [
    'nothing that ties the labels',
    'AS late\nWHEN beat -> late\nFILTER beat.payload < late.payload',
    'AS «late»',
  ],
  [
    'a value of an absent event',
    '(severity > 3 OR armed = TRUE) AS late\nWHEN beat -> late\nFILTER beat.payload < late.payload\nAGGREGATE count() > 2, max(late',
    'NOT (severity > 3 OR armed = TRUE) AS late\nWHEN beat -> late\nFILTER beat.payload < late.payload\nAGGREGATE count() > 2, max(«late»',
  ],
  [
    'an ignore of nothing',
    'attempts = 10',
    'attempts = 10 «# perturb: ignore objective/invalid-value»',
    'remove the comment',
  ],
  ['metadata beside a value', 'attempts = 10', 'attempts = 10 «# @requirement = "REQ-7"»'],
  [
    'a misspelt ignore',
    'attempts = 10',
    'attempts = 10 # perturb: ignore «objective/invalid-valeu»',
    'objective/invalid-value',
  ],
  ['an empty file', RIGHT, ''],
  ['a comment of C', WIND, '«/»* Wind */\nname = "Wind"', '"#"'],
  ['a comment after two slashes', WIND, '«/»/ Wind\nname = "Wind"', '"#"'],
  ['a comment after two dashes', ATTEMPTS, 'attempts = 10 «--» enough', '"#"'],
  ['a string without quotes', WIND, 'name = «Wind»', '"Wind"'],
  ['two strings', WIND, 'name = "Wind" «"»gust"'],
  ['curly quotes of TOML', WIND, 'name = «“Wind”»', '"Wind"'],
  ['single curly quotes of TOML', WIND, 'name = «‘don’t’»', `"don't"`],
  ['curly quotes in curly quotes', WIND, 'name = «“a “quoted” name”»', `"a 'quoted' name"`],
  ['curly quotes before a comment', WIND, 'name = «“it’s windy”» # “so”', `"it's windy"`],
  ['three curly quotes', WIND, 'name = «“””\nWind “so”\n”””»', '"""'],
  ['title', WIND, '«title» = "Wind"', 'name'],
  ['a count below one', CONCURRENT, 'mutations = «-1»'],
  ['a float for a count', CONCURRENT, 'mutations = «2.0»', '2'],
  ['an exponent for a count', ATTEMPTS, 'attempts = «1e3»', '1000'],
  ['a colon for =', ATTEMPTS, 'attempts«:» 10', '='],
  ['a semicolon at the end', ATTEMPTS, 'attempts = «10;»', '10'],
  ['a number and its noun', ATTEMPTS, 'attempts = 10 «attempts»'],
  ['a word for a number', ATTEMPTS, 'attempts = «unlimited»', 'an integer'],
  ['a key in upper case', ATTEMPTS, '«Attempts» = 10', 'attempts'],
  ['a key with a prefix', ATTEMPTS, '«max_attempts» = 10', 'attempts'],
  ['a time without quotes', TIME, 'time = «2h 30min»', '"2h 30min"'],
  ['a time of day', TIME, 'time = "«2:30»"', '2h 30min'],
  ['units in words', TIME, 'time = "2 «hours» and 30 minutes"', '2h 30min'],
  ['a last unit left out', TIME, 'time = "2h«30»"', '2h30min'],
  ['units from small to large', TIME, 'time = "30min 2«h»"', 'from large to small'],
  ['a time below zero', TIME, 'time = "«-»2h"'],
  ['an ISO duration', TIME, 'time = "«PT»1H30M"', '1h 30min'],
  ['hours as a number', TIME, 'time = «1.5»', '1.5h'],
  ['duration', TIME, '«duration» = "2h 30min"', 'time'],
  ['timeout', TIME, '«timeout» = "2h"', 'time'],
  ['a range with a dash', SPEED, '0.0 «-» 25.0'],
  ['a range without a comma', SPEED, '[0.0 «25.0»]', ','],
  ['a range of min and max', SPEED, '«{min = 0, max = 25}»', '[lower, upper]'],
  ['a range with a unit', SPEED, '[0.0, 25.0 «m»/s]'],
  ['a range of three', SPEED, '«[0.0, 12.5, 25.0]»', '[lower, upper]'],
  ['a range with decimal commas', SPEED, '«[0,0, 25,0]»', '[lower, upper]'],
  ['a text for a range', SPEED, '«"0..25"»', '[0, 25]'],
  ['a text in a range', SPEED, '«["-5 - 2.5"]»', '[-5, 2.5]'],
  ['a range in parentheses', SPEED, '«(0, 25)»', '[0, 25]'],
  ['a range with dots', SPEED, '«0..25»', '[0, 25]'],
  ['texts for a range', SPEED, '«["9", "10"]»', '[9, 10]'],
  ['one bound as a key', RANGE, '«max» = 25.0', 'range = [lower, 25.0]'],
  ['two bounds as keys', RANGE, '«min» = 5\nmax = 7', 'range = [5, 7]'],
  ['values for range', RANGE, '«values» = [0.0, 25.0]', 'range = [0.0, 25.0]'],
  ['options', 'enum_options = [', '«options» = [', 'enum_options'],
  ['should_fail', 'should_pass = true', '«should_fail» = true', 'should_pass = false'],
  ['query', 'check = "MATCH', '«query» = "MATCH', 'check'],
  [
    'a table for an array of tables',
    MUTATOR,
    '«[mutator]»\nname = "simulation-wind"',
    '[[mutator]]',
  ],
  [
    'a constraint outside of its mutator',
    '[[mutator.param_constraints]]\nname = "speed"',
    '[[«param_constraints»]]\nname = "speed"',
    '[[mutator]]',
  ],
  [
    'a constraint of a misspelt mutator',
    '[[mutator.param_constraints]]\nname = "speed"',
    '[[«mutators».param_constraints]]\nname = "speed"',
    'mutator',
  ],
  [
    'a constraint named by its key',
    'range = [0, 9]',
    'range = [0, 9]\n\n[[mutator]]\nname = "link-failure"\nparam_constraints = { «link-name» = ["mavlink-0", "mavlink-3"] }',
    'name = "link-name", range =',
  ],
  ['mutators', MUTATOR, '[[«mutators»]]\nname = "simulation-wind"', 'mutator'],
  ['a header not closed', CALM, '«[[measurement]»\nname = "calm"', ']]'],
  ['a dash for an underscore', CONDITIONS, '[«stopping-conditions»]', 'stopping_conditions'],
  ['a blank for an underscore', CONDITIONS, '[stopping «conditions»]', 'stopping_conditions'],
  ['a plural left out', CONDITIONS, '[«stopping_condition»]', 'stopping_conditions'],
  [
    'an array of tables for a table',
    CONDITIONS,
    '«[[stopping_conditions]]»',
    '[stopping_conditions]',
  ],
  [
    'a table twice',
    CONDITIONS,
    `${CONDITIONS}\nattempts = 1\n\n[«stopping_conditions»]`,
    'merge the two',
  ],
  [
    'a measurement as a table twice',
    CALM,
    `[measurement]\nname = "first"\ncheck = "MATCH (x = 1) AS first"\n\n[«measurement»]\nname = "calm"`,
    '[[measurement]]',
  ],
  [
    'an unknown table twice',
    CONDITIONS,
    '[mutators]\nattempts = 1\n\n[«mutators»]\n\n[stopping_conditions]',
    'merge the two',
  ],
  ['mutator for name', 'name = "simulation-wind"', '«mutator» = "simulation-wind"', 'name'],
  ['an array for a probe', PROBE, 'probe = «["GAZEBO"]»'],
  ['expect', 'should_pass = true', '«expect» = true', 'should_pass'],
  ['no for false', 'should_pass = true', 'should_pass = «"no"»', 'false'],
  [
    'a timeout of a measurement',
    'should_pass = true',
    'should_pass = true\n«timeout» = "5s"',
    'should_pass',
  ],
  [
    'a difference in a precondition',
    PRECONDITION,
    "MATCH (name = 'A') AS a AGGREGATE «count() - max(a.x) > 5»",
  ],
  [
    'a sum in a precondition',
    PRECONDITION,
    "MATCH (name = 'A') AS a AGGREGATE «max(a.x) + min(a.x) > 5»",
  ],
  [
    'nothing injected before',
    PRECONDITION,
    "MATCH (name = 'perturb.injected') AS i AGGREGATE «count() = 0»",
  ],
];

/** Those that a catalog of mutators has another word for. */
export const LONE_MISTAKES: readonly Mistake[] = [
  ['probes', PROBE, '«probes» = "GAZEBO"', 'probe'],
  ['a constraint of nothing', 'name = "seed"\nrange = [0, 9]', 'name = «"seed"»'],
  [
    'nothing that stops it',
    'stopping_conditions = { failing_measurements = 5 }\n\n[stopping_conditions]\nattempts = 10\ntime = "2h 30min"\n',
    '',
    'attempts',
  ],
];
