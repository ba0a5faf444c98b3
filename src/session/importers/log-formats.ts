import { compileMapping, type LogFormat, parseFields } from './mapping.js';

/* The supported log formats, with a row for each line layout. More specific layouts come first. */

const DATE = String.raw`\d{4}[-/]\d\d[-/]\d\d`;
const CLOCK = String.raw`\d\d:\d\d:\d\d(?:[.,]\d+)?`;
const SLASHED = String.raw`\d{4}\/\d\d\/\d\d ${CLOCK}`;
const ZONE = String.raw`(?:Z| ?[+-]\d\d:?\d\d)?`;
const TIME = `(?<time>(?:${DATE}[T ])?${CLOCK}${ZONE})`;
const LEVELS = 'TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL|FINE|FINER|FINEST';
export const LEVEL = `(?<level>${LEVELS})`;
/** Matches a three-letter level. */
const SHORT_LEVEL = '(?<level>VRB|TRC|DBG|INF|WRN|ERR|FTL|PNC)';
/** Matches the path of a Rust module. */
const MODULE = String.raw`(?<probe>\w+(?:::\w+)*)`;
/** Matches the timestamp before a line of docker, kubectl and similar tools. */
const STAMP = String.raw`(?<time>${DATE}T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))`;
const QUOTED_TEXT = String.raw`(?:[^"\\]|\\.)*`;
/** Returns a pattern for an HTTP request line with its parts, or for other text, before a quote. */
const requestOr = (alternative: string) =>
  String.raw`(?<name>(?<method>[A-Z]+) (?<path>[^\s"\\]+)(?: (?<protocol>HTTP\/[\d.]+))?(?=")|${alternative})`;
const REQUEST = requestOr(QUOTED_TEXT);
/** Matches syslog's prefix of an HAProxy line. */
const FORWARDED = String.raw`(?:\S+ +\d+ [\d:]+ |\S+T\S+ )?(?:(?<host>[^\s[\]]+) )?(?:(?<app>[^\s:[\]]+)\[(?<pid>\d+)\]: )?`;
const HAPROXY = String.raw`^${FORWARDED}(?<client>\S+:\d+) \[(?<time>%d/%b/%Y:%H:%M:%S\.%f)\] (?<probe>\S+) (?<backend>[^\s/]+)\/(?<server>\S+)`;

/** The fields of common loggers' JSON logs. */
const ANY =
  'name=$.msg|$.message|$.event|$.log,probe=$.service|$.service.name|$.app|$.name|$.logger|$.container_name|$.hostname,time=$.time|$.ts|$.timestamp|$.@timestamp';

type JsonRow = readonly [
  id: string,
  keys: string,
  fields: string,
  more?: Pick<LogFormat, 'outputKey' | 'ignoredKeys' | 'skippedLines' | 'hasPairs'>,
];

