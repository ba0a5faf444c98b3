import type { Mistake } from './objective.js';

const CHECK = "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b";

/** A file of one check. */
export const RIGHT_CHECK = `name = "x"

[[measurement]]
name = "m"
check = '''${CHECK}'''

[stopping_conditions]
attempts = 1
`;

const A = "(name = 'A')";
const B = "(name = 'B')";
const ORDER = 'a -> b';

/** A mistake that needs an expression of its own. */
const whole = (kind: string, written: string, answer?: string): Mistake =>
  answer === undefined ? [kind, CHECK, written] : [kind, CHECK, written, answer];

/** A mistake in what follows the right check. */
const after = (kind: string, written: string, answer?: string): Mistake =>
  whole(kind, `${CHECK} ${written}`, answer);

/** A mistake in the check of one label. */
const ofOne = (kind: string, written: string, answer?: string): Mistake =>
  whole(kind, `MATCH (name = 'A') AS a ${written}`, answer);

/** A name that rules out the event which its check asks for. */
const named = (name: string, event: string): Mistake => [
  `the name "${name}"`,
  `name = "m"\ncheck = '''${CHECK}'''`,
  `name = «"${name}"»\ncheck = '''MATCH (${event} @ GPS) AS e'''`,
  'count() = 0',
];

/** Mistakes that need another expression than that of the objective, in words as people have them. */
export const CHECK_MISTAKES: readonly Mistake[] = [
  whole('no label at all', `MATCH ${A}«»`, '(condition) AS label'),
  whole('no label after NOT', `MATCH NOT ${A}«»`, '(condition) AS label'),
  whole('no parentheses', "MATCH «name» = 'A' AS a", '(condition) AS label'),
  whole('where for WHEN', `MATCH ${A} as a, ${B} as b «where» a -> b`, 'WHEN'),
  whole('no MATCH', `«(»name = 'A') AS a, ${B} AS b WHEN a -> b`, 'MATCH'),
  whole('a condition alone', "«NOT (name = 'A')»", "MATCH NOT (name = 'A') AS event"),
  whole('a comparison alone', "«name != 'A'»", "MATCH NOT (name = 'A') AS event"),
  ['precedes', ORDER, 'a «precedes» b', '->'],
  ['after', ORDER, 'b «after» a', 'a -> b'],
  ['a long fat arrow', ORDER, 'a «==>» b', '->'],
  ['an arrow of one character', ORDER, 'a «→» b', '->'],
  ['an order by <', ORDER, 'a «<» b', 'a -> b'],
  ['NOT before an order', ORDER, '«NOT» a -> b', 'NOT (condition) AS a in MATCH'],
  ['OR among orders', ORDER, 'a -> b «OR» b -> a', 'AND'],
  ['an event that comes before itself', ORDER, 'a «->» a'],
  ['an equality among orders', ORDER, 'a -> b AND a«.»id = b.id', 'FILTER'],
  whole('an arrow in MATCH', `MATCH ${A} AS a «->» ${B} AS b`, 'WHEN'),
  ['&& between patterns', 'a, (name', 'a «&&» (name', ','],
  ['WITHIN with a blank before the unit', ORDER, 'a -> b WITHIN «100» ms', '100ms'],
  ['WITHIN in sec', ORDER, 'a -> b WITHIN «10sec»', '10s'],
  ['WITHIN in quotes', ORDER, "a -> b WITHIN «'5s'»", '5s'],
  ['WITHIN in m', ORDER, 'a -> b WITHIN «5m»', '5min'],
  after('a time in words', 'FILTER b.time - a.time < 5 «seconds»', '5s'),
  after('a time with a blank before the unit', 'FILTER b.time - a.time > 1.5 «s»', '1.5s'),
  ofOne('a number with two points', 'FILTER a.payload.speed >= «3.5.1»', 'a number such as'),
  ofOne('equal to NULL', 'FILTER a.x = «NULL»', 'NOT exists(a.x)'),
  ofOne('unequal to NULL', 'FILTER a.x != «NULL»', 'exists(a.x)'),
  ofOne('IS NOT NULL', 'FILTER a.x.y «is» not null', 'exists(a.x.y)'),
  ofOne('== beside another condition', 'FILTER a.id «==» a.key AND a.x > a.y', '='),
  ofOne('count without parentheses', 'AGGREGATE count «>» 3', 'count()'),
  ofOne('no AGGREGATE', '«COUNT» = 0'),
  ofOne('a number in words', 'AGGREGATE count() = zero«»'),
  ofOne('a count between two bounds', 'AGGREGATE 3 < count() «<» 5', ', count()'),
  ofOne('counts in a list', 'AGGREGATE count() «IN» (1, 3)', '(count() = 1 OR count() = 3)'),
  ofOne('neighbouring counts in a list', 'AGGREGATE count() «in» (2, 1)', '>= 1 AND count() <= 2'),
  ofOne('|| among measures', 'AGGREGATE count() > 1 «||» max(a.x) > 5', 'OR'),
  ofOne('&& among measures', 'AGGREGATE count() > 1 «&&» max(a.x) < 3', 'AND'),
  ofOne('a measure without a label', 'AGGREGATE max(«x») > 3', 'a.x'),
  ofOne(
    'a percentage first',
    'AGGREGATE percentile(«95», a.latency) < 100',
    'percentile(a.latency, 95)',
  ),
  ofOne('a percentage as a share', 'AGGREGATE percentile(a.x, «0.999») < 5', '99.9'),
  ofOne('a percentage of groups as a share', 'AGGREGATE count() > 1 BY a.id FOR «0.95»%', '95'),
  ofOne('a comparison after BY', 'AGGREGATE count() BY a.id «>» 3', 'count() > 3 BY a.id'),
  ofOne('GROUP BY before AGGREGATE', '«GROUP» BY a.id AGGREGATE count() > 3', 'BY'),
  ofOne('per', 'AGGREGATE count() > 3 «per» a.id', 'BY'),
  ofOne('a rate by an attribute', 'AGGREGATE count() / a«.»time > 3', 'in a function'),
  ofOne(
    'HAVING before BY',
    'AGGREGATE count() > 1 «HAVING» count() > 3 BY a.x',
    'BY label.x HAVING',
  ),
  ofOne('HAVING after FOR', 'AGGREGATE max(a.x) > 1 BY a.y FOR 9% «HAVING» count() > 3', 'FOR 9%'),
  whole('NULL as a value', 'MATCH (x = «null») AS a', 'NOT exists(x)'),
  whole('NOT BETWEEN', 'MATCH (x NOT «BETWEEN» 1 AND 5) AS a', '(x < 1 OR x > 5)'),
  whole('IN and a list', "MATCH (name in «['A', 'B']») AS a", "IN ('A', 'B')"),
  whole('a value after ||', "MATCH (name = 'A' «||» 'B') AS a", "IN ('A', 'B')"),
  whole('values after OR', "MATCH (name != 'A' OR «'B'» OR 'C') AS a", "AND name != 'C'"),
  whole('startsWith', "MATCH («startsWith»(name, 'a')) AS a", "name GLOB 'a*'"),
  whole('CONTAINS with a star', "MATCH (name «CONTAINS» 'a*') AS a", "GLOB '*a[*]*'"),
  whole('=! without blanks', "MATCH (b«=!»'c') AS a", '!='),
  whole('=! before an attribute', 'MATCH (b«=!»c) AS a', '!='),
  whole('yes', 'MATCH (armed = «yes») AS a', 'TRUE'),
  whole('curly double quotes', 'MATCH (name = «“CRASH”») AS a', "'CRASH'"),
  whole('an apostrophe within curly quotes', 'MATCH (name = «‘it’s’») AS a', String.raw`'it\'s'`),
  whole('a quote written twice', "MATCH (name = 'it'«'s'») AS a", String.raw`\'`),
  whole('a comma between conditions', "MATCH (name = 'A'«,» severity > 3) AS a", 'AND or OR'),
  whole('!', 'MATCH («!»armed) AS a', 'NOT'),
  whole('a boolean without TRUE', 'MATCH (armed«)» AS a', 'armed = TRUE'),
  whole('NOT before an attribute', 'MATCH (armed = true AND NOT landed«)» AS a', 'landed = TRUE'),
  whole('at', "MATCH ('A' «at» GAZEBO) AS a", '@'),
  whole('an event after its probe', 'MATCH (GAZEBO.A«)» AS a', 'GAZEBO.A = TRUE'),
  whole('a hexadecimal number', 'MATCH (x = «0x1F») AS a', '31'),
  whole('a decimal comma', 'MATCH (x = 1«,»5) AS a', '1.5'),
  whole('a percentage', 'MATCH (x > 5«%») AS a', 'FOR'),
  whole('the label of its own pattern', 'MATCH («fault».x > 3) AS fault', 'x'),
  whole('the label of its own pattern, used again', 'MATCH («a».x > 3) AS a FILTER a.x > 4', 'x'),
  whole(
    'a label misspelt wherever it is used',
    `MATCH ${A} AS early, ${B} AS b WHEN «erly» -> b FILTER erly.x > 1 AND b.y < erly.y AGGREGATE max(erly.x) > 2 BY erly`,
    'early',
  ),
  ['a count of pairs that nothing ties', ' WHEN a -> b', ' AGGREGATE count() = 0'],
  whole(
    'an event and a narrower one',
    `MATCH (name = 'o' AND k = 'open') AS a, (name = 'o' AND k = 'open' AND id > 3) AS «b» FILTER a.id = b.id`,
    'a != b',
  ),
  named('No crash at all', 'CRASH'),
  named('Lands without a crash', 'CRASH'),
  named('No loss of GPS', 'GPS_LOSS'),
  whole('AND after OR', "MATCH (name = 'A' OR «name = 'B' AND probe = 'P'») AS a", 'parentheses'),
  whole('AND before OR', "MATCH («name = 'A' AND probe = 'P'» OR name = 'B') AS a", 'parentheses'),
  ofOne('AND after OR in FILTER', 'FILTER a.x = 1 OR «a.y = 2 AND a.z = 3»', 'parentheses'),
  ofOne(
    'AND and OR in share',
    'AGGREGATE share(a.x = 1 OR «a.y = 2 AND a.z = 3») < 1',
    'parentheses',
  ),
  ofOne(
    'AND after OR among measures',
    'AGGREGATE count() = 0 OR «count() > 5 AND max(a.x) < 3»',
    'parentheses',
  ),
  ofOne(
    'AND before OR in HAVING',
    'AGGREGATE max(a.x) < 3 BY a.y HAVING «count() > 5 AND min(a.x) > 0» OR sum(a.x) > 9',
    'parentheses',
  ),
  ofOne('HAVING that the measure rules out', 'AGGREGATE «count() < 5 BY a.y HAVING count() >= 20»'),
  whole('a capital beside lower()', "MATCH (lower(level) = «'ERROR'») AS a", 'lower case'),
  whole(
    'capitals in a list beside lower()',
    "MATCH (lower(level) IN ('warn', «'Error'»)) AS a",
    'lower case',
  ),
  whole('an ordered level', "MATCH («severity >= 'WARN'») AS a", "IN ('WARN', 'ERROR', 'FATAL')"),
  whole(
    'a level in small letters',
    "MATCH («level > 'info'») AS a",
    "IN ('warn', 'error', 'fatal')",
  ),
  whole('a level on the left', "MATCH («'ERROR' <= level») AS a", "IN ('ERROR', 'FATAL')"),
  whole('the highest level', "MATCH («level > 'ERROR'») AS a", "= 'FATAL'"),
  ofOne('an ordered level in FILTER', "FILTER «a.level < 'Warning'»", "IN ('Debug', 'Info')"),
  whole('an ordered version', "MATCH (version >= «'v1.10'») AS a", 'GLOB'),
  whole('an ordered version of three parts', "MATCH (fw > «'1.2.3'») AS a", 'GLOB'),
  whole('a name ordered by a number', "MATCH (name < «'1'») AS a"),
  whole('a bar in GLOB', "MATCH (name GLOB «'ERROR|FATAL'») AS a", "IN ('ERROR', 'FATAL')"),
  whole('a group in GLOB', "MATCH (name GLOB «'(ERROR|FATAL).*'») AS a", "name GLOB 'FATAL*'"),
  whole('a dollar sign in GLOB', "MATCH (name GLOB «'ERR$'») AS a", "'*ERR'"),
  whole('a caret in GLOB', "MATCH (name GLOB «'^ERR'») AS a", "'ERR*'"),
  whole('dots before stars in GLOB', "MATCH (name GLOB «'.*ERR.*'») AS a", "'*ERR*'"),
  whole('a class of digits in GLOB', String.raw`MATCH (name GLOB «'ERR\\d'») AS a`, "'ERR[0-9]'"),
  whole('slashes around GLOB', "MATCH (name GLOB «'/ERR/'») AS a", "'*ERR*'"),
  whole('an empty range in GLOB', "MATCH (name GLOB «'[z-a]*'») AS a", "'[a-z]*'"),
  whole('braces in GLOB', "MATCH (name GLOB «'link-{1,2}'») AS a", "IN ('link-1', 'link-2')"),
  whole('a repetition in GLOB', "MATCH (name GLOB «'[0-9]{1,3}'») AS a", '[a-z]'),
  whole('a plus sign in GLOB', "MATCH (name GLOB «'[a-z]+'») AS a", '[a-z]'),
  whole('a date in quotes', "MATCH («time > '2026-01-01T00:00:00Z'») AS a", 'no dates'),
  whole('a text for seq', "MATCH («seq = 'x'») AS a"),
  ofOne('a text for the end of the session', "FILTER «session.end > 'x'»"),
  whole('an attribute in ms and a duration', 'MATCH («latency_ms > 100ms») AS a', '100'),
  whole('an attribute in seconds and a duration', 'MATCH («took_seconds > 1.5s») AS a', '1.5'),
  whole('an attribute in us in a list', 'MATCH («a.wait_us IN (1ms, 2ms)») AS b', '1000 and 2000'),
  ofOne('a measure of ms and a duration', 'AGGREGATE «max(a.latency_ms) < 100ms»', '100'),
  after('a difference and an attribute in ms', 'FILTER «b.time - a.time < b.limit_ms»', '* 1ms'),
  after('a number added to a time', 'FILTER «b.time > a.time + 100»', '100ms'),
  after('a number subtracted from a time', 'FILTER «b.time - 100 > a.time»', '100ms'),
  after('a number subtracted from a difference', 'FILTER «b.time - a.time - 100 < 0»', '100ms'),
  after('a difference in a list', 'FILTER «b.time - a.time IN (100, 200)»', '100ms'),
  ofOne('a number before the end of the session', 'FILTER «a.time < session.end - 100»', '100ms'),
  after(
    'a number beside a baseline',
    'AGGREGATE «max(b.time - a.time) <= baseline(max(b.time - a.time)) + 100»',
    '100ms',
  ),
  whole('a span longer than a number', 'MATCH («span.duration > 100») AS a', '100ms'),
  whole('a comma in thousands', 'MATCH (size > 1«,»000) AS a', '1000'),
  whole('a comma in thousands of a list', 'MATCH (size IN (5, 1«,»000)) AS a', '1000'),
  ofOne('a comma in thousands of a measure', 'AGGREGATE count() > 1«,»000', '1000'),
  whole('zeros before a number', 'MATCH (id = «0012») AS a', "'0012'"),
  whole('a date and a time', 'MATCH (time > «2026-01-01T00:00:00Z») AS a', 'no dates'),
  ofOne('Infinity in a measure', 'AGGREGATE max(a.x) < «Infinity»', 'finite'),
  ofOne('Infinity in FILTER', 'FILTER a.x < «Infinity»', 'finite'),
  whole('any event at a probe', 'MATCH («*»@robot) AS a', "probe = 'robot'"),
  whole('an event at any probe', 'MATCH (start@«*») AS a', "name = 'start'"),
  whole('a probe with dots', 'MATCH (top.IMAGE@top«.»node) AS a', "'top.IMAGE' @ 'top.node'"),
  whole('a pattern in WHEN', `MATCH ${A} AS a WHEN a -> «(»name = 'B') AS b`, 'to MATCH'),
  whole('a comma before WHEN', `MATCH ${A} AS a, ${B} AS b, «WHEN» a -> b`, 'delete the comma'),
  whole('ILIKE', "MATCH (name «ILIKE» 'Err%') AS a", "lower(name) GLOB 'err*'"),
  whole('LIKE with a star', "MATCH (name «LIKE» 'a*b') AS a", '"%"'),
  whole('~=', "MATCH (name «~=» 'ERR') AS a", 'regular expressions'),
  ofOne('FOR a time', 'AGGREGATE count() > 1 FOR «5m»', 'BY window(label.time, 5min)'),
  whole('_ for the event', "MATCH («_».name = 'A') AS a", 'name'),
  whole('a label that is named as in traces', 'MATCH («http».x > 3) AS http', 'x'),
  whole('a condition twice, spaced otherwise', 'MATCH (x = `y` AND «x=`y`») AS a', 'delete'),
  whole('an event twice, spaced otherwise', "MATCH ('a' @ P OR «'a'@P») AS a", 'delete'),
  whole('a label for two patterns', `MATCH ${A} AS a, ${B} AS «a» WHEN a -> b`, 'write b'),
  ofOne('a share that is whole', 'AGGREGATE «share(a.time > 0) = 1»'),
  whole(
    'a share of what the pattern asks for',
    "MATCH (name = 'A' AND s > 5) AS a AGGREGATE «share(a.s > 3) = 1»",
  ),
  whole('a quote left open', "MATCH (name = «'A AND probe = 'X') AS a", "'"),
  whole('a quote left open before another pattern', `MATCH (name = «'A) AS a, ${B} AS b`, "'"),
  whole('a quote left open in a list', "MATCH (name IN ('A', «'B, 'C')) AS a", "'"),
];