/** JSON Lines formats, with their identifying keys and their fields. */
const JSON_ROWS: readonly JsonRow[] = [
  ['docker', 'log stream time', ANY, { outputKey: 'log', hasPairs: true }],
  [
    'journald',
    '__REALTIME_TIMESTAMP',
    'name=$.MESSAGE,probe=$.SYSLOG_IDENTIFIER|$._SYSTEMD_UNIT|$._COMM,time=$.__REALTIME_TIMESTAMP',
    { ignoredKeys: /^__/, hasPairs: true },
  ],
  ['mongodb', 't s c ctx msg', 'name=$.msg,probe=$.c,time=$.t.$date,level=$.s'],
  [
    'k6',
    'type metric data',
    'name=$.metric,time=$.data.time,value=$.data.value',
    { skippedLines: /"type" *: *"Metric"/ },
  ],
  ['bunyan', 'name hostname pid level time v', 'name=$.msg,probe=$.name,time=$.time'],
  ['pino', 'level time pid hostname', 'name=$.msg,probe=$.name|$.service|$.hostname,time=$.time'],
  ['zap', 'level ts msg', 'name=$.msg,probe=$.service|$.app|$.logger,time=$.ts'],
  ['logrus', 'level msg time', 'name=$.msg,probe=$.service|$.app|$.name,time=$.time'],
  [
    'log4j',
    '@timestamp message',
    'name=$.message,probe=$.service.name|$.service|$.app|$.logger_name|$.log.logger,time=$.@timestamp',
  ],
  [
    'log4j',
    'instant loggerName level message',
    'name=$.message,probe=$.service|$.loggerName,time=$.timeMillis|$.instant',
  ],
  [
    'elasticsearch',
    'type timestamp level component message',
    'name=$.message,probe=$.component,time=$.timestamp',
  ],
  ['structlog', 'event timestamp', 'name=$.event,probe=$.service|$.app|$.logger,time=$.timestamp'],
  [
    'python',
    'message levelname',
    'name=$.message,probe=$.service|$.name,time=$.asctime|$.created|$.timestamp',
  ],
  [
    'rust',
    'timestamp level target',
    'name=$.fields.message|$.message,probe=$.target,time=$.timestamp',
  ],
  ['dotnet', '@t @mt', 'name=$.@m|$.@mt,probe=$.SourceContext,time=$.@t'],
  ['dotnet', '@t @m', 'name=$.@m,probe=$.SourceContext,time=$.@t'],
  [
    'dotnet',
    'EventId LogLevel Category Message',
    'name=$.Message,probe=$.Category,time=$.Timestamp',
  ],
  [
    'winston',
    'level message',
    'name=$.message,probe=$.service|$.label|$.name,time=$.timestamp|$.time',
  ],
  [
    'winston',
    '@message @fields',
    'name=$.@message,probe=$.@fields.service|$.@fields.label,time=$.@timestamp',
  ],
  ['zap', 'severity message', ANY],
  ['python', 'message timestamp', ANY],
  ['pino', 'level msg', 'name=$.msg,probe=$.name|$.service,time=$.time'],
];

/** The format to try last, because lines of other programs may look the same. */
export const WEAKEST_FORMAT = 'go';

const TEXT_FIELDS =
  'name=$.name|$.message_id,probe=$.probe|$.app|$.service|$.label,time=$.time|$.timestamp';
/** Fields for lines about other objects, in which `service` is not the service that wrote the line. */
const OBJECT_FIELDS = 'name=$.name,time=$.time';
/** Fields for container logs, in which each container of a service is a separate probe. */
const CONTAINER_FIELDS = ANY.replace('probe=', 'probe=$.container|');

interface TextRow
  extends Pick<LogFormat, 'outputKey' | 'skippedLines' | 'signature' | 'texts' | 'unit'> {
  readonly id: string;
  /**
   * The patterns for one line, or for two lines if the pattern contains a line break. Unlike `.*`, `[^\n]*` also
   * matches other line terminators, such as U+2028.
   */
  readonly patterns: readonly string[];
  readonly fields?: string;
  /** True if every line is an event. Otherwise, a line that does not match continues the previous event. */
  readonly isByLine?: boolean;
  /** True if a message may be code or a path, in which `key=value` is not an attribute. */
  readonly isVerbatim?: boolean;
}

const TEXT_ROWS: readonly TextRow[] = [
  {
    id: 'kubernetes',
    patterns: [String.raw`^\[pod\/(?<container>[^\/\]\s]+\/[^\]\s]+)\](?: ${STAMP})? (?<log>.*)$`],
    fields: CONTAINER_FIELDS,
    outputKey: 'log',
    isByLine: true,
  },
  {
    id: 'docker',
    patterns: [String.raw`^(?<container>[a-zA-Z][\w.-]*) *\|(?: ${STAMP}(?= |$))? ?(?<log>.*)$`],
    fields: CONTAINER_FIELDS,
    outputKey: 'log',
    isByLine: true,
  },
  {
    id: 'kubernetes',
    patterns: [
      `^(?<time>${DATE}T${CLOCK}${ZONE}) (?<stream>stdout|stderr) (?<part>[FP])(?: (?<log>.*))?$`,
    ],
    fields: ANY,
    outputKey: 'log',
    isByLine: true,
  },
  // The formats "option httplog" and "option tcplog" of HAProxy's configuration manual.
  {
    id: 'haproxy',
    patterns: [
      String.raw`${HAPROXY} (?<request_ms>-?\d+)\/(?<queue_ms>-?\d+)\/(?<connect_ms>-?\d+)\/(?<response_ms>-?\d+)\/\+?(?<total_ms>\d+) (?<status>-?\d+) \+?(?<bytes>\d+) \S+ \S+ (?<termination>\S+) (?<connections>[\d/+]+) (?<queues>\d+\/\d+)(?: \{(?<captured>[^}]*)\})?(?: \{(?<answered>[^}]*)\})? "${requestOr(String.raw`[^\n]*`)}"$`,
      String.raw`${HAPROXY} (?<queue_ms>-?\d+)\/(?<connect_ms>-?\d+)\/\+?(?<total_ms>\d+) \+?(?<bytes>\d+) (?<termination>\S+) (?<connections>[\d/+]+) (?<queues>\d+\/\d+)$`,
    ],
    fields: 'name=$.name,probe=$.probe,time=$.time',
    isByLine: true,
    isVerbatim: true,
  },
  {
    id: 'syslog',
    patterns: [
      String.raw`^<(?<priority>\d{1,3})>1 (?<time>\S+) (?<host>\S+) (?<app>\S+) (?<pid>\S+) (?<message_id>\S+) (?<structured>-|(?:\[(?:[^\]"]|"${QUOTED_TEXT}")*\])+)(?: \ufeff?(?<name>.*))?$`,
      String.raw`^(?:<(?<priority>\d{1,3})>)?(?<time>[A-Z][a-z]{2} [ \d]\d ${CLOCK}|${DATE}T${CLOCK}${ZONE}) (?!(?:${LEVELS}) )(?<host>[^\s[\]]+) (?<app>[^\s:[\]]+)(?:\[(?<pid>\d+)\])?: (?<name>.*)$`,
    ],
    isByLine: true,
  },
  {
    id: 'nginx',
    patterns: [
      String.raw`^(?<client>\S+) (?<ident>\S+) (?<user>\S+) \[(?<time>\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "${REQUEST}" (?<status>\d{3}) (?<bytes>\d+|-)(?: "(?<referer>${QUOTED_TEXT})" "(?<agent>${QUOTED_TEXT})")?(?: (?<more>.*))?$`,
      // ngx_log_error_core in nginx's ngx_log.c, with the context added by ngx_http_log_error.
      String.raw`^(?<time>${SLASHED}) \[(?<level>[a-z]+)\] (?<pid>\d+)#(?<thread>\d+): (?:\*(?<connection>\d+) )?(?<name>[^\n]*?)(?:, client: (?<client>[^,]+)(?:, server: (?<server>[^,]*))?(?:, request: "(?<request>[^"]*)")?(?:, upstream: "(?<upstream>[^"]*)")?(?:, host: "(?<host>[^"]*)")?(?<more>, [^\n]*)?)?$`,
    ],
    isByLine: true,
    isVerbatim: true,
  },
  // The default ErrorLogFormat of Apache 2.4 and 2.2.
  {
    id: 'apache',
    patterns: [
      String.raw`^\[(?<time>%a %b %d %H:%M:%S(?:\.%f)? %Y)\] \[(?:(?<module>\w*):)?(?<level>[a-z]+\d?)\](?: \[pid (?<pid>\d+)(?::tid (?<thread>\d+))?\])?(?: \[client (?<client>[^\]]+)\])? (?<name>.*)$`,
    ],
    isVerbatim: true,
  },
  // Envoy's default access log format, and Istio's extended format.
  {
    id: 'envoy',
    patterns: [
      String.raw`^\[${TIME}\] "${REQUEST}" (?<status>\d+) (?<flags>\S+)(?: (?<details>\S+) (?<ended>\S+) "(?<failure>${QUOTED_TEXT})")? (?<received>\d+) (?<sent>\d+) (?<duration_ms>\d+) (?<upstream_ms>\d+|-) "(?<forwarded>${QUOTED_TEXT})" "(?<agent>${QUOTED_TEXT})" "(?<request_id>${QUOTED_TEXT})" "(?<authority>${QUOTED_TEXT})" "(?<upstream>${QUOTED_TEXT})"(?: (?<more>.*))?$`,
      String.raw`^\[${TIME}\]\[(?<thread>\d+)\]\[(?<level>[a-z]+)\]\[(?<probe>[^\]]+)\] (?:\[(?<caller>[^\]\s]+:\d+)\] )?(?<name>.*)$`,
    ],
    isVerbatim: true,
  },
  // DEFAULT_FORMAT in the JDK's SimpleConsoleLogger.java, also used by java.util.logging's SimpleFormatter.
  {
    id: 'java',
    patterns: [
      String.raw`^(?<time>[A-Z][a-z]{2} \d\d, \d{4} \d{1,2}:\d\d:\d\d [AP]M) (?<probe>\S+)(?: (?<function>\S+))?\n(?<level>[^\s:]+): (?<name>[^\n]*)$`,
    ],
  },
  // The simple formatter of Microsoft.Extensions.Logging, on two lines or on one line; then Serilog.
  {
    id: 'dotnet',
    patterns: [
      String.raw`^(?:\[?${TIME}\]? *)?(?<level>trce|dbug|info|warn|fail|crit): (?<probe>[^\s[]+)\[(?<event_id>-?\d+)\]\n {6}(?<name>[^\n]*)$`,
      String.raw`^(?:\[?${TIME}\]? *)?(?<level>trce|dbug|info|warn|fail|crit): (?<probe>[^\s[]+)\[(?<event_id>-?\d+)\] (?<name>.+)$`,
      String.raw`^(?:\[${TIME} ${SHORT_LEVEL}\]) (?:<s:(?<probe>[^>]*)> )?(?<name>.*)$`,
      String.raw`^${TIME} \[${SHORT_LEVEL}\] (?<name>.*)$`,
    ],
  },
  // FormatHeader in klog's buffer.go; glog adds the year. Keys and values may follow a quoted text.
  {
    id: 'klog',
    patterns: [
      String.raw`^(?<level>[IWEF])(?<time>\d{4}(?:\d{4})? ${CLOCK}) +(?<pid>\d+) (?<caller>[^\s\]]+:\d+)\] "?(?<name>(?<=\] ")${QUOTED_TEXT}(?="(?: [^\s="]+=|$))|(?<=\] )[^\n]*)(?:"(?: (?<pairs>[^\n]+))?)?$`,
    ],
    fields: OBJECT_FIELDS,
    skippedLines:
      /^(?:Log file created at|Running on machine|Application fingerprint|Running duration \(h:mm:ss\)|Binary|Previous log|Log line format): /,
  },
  // The log_line_prefix of postgresql.conf.sample, with or without Debian's user and database; see elog.c.
  {
    id: 'postgresql',
    patterns: [
      String.raw`^(?<time>\d{4}-\d\d-\d\d ${CLOCK}(?: (?:UTC|GMT|[+-]\d\d(?:\d\d)?))?)(?: (?<zone>[A-Z]{3,5}))? \[(?<pid>\d+)\](?: (?<user>[^\s@]*)@(?<database>\S*))? (?<level>[^\s:]+):  (?<name>.*)$`,
    ],
    isVerbatim: true,
  },
  // serverLogRaw and serverLogRawFromHandler of Redis's server.c.
  {
    id: 'redis',
    patterns: [
      String.raw`^(?<pid>\d+):(?<role>[XCSM]|signal-handler) \(?(?<time>\d{10}|\d\d [A-Z][a-z]{2} \d{4} ${CLOCK})\)? (?:(?<level>[.*#-]) )?(?<name>.*)$`,
    ],
  },
  {
    id: 'nats',
    patterns: [
      String.raw`^\[(?<pid>\d+)\] (?<time>${SLASHED}) \[(?<level>[A-Z]{3})\] (?<name>.*)$`,
    ],
  },
  {
    id: 'rabbitmq',
    patterns: [String.raw`^${TIME} \[(?<level>[a-z]+)\] <(?<process>[\d.]+)> (?<name>.*)$`],
  },
  // ROS 2: rcutils' default format, with or without a launch's prefix, and a launch's log file. Then ROS 1.
  {
    id: 'ros',
    patterns: [
      String.raw`^(?:\[(?<process>[^\s\]]+-\d+)\] )?\[(?<level>DEBUG|INFO|WARN|ERROR|FATAL)\] \[(?<time>\d+\.\d+)\] \[(?<probe>[^\]]+)\]: (?<name>.*)$`,
      String.raw`^(?<time>\d+\.\d+) \[(?<level>DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\] \[(?<probe>[^\]]+)\]: (?<name>.*)$`,
      String.raw`^\[ *(?<level>DEBUG|INFO|WARN|ERROR|FATAL)\] (?:\[(?<probe>\/[^\]]*)\] )?\[(?<time>\d+\.\d+)(?:, (?<simulated>\d+\.\d+))?\]: (?<name>.*)$`,
      String.raw`^(?<time>\d+\.\d+) +(?<level>DEBUG|INFO|WARN|ERROR|FATAL) (?<probe>\/\S+) \[(?<caller>[^\]]+)\] (?:\[topics: (?<topics>[^\]]*)\] )?(?<name>.*)$`,
      String.raw`^\[(?<probe>ros[\w.]+)\]\[(?<level>DEBUG|INFO|WARNING|ERROR|CRITICAL)\] ${TIME}: (?<name>.*)$`,
    ],
    unit: 's',
  },
  // The output formats of Android's logcat: threadtime, time and brief.
  {
    id: 'logcat',
    patterns: [
      String.raw`^(?<time>(?:\d{4}-)?\d\d-\d\d ${CLOCK}(?: [+-]\d{4})?|\d+\.\d+) +(?:(?<user>[a-z]\w*) +)?(?<pid>\d+) +(?<thread>\d+) (?<level>[VDIWEFAS]) (?<probe>[^\n]*?) *: (?<name>[^\n]*)$`,
      String.raw`^(?:(?<time>(?:\d{4}-)?\d\d-\d\d ${CLOCK}|\d+\.\d+) )?(?<level>[VDIWEFAS])\/(?<probe>[^\n(]*?) *\( *(?<pid>\d+)\): (?<name>[^\n]*)$`,
    ],
    skippedLines: /^-{9} (?:beginning of|switch to) /,
    isByLine: true,
  },
  // candump -l and -L, then candump -t.
  {
    id: 'candump',
    patterns: [
      String.raw`^\((?<time>\d+\.\d+)\) +(?<probe>\S+) +(?<name>[0-9A-F]{3,8})#(?:#(?<flags>[0-9A-F]))?(?<data>[0-9A-FR]*)(?: +(?<direction>[TR]))?$`,
      String.raw`^ ?\((?<time>[\d.: -]+)\) +(?<probe>\S+) +(?:(?<direction>[TR]X) +(?<flags>\S+(?: \S+)?) +)?(?<name>[0-9A-F]{3,8}) +\[(?<length>\d+)\] *(?<data>[0-9A-F]{2}(?: [0-9A-F]{2})*|remote request)?(?: +'[^\n]*')?$`,
    ],
    texts: ['data', 'flags'],
    unit: 's',
    isByLine: true,
    isVerbatim: true,
  },
  {
    id: 'kernel',
    patterns: [
      String.raw`^(?:<(?<priority>\d+)>)?\[ *(?<time>\d+\.\d{6}|%a %b %e %H:%M:%S %Y)\](?:\[ *(?<thread>[CT]\d+)\])? (?<name>.*)$`,
    ],
    unit: 's',
    isByLine: true,
    isVerbatim: true,
  },
  {
    id: 'esp-idf',
    patterns: [
      String.raw`^(?<level>[EWIDV]) \((?<time>\d+|${CLOCK})\) (?<probe>[^\s:]+): (?<name>.*)$`,
    ],
    unit: 'ms',
  },
  {
    id: 'mongodb',
    patterns: [
      String.raw`^(?<time>${DATE}T${CLOCK}${ZONE}) (?<level>[FEWID]\d?) (?<probe>[A-Z-]+) +\[(?<context>[^\]]+)\] (?<name>.*)$`,
    ],
  },
  {
    id: 'openstack',
    patterns: [
      String.raw`^(?:(?<file>\S+\.log\S*) )?${TIME} (?<pid>\d+) ${LEVEL} (?<probe>[\w.]+) \[(?:-|(?<request_id>[^\s\]]+)(?: (?<context>[^\]]*))?)\] (?<name>.*)$`,
    ],
  },
  {
    id: 'elasticsearch',
    patterns: [
      String.raw`^\[${TIME}\]\[(?<level>[A-Z]+) *\]\[(?<probe>[^\s\]]+) *\] (?:\[(?<node>[^\]]*)\] ?)?(?<name>.*)$`,
    ],
  },
  // The format of tracing-subscriber, with the spans around an event; then env_logger, since 0.6 and before.
  {
    id: 'rust',
    patterns: [
      String.raw`^(?<time>${DATE}T${CLOCK}Z) (?= (?:INFO|WARN) |(?:ERROR|DEBUG|TRACE) ) ?${LEVEL} (?:(?<thread>ThreadId\(\d+\)) )?(?:(?<spans>[\w.:-]*\{[^{}]*\}(?::[\w.-]+(?:\{[^{}]*\})?)*): )?${MODULE}: (?:(?<caller>\S+\.rs:\d+): )?(?<name>.*)$`,
      String.raw`^\[(?:(?<time>${DATE}T${CLOCK}Z) )?${LEVEL} +${MODULE}\] (?<name>.*)$`,
      `^ *${LEVEL} (?<time>${DATE}T${CLOCK}Z): ${MODULE}: (?<name>.*)$`,
      `^${LEVEL}:${MODULE}: (?<name>.*)$`,
    ],
  },
  // A layout with the logger's name at the end of a line, as in Kafka's log4j.properties.
  {
    id: 'log4j',
    patterns: [
      String.raw`^\[${TIME}\] ${LEVEL} +(?<name>[^\n]*?)(?: \((?<probe>[\w$]+(?:\.[\w$]+)+)\))?$`,
    ],
    signature: / \([\w$]+(?:\.[\w$]+)+\)$/,
  },
  // The layouts of Spring Boot, JBoss and Quarkus, ZooKeeper, Cassandra, Spark and HDFS, and common layouts.
  {
    id: 'log4j',
    patterns: [
      String.raw`^${TIME} +${LEVEL} +(?<pid>\d+) --- (?:\[[^\]]*\] )*?\[ *(?<thread>[^\]]*)\] (?<probe>\S+) *: (?<name>.*)$`,
      String.raw`^${TIME} ${LEVEL} +\[(?<probe>[\w.$/-]+)\] \((?<thread>[^()]*)\) (?<name>.*)$`,
      String.raw`^${TIME} (?:\[myid:(?<myid>\d*)\] )?- ${LEVEL} +\[(?<thread>[^\n]*?):(?<probe>[\w.$]+)@(?<line>\d+)\] - (?<name>[^\n]*)$`,
      String.raw`^${LEVEL} +\[(?<thread>[^\]]*)\] (?:(?<node>[\d.]+) )?${TIME} (?<probe>[\w$]+)\.java:(?<line>\d+) - (?<name>.*)$`,
      String.raw`^(?<time>%y/%m/%d %H:%M:%S(?:[.,]%f)?) ${LEVEL} +(?<probe>[\w.$]+): (?<name>.*)$`,
      String.raw`^(?<time>%y%m%d %H%M%S) (?<thread>\d+) ${LEVEL} +(?<probe>[\w.$]+): (?<name>.*)$`,
      String.raw`^${TIME} +\[(?<thread>[^\]]*)\] +${LEVEL} +(?<probe>\S+?)(?: +-|:) +(?<name>.*)$`,
      String.raw`^${TIME} +${LEVEL} +(?:\[(?<thread>[^\]]*)\] +)(?<probe>\S+?)(?: +-|:) +(?<name>.*)$`,
    ],
  },
  {
    id: 'supervisord',
    patterns: [`^${TIME} (?<level>CRIT|ERRO|WARN|INFO|DEBG|TRAC|BLAT) (?<name>.*)$`],
    signature:
      /supervisord started|(?:spawned|success|exited|stopped|gave up): |Supervisor is running| (?:CRIT|ERRO|DEBG|TRAC|BLAT) /,
  },
  {
    id: 'log4j',
    patterns: [
      String.raw`^${TIME} +\[?${LEVEL}\]? +(?<probe>[\w$.]+(?:::[\w$]+)*)(?::(?<line>\d+))?(?: +-|:) +(?<name>.*)$`,
      String.raw`^\[${TIME}\] \[${LEVEL}\] (?<probe>[\w.:/-]+) - (?<name>.*)$`,
    ],
  },
  {
    id: 'pino',
    patterns: [
      String.raw`^\[${TIME}\] ${LEVEL}(?: \((?:(?:(?<probe>[^/()]+)\/)?(?<pid>\d+)(?: on (?<hostname>[^()]+))?|(?<service>[^()]+))\))?: (?<name>.*?)(?: (?<json>\{.*\}))?$`,
    ],
  },
  {
    id: 'python',
    patterns: [
      String.raw`^${TIME} - (?<probe>\S+) - ${LEVEL} - (?<name>.*)$`,
      String.raw`^${TIME} \| ${LEVEL} +\| (?<probe>[^\s:]+):(?<function>[^\s:]+):(?<line>\d+) - (?<name>.*)$`,
      String.raw`^\[${TIME}\] \[${LEVEL}\] \[(?<probe>[^\]]+)\] (?<name>.*)$`,
      String.raw`^\[${TIME}\] \[(?<pid>\d+)\] \[${LEVEL}\] (?<name>.*)$`,
      String.raw`^\[${TIME}: ${LEVEL}\/(?<process>[^\]]+)\] (?<name>.*)$`,
      String.raw`^\[${TIME}\] \{(?<caller>[^}]+:\d+)\} ${LEVEL} - (?<name>.*)$`,
      `^${TIME}:${LEVEL}:(?<probe>[^:]*):(?<name>.*)$`,
      `^${LEVEL}:(?<probe>[^:]*):(?<name>.*)$`,
      String.raw`^\[${TIME}\] ${LEVEL} in (?<probe>\S+): (?<name>.*)$`,
      String.raw`^${TIME} +(?<probe>[\w.]+) +\[?${LEVEL}\]? *[:-]? +(?<name>.*)$`,
    ],
  },
  {
    id: 'spdlog',
    patterns: [
      String.raw`^\[${TIME}\] (?:\[(?<probe>[^\]]+)\] )?\[(?<level>trace|debug|info|warning|error|critical)\] (?:\[(?<caller>[^\]\s]+:\d+)\] )?(?<name>.*)$`,
    ],
  },
  {
    id: 'zap',
    patterns: [
      String.raw`^(?<time>${DATE}T${CLOCK}${ZONE})\t(?<level>[A-Za-z]+)\t(?:(?<probe>[\w.-]+)\t)?(?:(?<caller>[^\t]+:\d+)\t)?(?<name>[^\t]*)(?:\t(?<json>\{.*\}))?$`,
    ],
  },
  // Format in Ruby's logger/formatter.rb.
  {
    id: 'ruby',
    patterns: [
      String.raw`^[DIWEFA], \[(?<time>${DATE}T${CLOCK}) #(?<pid>\d+)\] +(?<level>[A-Z]+) -- (?<probe>[^\n]*?): (?<name>[^\n]*)$`,
    ],
  },
  // SIMPLE_FORMAT of Monolog's LineFormatter, and Laravel's variant without empty parts.
  {
    id: 'monolog',
    patterns: [
      String.raw`^\[${TIME}\] (?<probe>[\w.-]+)\.(?<level>DEBUG|INFO|NOTICE|WARNING|ERROR|CRITICAL|ALERT|EMERGENCY): (?<name>.*?)(?: (?:\[\]|(?<json>\{.*?\}))(?: (?:\[\]|(?<extra>\{.*\})))?)? *$`,
    ],
  },
  // $time $metadata[$level] $message of Elixir's Logger.
  {
    id: 'elixir',
    patterns: [
      String.raw`^(?<time>(?:${DATE} )?\d\d:\d\d:\d\d\.\d{3}) (?:(?<pairs>[^\s=[\]]+=[^[\]]*) )?\[(?<level>debug|info|notice|warn|warning|error|critical|alert|emergency)\] +(?<name>.*)$`,
    ],
  },
  {
    id: 'structlog',
    patterns: [
      String.raw`^${TIME} \[(?<level>debug|info|warn|warning|error|critical|exception) *\] (?<name>.*?)(?:  +(?:\[(?<probe>[\w.]+)\] *)?(?<pairs>[^\s=]+=.*)?)?$`,
    ],
  },
  {
    id: 'logrus',
    patterns: [
      String.raw`^(?<level>TRAC|DEBU|INFO|WARN|ERRO|FATA|PANI)\[(?:${STAMP}|(?<elapsed>\d+))\] (?<name>.*?)(?: +(?<pairs>[^\s=]+=.*)?)?$`,
      String.raw`^(?<time>${DATE}T${CLOCK}${ZONE}|\d{1,2}:\d\d[AP]M) ${SHORT_LEVEL} (?<name>.*?)(?: (?<pairs>[^\s=]+=.*))?$`,
    ],
    isByLine: true,
  },
  {
    id: 'python',
    patterns: [
      String.raw`^\[?${TIME}\]? +\[?${LEVEL}\]? *:? +(?<name>.*)$`,
      `^${LEVEL}: +(?<name>.*)$`,
    ],
  },
  {
    id: 'winston',
    patterns: [
      String.raw`^(?:${TIME} +)?(?:\[(?<probe>[^\]]*)\] +)?(?<level>error|warn|info|http|verbose|debug|silly): +(?<name>.*?)(?: (?<json>\{.*\}))?$`,
    ],
  },
  {
    id: 'docker',
    patterns: [String.raw`^(?<time>${DATE}T\d\d:\d\d:\d\d\.\d{7,9}Z) (?<log>.*)$`],
    fields: ANY,
    outputKey: 'log',
    isByLine: true,
  },
  // formatHeader in Go's log.go, with the usual flags. Many programs put a level before the text.
  {
    id: WEAKEST_FORMAT,
    patterns: [
      String.raw`^(?<time>${SLASHED}) (?:(?<caller>\S+\.go:\d+): )?(?:\[?${LEVEL}\]?:? +)?(?<name>.*)$`,
    ],
  },
];

/** The distinct names of the log formats, in the order of messages. */
export const LOG_FORMAT_NAMES = [
  ...['pino', 'bunyan', 'winston', 'zap', 'logrus', 'structlog', 'python', 'log4j', 'java', 'rust'],
  ...['dotnet', 'ruby', 'monolog', 'elixir', 'spdlog', 'go', 'klog'],
  ...['docker', 'kubernetes', 'journald', 'syslog'],
  ...['nginx', 'apache', 'haproxy', 'envoy', 'postgresql', 'redis', 'mongodb', 'elasticsearch'],
  ...['rabbitmq', 'nats', 'openstack', 'supervisord', 'k6', 'ros', 'logcat', 'candump', 'kernel'],
  ...['esp-idf', 'logfmt'],
] as const;

let table: readonly LogFormat[] | undefined;

/** Returns the known formats, the most specific first. */
export function logFormats(): readonly LogFormat[] {
  table ??= [
    ...JSON_ROWS.map(([id, keys, fields, options]) => ({
      id,
      keys: keys.split(' '),
      mapping: compileMapping({ fields: parseFields(fields) }),
      ...options,
    })),
    ...TEXT_ROWS.flatMap(textLoggers),
    { id: 'logfmt', isLogfmt: true, mapping: compileMapping({ fields: parseFields(ANY) }) },
  ];
  return table;
}

function textLoggers(row: TextRow): readonly LogFormat[] {
  const { patterns, fields = TEXT_FIELDS, isByLine = false, isVerbatim = false, ...settings } = row;
  return patterns.map((pattern) => {
    const mapping = compileMapping({ pattern, fields: parseFields(fields) });
    const [firstPattern, secondPattern] = pattern.split('\\n');
    const hasTwoLines = secondPattern !== undefined && !firstPattern?.endsWith('[^');
    return {
      ...settings,
      mapping,
      hasContinuations: !isByLine,
      hasPairs: !isVerbatim,
      ...(hasTwoLines && { firstLine: new RegExp(`${firstPattern}$`) }),
    };
  });
}
