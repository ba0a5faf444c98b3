import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readSessionStream } from '../../src/session/files/index.js';
import { LOG_FORMAT_NAMES, logFormats } from '../../src/session/importers/log-formats.js';
import { parseTime } from '../../src/session/importers/times.js';
import {
  problemText,
  type ReadOptions,
  readSession,
  type Session,
  writeNeutral,
} from '../../src/session/index.js';
import { ROWS } from './log-rows.js';
import { recordsOf } from './written.js';

const logs = new URL('../../fixtures/sessions/logs/', import.meta.url);

interface Read {
  readonly format: string;
  readonly told: readonly string[];
  readonly records: readonly string[];
}

/** The format of a text, what is told of it, and its session in the neutral form. */
async function read(text: string, options: ReadOptions = {}): Promise<Read> {
  const { session, format, problems } = await readSession(text, options);
  const lines = session === undefined ? [] : recordsOf(session);
  return { format, told: problems.map(problemText), records: lines.map(brief) };
}

/** A record on one line: `PROBE NAME TIME ATTRIBUTES`, the time in ISO 8601 with its fraction. */
function brief(line: string): string {
  const record = JSON.parse(line.replace(/"time":(\d+)/, '"time":"$1"'));
  if (record.from !== undefined) return `${record.from} -> ${record.to}`;
  const { probe: at, timeline, name, time, attributes = {} } = record;
  const probe = timeline === undefined ? at : `${at}/${timeline}`;
  const parts = Object.entries(attributes).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [probe, `"${name}"`, ...(time === undefined ? [] : [isoOf(BigInt(time))]), ...parts].join(
    ' ',
  );
}

function isoOf(time: bigint): string {
  const seconds = new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19);
  const fraction = String(time % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return fraction === '' ? seconds : `${seconds}.${fraction}`;
}

/* Each as its program writes it: where a file is named, the program has written it. */
const WRITTEN: Readonly<Record<string, readonly [string, string, readonly string[]]>> = {
  ...ROWS,
  'pino, a file of its own': [
    'pino',
    readFileSync(new URL('pino.jsonl', logs), 'utf8'),
    [
      'shop "started" 2026-11-23T01:31:02.078 hostname="web-1" level=30 pid=4711',
      'shop "order placed" 2026-11-23T01:31:02.079 hostname="web-1" level=30 pid=4711 price=5 ratio=0.25 request.id="r-1" sku="A7" tags.0="a" tags.1="b"',
      'shop "order failed" 2026-11-23T01:31:02.079 err.message="no stock" err.stack="Error: no stock\\n    at Object.<anonymous> (/srv/shop/run.js:8:9)" err.type="Error" hostname="web-1" level=50 pid=4711 request.id="r-1"',
      'shop "log" 2026-11-23T01:31:02.079 hostname="web-1" level=40 only=true pid=4711',
    ],
  ],
  'bunyan, a file of its own': [
    'bunyan',
    readFileSync(new URL('bunyan.log', logs), 'utf8'),
    [
      'shop "started" 2026-11-23T01:31:02.093 hostname="web-1" level=30 pid=3551 v=0',
      'shop "stock is low" 2026-11-23T01:31:02.094 component="stock" hostname="web-1" left=0 level=40 pid=3551 request.id="r-1" v=0',
      'shop "order failed" 2026-11-23T01:31:02.094 component="stock" hostname="web-1" level=50 pid=3551 v=0',
    ],
  ],
  'winston, a file of its own': [
    'winston',
    readFileSync(new URL('winston.jsonl', logs), 'utf8'),
    [
      'shop "started" 2026-11-23T01:31:02.138 level="info"',
      'shop "stock is low" 2026-11-23T01:31:02.139 left=0 level="warn" trace.id="5b8e"',
      'shop "order failed" 2026-11-23T01:31:02.139 level="error" sku="A7"',
    ],
  ],
  "winston's simple text, a file of its own": [
    'winston',
    readFileSync(new URL('winston.txt', logs), 'utf8'),
    ['log "started" level="info"', 'log "stock is low" left=0 level="warn"'],
  ],
  'winston with a pattern, a time and a label, a file of its own': [
    'winston',
    readFileSync(new URL('winston-printf.txt', logs), 'utf8'),
    [
      'shop "started" 2026-11-23T05:37:24.905 level="info"',
      'shop "stock is low" 2026-11-23T05:37:24.905 level="warn"',
      'shop "x: y" 2026-11-23T05:37:24.905 level="debug"',
    ],
  ],
  "winston's colors, a file of its own": [
    'winston',
    readFileSync(new URL('winston-colors.txt', logs), 'utf8'),
    ['log "started" level="info"', 'log "stock is low" left=0 level="warn" trace.id="5b8e"'],
  ],
  "winston's simple text with a time": [
    'winston',
    'info: started {"timestamp":"2026-11-23T05:37:24.901Z","service":"shop"}\n',
    ['shop "started" 2026-11-23T05:37:24.901 level="info"'],
  ],
  'winston, of an error that it writes without its text': [
    'winston',
    '{"level":"info","message":"started"}\n{"level":"error"}\n',
    ['log "started" level="info"', 'log "log" level="error"'],
  ],
  'winston for logstash': [
    'winston',
    '{"@fields":{"level":"info","service":"shop","left":0},"@message":"started","@timestamp":"2026-11-23T05:37:24.901Z"}\n',
    ['shop "started" 2026-11-23T05:37:24.901 @fields.left=0 @fields.level="info"'],
  ],
  'pino without time and host': [
    'pino',
    '{"level":30,"msg":"one"}\n{"level":30,"msg":"two"}\n',
    ['log "one" level=30', 'log "two" level=30'],
  ],
  "Python's logging, a file of its own": [
    'python',
    readFileSync(new URL('python.log', logs), 'utf8'),
    [
      'shop.stock "started" 2026-11-23T01:31:03.301 level="INFO"',
      'shop.stock "stock is low: 0" 2026-11-23T01:31:03.302 level="WARNING"',
      'shop.stock "order failed" 2026-11-23T01:31:03.302 level="ERROR" stack="Traceback (most recent call last):\\n  File \\"/srv/shop/p.py\\", line 8, in <module>\\n    try: 1/0\\n         ~^~\\nZeroDivisionError: division by zero"',
    ],
  ],
  "Python's basic format": [
    'python',
    'INFO:shop.stock:started\nERROR:root:no stock: 0\n',
    ['root "no stock: 0" level="ERROR"', 'shop.stock "started" level="INFO"'],
  ],
  'Python with colons': [
    'python',
    '2026-11-23 01:31:03,305:INFO:shop:started\n',
    ['shop "started" 2026-11-23T01:31:03.305 level="INFO"'],
  ],
  Flask: [
    'python',
    '[2026-11-23 01:31:03,305] INFO in app: started\n',
    ['app "started" 2026-11-23T01:31:03.305 level="INFO"'],
  ],
  'a time, a level and a text': [
    'python',
    '2026-11-23 01:31:03,305 WARNING stock is low\n',
    ['log "stock is low" 2026-11-23T01:31:03.305 level="WARNING"'],
  ],
  zap: [
    'zap',
    '{"level":"info","ts":1795397462.0780001,"caller":"shop/main.go:21","msg":"started","trace_id":"5b8e","span_id":"01","took":0.25}\n',
    [
      'log "started" 2026-11-23T01:31:02.0780001 caller="shop/main.go:21" level="info" span.id="01" took=0.25 trace.id="5b8e"',
    ],
  ],
  "zap's console": [
    'zap',
    '2026-11-23T01:31:02.078Z\tINFO\tshop\tshop/main.go:21\tstarted\t{"took": 5}\n2026-11-23T01:31:02.079+0100\tWARN\tmain.go:9\tstock is low\n',
    [
      'log "stock is low" 2026-11-23T00:31:02.079 caller="main.go:9" level="WARN"',
      'shop "started" 2026-11-23T01:31:02.078 caller="shop/main.go:21" level="INFO" took=5',
    ],
  ],
  'logrus as JSON': [
    'logrus',
    '{"level":"info","msg":"started","size":10,"time":"2026-11-23T02:31:02+01:00"}\n',
    ['log "started" 2026-11-23T01:31:02 level="info" size=10'],
  ],
  'logrus as text, which is logfmt': [
    'logfmt',
    'time="2026-11-23T02:31:02+01:00" level=info msg="a \\"walrus\\" appears" size=10 ok=true id=007\n',
    [
      'log "a \\"walrus\\" appears" 2026-11-23T01:31:02 id="007" level="info" ok=true size=10'.replaceAll(
        '\\',
        '',
      ),
    ],
  ],
  'structlog as JSON': [
    'structlog',
    '{"user":"kim","event":"logged in","level":"info","logger":"shop","timestamp":"2026-11-23T01:31:02.078123Z","request_id":17}\n',
    ['shop "logged in" 2026-11-23T01:31:02.078123 level="info" request.id="17" user="kim"'],
  ],
  "structlog's console": [
    'structlog',
    '2026-11-23 01:31:02 [info     ] logged in                      [shop] user=kim attempt=2\n',
    ['shop "logged in" 2026-11-23T01:31:02 attempt=2 level="info" user="kim"'],
  ],
  'docker json-file, of a program that writes JSON or not': [
    'docker',
    '{"log":"{\\"level\\":30,\\"msg\\":\\"placed\\",\\"name\\":\\"shop\\"}\\n","stream":"stdout","time":"2026-11-23T01:31:02.078123456Z"}\n{"log":"it is over\\n","stream":"stderr","time":"2026-11-23T01:31:03.5Z"}\n',
    [
      'log "it is over" 2026-11-23T01:31:03.5 stream="stderr"',
      'shop "placed" 2026-11-23T01:31:02.078123456 level=30 stream="stdout"',
    ],
  ],
  'Kubernetes CRI, with a line in parts': [
    'kubernetes',
    '2026-11-23T01:31:02.078123456Z stdout P stock is \n2026-11-23T01:31:02.078123457Z stderr F oh\n2026-11-23T01:31:02.078123458Z stdout F low\n2026-11-23T02:31:03+01:00 stdout F {"msg":"placed","service":"shop","ts":1795397462.5}\n',
    [
      'log "oh" 2026-11-23T01:31:02.078123457 stream="stderr"',
      'log "stock is low" 2026-11-23T01:31:02.078123458 stream="stdout"',
      'shop "placed" 2026-11-23T01:31:03 stream="stdout" ts=1795397462.5',
    ],
  ],
  'journalctl -o json': [
    'journald',
    '{"__CURSOR":"s=1","__REALTIME_TIMESTAMP":"1795397462078123","_HOSTNAME":"web-1","PRIORITY":"6","SYSLOG_IDENTIFIER":"sshd","MESSAGE":"accepted"}\n{"__CURSOR":"s=2","__REALTIME_TIMESTAMP":"1795397462078124","_COMM":"shop","MESSAGE":[27,91,111,107]}\n',
    [
      'shop "\u001b[ok" 2026-11-23T01:31:02.078124',
      'sshd "accepted" 2026-11-23T01:31:02.078123 PRIORITY="6" _HOSTNAME="web-1"',
    ],
  ],
  'syslog, RFC 3164': [
    'syslog',
    "<34>Oct 11 22:14:15 mymachine su: 'su root' failed\nNov  3 04:05:06 web-1 sshd[4711]: accepted\n",
    [
      'sshd "accepted" 1970-11-03T04:05:06 host="web-1" pid=4711',
      `su "'su root' failed" 1970-10-11T22:14:15 host="mymachine" priority=34`,
    ],
  ],
  'syslog, RFC 5424': [
    'syslog',
    '<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It is time.\n<165>1 2003-10-11T22:14:15.003Z web-1 evntslog - ID47 [a@32473 iut="3" eventID="10\\"]11"] \ufeffdone\n<165>1 2003-10-11T22:14:15.003Z web-1 evntslog - ID48 [a@32473 iut="3"]\n',
    [
      'evntslog "done" 2003-10-11T22:14:15.003 a.eventID="10\\"]11" a.iut="3" host="web-1" message_id="ID47" priority=165',
      'evntslog "ID48" 2003-10-11T22:14:15.003 a.iut="3" host="web-1" priority=165',
      'myproc "%% It is time." 2003-08-24T12:14:15.000003 host="192.0.2.1" pid=8710 priority=165',
    ],
  ],
  'nginx, combined': [
    'nginx',
    '127.0.0.1 - kim [10/Oct/2026:13:55:36 -0700] "GET /cart?x=\\x22 HTTP/1.1" 200 2326 "-" "curl/8.0"\n127.0.0.1 - - [10/Oct/2026:13:55:37 -0700] "" 400 0 "-" "-"\n',
    [
      'log "GET /cart?x=\\x22 HTTP/1.1" 2026-10-10T20:55:36 agent="curl/8.0" bytes=2326 client="127.0.0.1" status=200 user="kim"',
      'log "log" 2026-10-10T20:55:37 bytes=0 client="127.0.0.1" status=400',
    ],
  ],
  "nginx's errors, a file of its own": [
    'nginx',
    readFileSync(new URL('nginx-error.log', logs), 'utf8'),
    [
      'log "nginx/1.22.1" 2026-11-23T20:46:27 level="notice" pid=24060 thread=24060',
      'log "open() "/srv/shop/nope.html" failed (2: No such file or directory)" 2026-11-23T20:46:28 client="127.0.0.1" connection=1 host="127.0.0.1:16398" level="error" pid=24060 request="GET /nope.html HTTP/1.1" thread=24060',
      'log "signal 15 (SIGTERM) received from 23921, exiting" 2026-11-23T20:46:28 level="notice" pid=24060 thread=24060',
      'log "connect() failed (111: Connection refused) while connecting to upstream" 2026-11-23T20:57:14 client="127.0.0.1" connection=1 host="127.0.0.1:16398" level="error" more=", referrer: \\"http://a/b\\"" pid=28846 request="GET /cart?a=%22 HTTP/1.1" thread=28846 upstream="http://127.0.0.1:9/cart?a=%22"',
      'log "connect() failed (111: Connection refused) while connecting to upstream" 2026-11-23T20:57:14 client="127.0.0.1" connection=3 level="error" more=", host: \\"a\\"b\\"" pid=28846 request="GET / HTTP/1.0" thread=28846 upstream="http://127.0.0.1:9/"',
    ],
  ],
  "log4j, and a stack's lines": [
    'log4j',
    '2026-11-02 14:34:02,781 [main] ERROR c.e.Shop - order failed\njava.lang.IllegalStateException: no stock\n\tat c.e.Shop.main(Shop.java:7)\n2026-11-02 14:34:02,782 [main] INFO  c.e.Shop - going on\n',
    [
      'c.e.Shop "order failed" 2026-11-02T14:34:02.781 level="ERROR" stack="java.lang.IllegalStateException: no stock\\n\\tat c.e.Shop.main(Shop.java:7)" thread="main"',
      'c.e.Shop "going on" 2026-11-02T14:34:02.782 level="INFO" thread="main"',
    ],
  ],
  'log4j, level first, as Hadoop': [
    'log4j',
    '2026-10-18 18:01:47,978 INFO [main] org.apache.hadoop.Master: Created\n',
    ['org.apache.hadoop.Master "Created" 2026-10-18T18:01:47.978 level="INFO" thread="main"'],
  ],
  'log4j, its JsonLayout': [
    'log4j',
    [
      '{"instant":{"epochSecond":1795397462,"nanoOfSecond":84000123},"level":"INFO","loggerName":"Shop","message":"placed"}',
      '{"timeMillis":1795397462085,"instant":{"epochSecond":1795397462},"level":"INFO","loggerName":"Shop","message":"paid"}',
      '',
    ].join('\n'),
    [
      'Shop "placed" 2026-11-23T01:31:02.084000123 level="INFO"',
      'Shop "paid" 2026-11-23T01:31:02.085 instant.epochSecond=1795397462 level="INFO"',
    ],
  ],
  'log4j without a thread': [
    'log4j',
    '2026-10-18 18:01:47,978 WARN  Shop:42 - slow\n',
    ['Shop "slow" 2026-10-18T18:01:47.978 level="WARN" line=42'],
  ],
  "logback's default, without a date": [
    'log4j',
    '14:34:02.781 [main] DEBUG c.e.Shop -- ready\n'.replace('--', '-'),
    ['c.e.Shop "ready" 1970-01-01T14:34:02.781 level="DEBUG" thread="main"'],
  ],
  'java.util.logging, a file of its own': [
    'java',
    readFileSync(new URL('java.log', logs), 'utf8'),
    [
      'Shop "started" 2026-11-23T20:45:18 function="main" level="INFO"',
      'Shop "stock is low: 0" 2026-11-23T20:45:18 function="main" level="WARNING"',
      'Shop "order failed" 2026-11-23T20:45:18 function="main" level="SEVERE" stack="java.lang.IllegalStateException: no stock\\n\\tat Shop.main(Shop.java:7)"',
      'Shop "from a lambda" 2026-11-23T20:45:18 function="lambda$main$0" level="INFO"',
      'Shop "log" 2026-11-23T20:45:18 function="lambda$main$1" level="SEVERE"',
      'com.example.Shop "two" 2026-11-23T20:45:18 level="INFO" stack="lines"',
    ],
  ],
  'Spring Boot': [
    'log4j',
    '2026-11-23T01:31:02.078+01:00  INFO 4711 --- [shop] [           main] c.e.Shop      : started\n',
    ['c.e.Shop "started" 2026-11-23T00:31:02.078 level="INFO" pid=4711 thread="main"'],
  ],
  'logback as JSON': [
    'log4j',
    '{"@timestamp":"2026-11-23T01:31:02.078+01:00","@version":"1","message":"started","logger_name":"c.e.Shop","level":"INFO","level_value":20000,"traceId":"5b8e"}\n',
    [
      'c.e.Shop "started" 2026-11-23T00:31:02.078 @version="1" level="INFO" level_value=20000 trace.id="5b8e"',
    ],
  ],
  'klog, a file of its own': [
    'klog',
    readFileSync(new URL('klog.log', logs), 'utf8'),
    [
      'log "started" 1970-11-23T20:55:06.475205 caller="main.go:5" level="I" pid=22821',
      'log "stock is low: 0" 1970-11-23T20:55:06.475427 caller="main.go:6" level="W" pid=22821',
      'log "Pod status updated" 1970-11-23T20:55:06.475476 caller="main.go:7" level="I" pid=22821 pod="kube-system/kubedns" restarts=2 status="ready"',
      'log "Order failed" 1970-11-23T20:55:06.475483 caller="main.go:8" err="no stock" level="E" note="<" order=17 pid=22821 stack="\\ttwo\\n\\tlines\\n >"',
      'log "two" 1970-11-23T20:55:06.475532 caller="main.go:9" level="I" pid=22821 stack="lines"',
      'log ""quoted" text" 1970-11-23T20:55:06.475534 caller="main.go:10" level="I" pid=22821',
      'log "say \\"hi\\"" 1970-11-23T20:55:06.475537 caller="main.go:11" level="I" pid=22821',
      'log "log" 1970-11-23T20:55:06.475539 caller="main.go:12" level="I" pid=22821',
      'log "listing: pods is forbidden: User "a" cannot list" 1970-11-23T20:55:06.475541 caller="main.go:13" level="E" pid=22821',
    ],
  ],
  'klog as glog writes it, with a year': [
    'klog',
    'I20261123 01:31:02.078123 4711 shop/main.cc:21] started\n',
    ['log "started" 2026-11-23T01:31:02.078123 caller="shop/main.cc:21" level="I" pid=4711'],
  ],
  'klog, with keys that others use for the service and the text': [
    'klog',
    'I1123 01:31:02.078123       1 event.go:307] "Event occurred" service="default/cart" message="Scaled up" name="cart"\n',
    [
      'log "Event occurred" 1970-11-23T01:31:02.078123 attribute.name="cart" caller="event.go:307" level="I" message="Scaled up" pid=1 service="default/cart"',
    ],
  ],
  "Go's log, a file of its own": [
    'go',
    readFileSync(new URL('go.log', logs), 'utf8'),
    [
      'log "started" 2026-11-23T20:46:06',
      'log "GET /cart?a=1" 2026-11-23T20:46:06 took=5',
      'log "stock is low" 2026-11-23T20:46:06.615688',
      'log "order failed: no stock" 2026-11-23T20:46:06 caller="main.go:9"',
      'log "two" 2026-11-23T20:46:06.6157 caller="/srv/shop/main.go:11" stack="lines"',
      'log "shop: with a prefix" 2026-11-23T20:46:06',
      'log "shop: " 2026-11-23T20:46:06',
      'log "shop: [INFO] leveled" 2026-11-23T20:46:06',
      'log "shop: oh" 2026-11-23T20:46:06 stack="panic: oh\\ngoroutine 1 [running]:\\nlog.Panic({0xc00004bf60?, 0x4a365d?, 0xc00004bf60?})\\n\\t/usr/lib/go-1.19/src/log/log.go:388 +0x65\\nmain.main()\\n\\t/srv/shop/main.go:16 +0x236"',
    ],
  ],
  "Go's log with levels in some of its lines": [
    'go',
    '2026/11/23 01:31:02 listening on 10.0.0.1:80: ok\n2026/11/23 01:31:02 [WARN] stock is low\n2026/11/23 01:31:03 bye\n',
    [
      'log "listening on 10.0.0.1:80: ok" 2026-11-23T01:31:02',
      'log "stock is low" 2026-11-23T01:31:02 level="WARN"',
      'log "bye" 2026-11-23T01:31:03',
    ],
  ],
  'PostgreSQL, a file of its own': [
    'postgresql',
    readFileSync(new URL('postgresql.log', logs), 'utf8'),
    [
      'log "database system is ready to accept connections" 2026-11-23T20:45:28.726 level="LOG" pid=20521',
      'log "connection received: host=[local]" 2026-11-23T20:45:28.785 level="LOG" pid=20538',
      'log "connection authorized: user=app database=postgres application_name=psql" 2026-11-23T20:45:28.785 level="LOG" pid=20538',
      'log "duplicate key value violates unique constraint "orders_pkey"" 2026-11-23T20:45:28.797 level="ERROR" pid=20538',
      'log "Key (id)=(1) already exists." 2026-11-23T20:45:28.797 level="DETAIL" pid=20538',
      'log "insert into orders" 2026-11-23T20:45:28.797 level="STATEMENT" pid=20538 stack="\\t values (1)"',
      'log "relation "nope" does not exist at character 15" 2026-11-23T20:45:28.798 level="ERROR" pid=20538',
      'log "select * from nope" 2026-11-23T20:45:28.798 level="STATEMENT" pid=20538',
      'log "low stock: 0" 2026-11-23T20:45:28.799 level="WARNING" pid=20538',
      'log "PL/pgSQL function inline_code_block line 1 at RAISE" 2026-11-23T20:45:28.799 level="CONTEXT" pid=20538',
      'log "received fast shutdown request" 2026-11-23T20:45:28.814 level="LOG" pid=20521',
    ],
  ],
  'PostgreSQL as Debian sets it up, in other zones and languages': [
    'postgresql',
    '2026-11-23 01:31:02.078 CET [4711] LOG:  ready\n2026-11-23 01:31:02.079 +0530 [4712] kim@shop FEHLER:  no stock\n2026-11-23 01:31:02.080 -03 [4713] [unknown]@[unknown] LOG:  connection received\n2026-11-23 01:31:03 GMT [4711] PANIC:  oh\n',
    [
      'log "ready" 2026-11-23T01:31:02.078 level="LOG" pid=4711 zone="CET"',
      'log "no stock" 2026-11-22T20:01:02.079 database="shop" level="FEHLER" pid=4712 user="kim"',
      'log "connection received" 2026-11-23T04:31:02.08 database="[unknown]" level="LOG" pid=4713 user="[unknown]"',
      'log "oh" 2026-11-23T01:31:03 level="PANIC" pid=4711',
    ],
  ],
  'Redis, a file of its own': [
    'redis',
    readFileSync(new URL('redis.log', logs), 'utf8'),
    [
      'log "Ready to accept connections" 2026-11-23T20:46:01.88 level="*" pid=22551 role="M"',
      'log "0 clients connected (0 replicas), 876240 bytes in use" 2026-11-23T20:46:01.881 level="." pid=22551 role="M"',
      'log "Accepted 127.0.0.1:48292" 2026-11-23T20:46:03.383 level="-" pid=22551 role="M"',
      'log "Background saving started by pid 22574" 2026-11-23T20:46:03.383 level="*" pid=22551 role="M"',
      'log "DB saved on disk" 2026-11-23T20:46:03.386 level="*" pid=22574 role="C"',
      'log "MASTER <-> REPLICA sync started" 2026-11-23T20:46:03.905 level="*" pid=22551 role="S"',
      'log "Error condition on socket for SYNC: Connection refused" 2026-11-23T20:46:03.905 level="#" pid=22551 role="S"',
      'log "Received SIGTERM scheduling shutdown..." 2026-11-23T20:46:05 pid=22551 role="signal-handler"',
      'log "User requested shutdown..." 2026-11-23T20:46:05.197 level="#" pid=22551 role="S"',
    ],
  ],
  'docker compose logs, of programs that write JSON, a usual pattern, or neither': [
    'docker',
    'cart-1   | {"level":30,"time":1795397462078,"msg":"placed","name":"shop","reqId":7}\ncart-2   | {"msg":"placed"}\n\u001b[33mstock-1  | \u001b[0m2026-11-23 01:31:02,078 ERROR [main] c.e.Stock - failed\nstock-1  | java.lang.IllegalStateException: none\nstock-1  | \tat c.e.Stock.main(Stock.java:7)\nstock-1  | \ndb       | ready | for all\ndb       | level=info msg="a b"\n',
    [
      'cart-1 "placed" 2026-11-23T01:31:02.078 attribute.name="shop" level=30 request.id="7"',
      'cart-2 "placed"',
      'db "ready | for all"',
      'db "a b" level="info"',
      'stock-1 "failed" 2026-11-23T01:31:02.078 level="ERROR" logger="c.e.Stock" stack="java.lang.IllegalStateException: none\\n\\tat c.e.Stock.main(Stock.java:7)" thread="main"',
    ],
  ],
  'docker compose logs, of servers': [
    'docker',
    'api-1    | 2026/11/23 01:31:02 [INFO] started\napi-1    | 2026/11/23 01:31:03 main.go:9: ready\nkube-1   | I1123 01:31:02.078123       1 a.go:7] "Event occurred" kind="Pod" message="Scaled up"\ncache-1  | 1:M 23 Nov 2026 01:31:02.078 * Ready\ndb-1     | 2026-11-23 01:31:02.078 UTC [1] ERROR:  no stock\ndb-1     | 2026-11-23 01:31:02.079 UTC [1] STATEMENT:  select\ndb-1     | \t1\n',
    [
      'api-1 "started" 2026-11-23T01:31:02 level="INFO"',
      'api-1 "ready" 2026-11-23T01:31:03 caller="main.go:9"',
      'cache-1 "Ready" 2026-11-23T01:31:02.078 level="*" pid=1 role="M"',
      'db-1 "no stock" 2026-11-23T01:31:02.078 level="ERROR" pid=1',
      'db-1 "select" 2026-11-23T01:31:02.079 level="STATEMENT" pid=1 stack="\\t1"',
      'kube-1 "Event occurred" 1970-11-23T01:31:02.078123 caller="a.go:7" kind="Pod" level="I" message="Scaled up" pid=1',
    ],
  ],
  'Kubernetes CRI, of klog': [
    'kubernetes',
    '2026-11-23T01:31:02.1Z stderr F I1123 01:31:02.078123       1 a.go:7] "Event occurred" kind="Pod" message="Scaled up" name="cart"\n2026-11-23T01:31:02.2Z stderr F E1123 01:31:02.178123       1 a.go:8] failed\n',
    [
      'log "Event occurred" 2026-11-23T01:31:02.1 attribute.name="cart" caller="a.go:7" kind="Pod" level="I" message="Scaled up" pid=1 stream="stderr"',
      'log "failed" 2026-11-23T01:31:02.2 caller="a.go:8" level="E" pid=1 stream="stderr"',
    ],
  ],
  'docker compose logs --timestamps': [
    'docker',
    'db-1  | 2026-11-23T01:31:02.078123456Z ready\ndb-1  | 2026-11-23T01:31:03Z \n',
    ['db-1 "ready" 2026-11-23T01:31:02.078123456'],
  ],
  'docker logs --timestamps': [
    'docker',
    '2026-11-23T01:31:02.078123456Z ready\n2026-11-23T01:31:02.078123457Z {"msg":"placed"}\n',
    ['log "ready" 2026-11-23T01:31:02.078123456', 'log "placed" 2026-11-23T01:31:02.078123457'],
  ],
  'kubectl logs --prefix --timestamps': [
    'kubernetes',
    '[pod/cart-5d8f/shop] 2026-11-23T01:31:02.078123456Z {"msg":"placed","ts":1.5}\n[pod/cart-77b/shop] info: started\n',
    [
      'cart-5d8f/shop "placed" 2026-11-23T01:31:02.078123456 ts=1.5',
      'cart-77b/shop "started" level="info"',
    ],
  ],
  'Kubernetes CRI, of a program that writes a pattern and its stacks': [
    'kubernetes',
    '2026-11-23T01:31:02.1Z stdout F 2026-11-23 02:31:02,078 ERROR c.e.Shop - failed\n2026-11-23T01:31:02.2Z stdout F java.lang.Error\n2026-11-23T01:31:02.3Z stderr F oh\n2026-11-23T01:31:02.4Z stdout F 02:31:02.079 [main] INFO c.e.Shop - on\n',
    [
      'c.e.Shop "failed" 2026-11-23T01:31:02.1 level="ERROR" stack="java.lang.Error" stream="stdout"',
      'c.e.Shop "on" 2026-11-23T01:31:02.4 level="INFO" stream="stdout" thread="main"',
      'log "oh" 2026-11-23T01:31:02.3 stream="stderr"',
    ],
  ],
  'pino-pretty': [
    'pino',
    '[01:31:02.078] \u001b[32mINFO\u001b[39m (shop/4711): \u001b[36mstarted\u001b[39m\n    \u001b[35mleft\u001b[39m: 0\n[2026-11-23 01:31:02.078 +0000] INFO (4711 on web-1): placed {"sku":"A7"}\n[01:31:02.079] WARN (shop): low\n[01:31:02.079] WARN: low\n',
    [
      'log "placed" 2026-11-23T01:31:02.078 hostname="web-1" level="INFO" pid=4711 sku="A7"',
      'log "low" 1970-01-01T01:31:02.079 level="WARN"',
      'shop "started" 1970-01-01T01:31:02.078 level="INFO" pid=4711 stack="    left: 0"',
      'shop "low" 1970-01-01T01:31:02.079 level="WARN"',
    ],
  ],
  log4js: [
    'log4j',
    '[2026-11-23T01:31:02.078] [ERROR] shop.stock - failed Error: none\n    at main (a.js:1:2)\n',
    [
      'shop.stock "failed Error: none" 2026-11-23T01:31:02.078 level="ERROR" stack="    at main (a.js:1:2)"',
    ],
  ],
  'Python in brackets': [
    'python',
    '[2026-11-23 01:31:02,078] [INFO] [shop.stock] started\n',
    ['shop.stock "started" 2026-11-23T01:31:02.078 level="INFO"'],
  ],
  gunicorn: [
    'python',
    '[2026-11-23 01:31:02 +0100] [4711] [INFO] Listening\n',
    ['log "Listening" 2026-11-23T00:31:02 level="INFO" pid=4711'],
  ],
  Celery: [
    'python',
    '[2026-11-23 01:31:02,078: INFO/MainProcess] ready.\n',
    ['log "ready." 2026-11-23T01:31:02.078 level="INFO" process="MainProcess"'],
  ],
  loguru: [
    'python',
    '2026-11-23 01:31:02.078 | ERROR    | shop.stock:<module>:39 - failed\nTraceback (most recent call last):\n',
    [
      'shop.stock "failed" 2026-11-23T01:31:02.078 function="<module>" level="ERROR" line=39 stack="Traceback (most recent call last):"',
    ],
  ],
  uvicorn: [
    'python',
    'INFO:     Started server process [4711]\n',
    ['log "Started server process [4711]" level="INFO"'],
  ],
  "logrus's console": [
    'logrus',
    '\u001b[36mINFO\u001b[0m[2026-11-23T02:31:02+01:00] started up              \u001b[36mk\u001b[0m=1\nWARN[0003] stock low\n',
    [
      'log "started up" 2026-11-23T01:31:02 k=1 level="INFO"',
      'log "stock low" elapsed="0003" level="WARN"',
    ],
  ],
  "zerolog's console": [
    'logrus',
    '1:31PM INF placed sku=A7 left="a b"\n2026-11-23T01:31:02Z ERR failed\n',
    [
      'log "placed" 1970-01-01T13:31:00 left="a b" level="INF" sku="A7"',
      'log "failed" 2026-11-23T01:31:02 level="ERR"',
    ],
  ],
  'structlog with keys and values': [
    'logfmt',
    `timestamp='2026-11-23T01:31:02Z' level='info' event='logged in' left=0 who=o'neil\n`,
    [`log "logged in" 2026-11-23T01:31:02 left=0 level="info" who="o'neil"`],
  ],
  'JSON with a severity, as for Google Cloud': [
    'zap',
    '{"severity":"INFO","time":"2026-11-23T01:31:02.078Z","message":"started","service":"shop"}\n',
    ['shop "started" 2026-11-23T01:31:02.078 severity="INFO"'],
  ],
  'JSON with a time and a message': [
    'python',
    '{"message":"started","timestamp":1795397462}\n',
    ['log "started" 2026-11-23T01:31:02'],
  ],
  logfmt: [
    'logfmt',
    'ts=2026-11-23T01:31:02.078Z level=info service=shop msg=started x_request_id=r-1 took=1.5 empty=\n',
    ['shop "started" 2026-11-23T01:31:02.078 empty="" level="info" request.id="r-1" took=1.5'],
  ],
};

describe('logs as their programs write them', () => {
  test.each(Object.entries(WRITTEN))('%s', async (_, [format, text, records]) => {
    expect(await read(text)).toEqual({ format, told: [], records });
    // What is told by content can be named.
    expect(
      await read(text, { reading: { from: format as (typeof LOG_FORMAT_NAMES)[number] } }),
    ).toMatchObject({
      records,
    });
  });

  test('each format of the table is told by what its program writes', () => {
    expect(
      new Set(logFormats().map(({ id }) => id)),
      'LOG_FORMAT_NAMES has the id of each format of the table',
    ).toEqual(new Set(LOG_FORMAT_NAMES));
    expect(
      new Set(Object.values(WRITTEN).map(([format]) => format)),
      'each format needs lines of its program in test/session/log-rows.ts',
    ).toEqual(new Set(LOG_FORMAT_NAMES));
  });

  test.each([
    [
      'in the pairs of a line',
      '2026-11-23 01:31:02 [info     ] logged in                      [shop] name=kim time=5 level=9 n=2\n',
      'shop "logged in" 2026-11-23T01:31:02 attribute.level=9 attribute.name="kim" attribute.time=5 level="info" n=2',
    ],
    [
      'in the JSON of a line',
      '2026-11-23T01:31:02.078Z\tINFO\tmain.go:9\tstarted\t{"name": "kim", "n": 2}\n',
      'log "started" 2026-11-23T01:31:02.078 attribute.name="kim" caller="main.go:9" level="INFO" n=2',
    ],
    [
      'in a line of a container',
      '2026-11-23T01:31:02.078Z stdout F info: started {"message":"m","msg":"n","log":"o"}\n',
      'log "started" 2026-11-23T01:31:02.078 attribute.msg="n" level="info" log="o" message="m" stream="stdout"',
    ],
  ])(
    'a key that is called like a part of the event, %s, is no part of it',
    async (_, text, record) => {
      expect(await read(text)).toMatchObject({ told: [], records: [record] });
    },
  );

  test.each([
    ['klog.log', 'I1123 20:55:0'],
    ['go.log', '2026/11/23 20'],
    ['postgresql.log', '2026-11-23 20'],
    ['redis.log', '22551:M 23 No'],
    ['java.log', 'Nov 23, 2026'],
  ])(
    '%s with the line ends of Windows, read again, and with a last line that is cut',
    async (file, cut) => {
      const text = readFileSync(new URL(file, logs), 'utf8');
      const { format, records } = await read(text);
      expect(await read(text.replaceAll('\n', '\r\n'))).toEqual({ format, told: [], records });
      const { session } = await readSession(text);
      const written = [...writeNeutral(session as Session)].join('');
      expect(await read(written)).toEqual({ format: 'session', told: [], records });
      // What is left of it goes on with the line before it.
      const torn = (await read(`${text}${cut}`)).records;
      const at = torn.findIndex((record) => record.includes(cut));
      expect(torn.filter((_, each) => each !== at)).toEqual(
        records.filter((_, each) => each !== at),
      );
      expect(torn[at]).toMatch(new RegExp(` stack="(?:.*\\\\n)?${cut}"$`));
    },
  );

  test('a line with a time and slashes is of Go only where most lines are of nothing else', async () => {
    const config = '2026/11/23 01:31:03 [main] CONFIG c.e.Shop - loaded\n';
    const other = '2026/11/23 01:31:02 [main] INFO  c.e.Shop - started\n'.repeat(2);
    expect(await read(`${other}${config}`)).toMatchObject({ format: 'log4j' });
    expect(await read(config)).toEqual({
      format: 'go',
      told: [],
      records: ['log "[main] CONFIG c.e.Shop - loaded" 2026-11-23T01:31:03'],
    });
  });

  test('an event of two lines is lost, and told, without the second', async () => {
    const first = 'Nov 23, 2026 8:45:18 PM Shop main';
    expect(await read(`${first}\nINFO: started\n${first}`)).toEqual({
      format: 'java',
      told: [`a line whose end is missing: "${first}"`],
      records: [],
    });
    expect(
      await read(`${first}\nINFO: one\n${first}\n${first}\n\nINFO: two\n`, { tolerant: true }),
    ).toEqual({
      format: 'java',
      told: [`3: a line whose end is missing: "${first}"`],
      records: ['one', 'two'].map(
        (name) => `Shop "${name}" 2026-11-23T20:45:18 function="main" level="INFO"`,
      ),
    });
    const stamp = '2026-11-23T20:45:18.1Z stdout F';
    const { records } = await read(`${stamp} ${first}\n${stamp} INFO: started\n`);
    expect(records).toEqual([
      'Shop "started" 2026-11-23T20:45:18.1 function="main" level="INFO" stream="stdout"',
    ]);
  });

  test.each([
    ['klog', 'I1123 01:31:02.078123 1 a.go:1] ', '" k='],
    ['nginx', '2026/11/23 01:31:02 [error] 1#1: ', ', client: a, host: "b"'],
  ])(
    'a long line of %s that could end anywhere is read, not tried for minutes',
    async (format, head, part) => {
      const name = `${part.repeat(300_000)}\u2028`;
      expect(await readSession(`${head}${name}\n`)).toMatchObject({ format, session: { size: 1 } });
    },
  );

  test('a heading alone is no log of klog', async () => {
    const text = 'Binary: a\nBinary: b\n';
    expect((await readSession(text)).format).toBe('session');
  });

  test('a long line that docker has cut is one event, unless its end is missing', async () => {
    const part = (text: string) =>
      JSON.stringify({ log: text, stream: 'stdout', time: '1970-01-01T00:00:05Z' });
    const long = 'x'.repeat(16_384);
    const { records } = await read([part(long), part('y\n'), part('z\n')].join('\n'));
    expect(records).toEqual(
      [`${long}y`, 'z'].map((name) => `log "${name}" 1970-01-01T00:00:05 stream="stdout"`),
    );
    expect((await read(part(long))).told).toEqual([
      `a line whose end is missing: "${'x'.repeat(59)}…"`,
    ]);
  });

  test('a key that a line has twice has its last value', async () => {
    const text = '{"level":"info","ts":"1970-01-01T00:00:01Z","msg":"a","x":1,"x":2}\n';
    expect((await read(text)).records).toEqual(['log "a" 1970-01-01T00:00:01 level="info" x=2']);
  });

  test('lines that are no part of the format are told with their number, all in one', async () => {
    const lines = [
      '{"level":"info","ts":"1970-01-01T00:00:01Z","msg":"a"}',
      'panic: oh',
      'goroutine 1',
      '{"level":"info","ts":"1970-01-01T00:00:02Z","msg":"b"}',
    ];
    expect((await read(lines.concat(lines).join('\n'))).told).toEqual([
      '2: 4 lines, from here on, without a JSON object: "panic: oh"',
    ]);
    const syslog = 'Nov  3 04:05:06 web-1 sshd[4711]: accepted\n';
    expect((await read(`${syslog}${syslog}oh\n${syslog}`)).told).toEqual([
      '3: a line not in syslog format: "oh"',
    ]);
    expect((await read(`${syslog.repeat(2)}${syslog.replace('Nov', 'Nix')}`)).told).toEqual([
      '3: a line whose time is neither ISO 8601 nor a count since 1970: "Nix  3 04:05:06"',
    ]);
  });
});

test('a message of several texts is an event named after all of them', async () => {
  const text =
    '{"level":"info","message":["started",5],"timestamp":"1970-01-01T00:00:01Z"}\n{"level":"info","message":[1,300],"timestamp":"1970-01-01T00:00:02Z"}\n';
  expect((await read(text)).records).toEqual([
    'log "started 5" 1970-01-01T00:00:01 level="info"',
    'log "1 300" 1970-01-01T00:00:02 level="info"',
  ]);
});

test('integers in text are integers as far as 64 bits have them', async () => {
  const text =
    'time=1970-01-01T00:00:01Z msg=sent at=1763861462500000000 big=99999999999999999999 id=007\n';
  const { session } = await readSession(text);
  expect([...writeNeutral(session as Session)].join('')).toContain(
    '"attributes":{"at":1763861462500000000,"big":"99999999999999999999","id":"007"}',
  );
});

describe('a mapping', () => {
  const JSON_LINES =
    '{"ts":"1970-01-01T00:00:01Z","who":{"am":"a"},"msg":"send","m":"k1","n":5.0}\n{"ts":"1970-01-01T00:00:02Z","who":{"am":"b"},"msg":"get","m":"k1"}\n';

  test('of JSON Lines, with interactions', async () => {
    const fields = { name: '$.msg', probe: '$.who.am', time: '$.ts', 'order.id': '$.m' };
    expect(
      await read(JSON_LINES, { reading: { map: fields, send: 'send=$.m', receive: 'get=$.m' } }),
    ).toEqual({
      format: 'mapped',
      told: [],
      records: [
        'a "send" 1970-01-01T00:00:01 n=5 order.id="k1"',
        'b "get" 1970-01-01T00:00:02 order.id="k1"',
        'a,0 -> b,0',
      ],
    });
  });

  test('in which a key is both sent and received: whoever has it first has sent it', async () => {
    const fields = { name: '$.msg', probe: '$.who.am', time: '$.ts' };
    const reading = { map: fields, send: '$.m', receive: '$.m' };
    const reversed = JSON_LINES.trim().split('\n').reverse().join('\n');
    expect((await read(JSON_LINES, { reading })).records.at(-1)).toBe('a,0 -> b,0');
    expect((await read(reversed, { reading })).records.at(-1)).toBe('a,0 -> b,0');
  });

  test('whose keys never meet, or are sent in two places, says so', async () => {
    const fields = { name: '$.msg', probe: '$.who.am' };
    expect(
      (await read(JSON_LINES, { reading: { map: fields, send: '$.m', receive: '$.other' } })).told,
    ).toEqual([
      'the message "k1" is sent at several probes, so its sender is ambiguous',
      'no message is both sent and received: the keys of --send and --receive differ',
    ]);
  });

  test('takes the first path that is there, keys with dots and spaces, items and texts', async () => {
    const text = '{"a.b":"x","c d":[{"e":"y"}]}\n';
    const fields = { name: '$.no|$.a.b', probe: `$["c d"][0].e`, kind: "'fixed'" };
    expect((await read(text, { reading: { map: fields } })).records).toEqual([
      'y "x" kind="fixed"',
    ]);
  });

  test('of a log whose requests are timelines of their own', async () => {
    const text = `{"msg":"a","req":1,"timeline":"x","k":1}\n{"msg":"b","req":2,"k":1}\n{"msg":"c","req":1}\n`;
    const fields = { name: '$.msg', probe: "'api'", timeline: '$.req' };
    const { records } = await read(text, { reading: { map: fields, send: '$.k', receive: '$.k' } });
    expect(records).toEqual([
      'api/1 "a" attribute.timeline="x" k=1',
      'api/1 "c"',
      'api/2 "b" k=1',
      'api,1,0 -> api,2,0',
    ]);
    expect((await read(text, { reading: { map: { name: '$.msg' } } })).records).toEqual([
      'log "a" k=1 req=1 timeline="x"',
      'log "b" k=1 req=2',
      'log "c" req=1',
    ]);
  });

  test('of text, by a pattern with groups', async () => {
    const text =
      '1970-01-01T00:00:12.5Z api> POST order=17\n1970-01-01T00:00:13Z db> SAVE order=17\n';
    const pattern = '^(?<time>\\S+) (?<probe>\\w+)> (?<name>\\w+) order=(?<order>\\d+)$';
    const send = 'POST=$.order';
    expect(await read(text, { reading: { pattern, send, receive: 'SAVE=$.order' } })).toEqual({
      format: 'mapped',
      told: [],
      records: [
        'api "POST" 1970-01-01T00:00:12.5 order=17',
        'db "SAVE" 1970-01-01T00:00:13 order=17',
        'api,0 -> db,0',
      ],
    });
  });

  test('of text whose groups send and receive are the messages', async () => {
    const text = 'a one >7\nb two <7\n';
    const pattern = '^(?<host>\\w) (?<event>\\w+) (?:>(?<send>\\d)|<(?<receive>\\d))$';
    expect((await read(text, { reading: { pattern } })).records).toEqual([
      'a "one" send=7',
      'b "two" receive=7',
      'a,0 -> b,0',
    ]);
  });

  test.each([
    [{ reading: { map: {} } }, "it lacks the path of an event's name, such as name=$.msg"],
    [
      { reading: { map: { name: 'msg' } } },
      `name: expected a path such as $.msg or a 'text', found "msg"`,
    ],
    [
      { reading: { map: { name: '$.a|' } } },
      `name: expected a path such as $.msg or a 'text', found "$.a|"`,
    ],
    [
      { reading: { map: { name: '$.a' }, send: '$.m' } },
      'send: set both --send and --receive, or neither',
    ],
    [
      { reading: { map: { name: '$.a', tiem: '$.t' } } },
      'tiem: did you mean "time"? Any other name is an attribute',
    ],
    [
      { reading: { map: { name: '$.a', tim: '$.t' } } },
      'tim: did you mean "time"? Any other name is an attribute',
    ],
    [
      { reading: { map: { name: '$.a', prob: '$.p' } } },
      'prob: did you mean "probe"? Any other name is an attribute',
    ],
    [
      { reading: { map: { name: '$.a' }, send: 'x=a', receive: '$.b' } },
      `send: expected a path such as $.msg or a 'text', found "a"`,
    ],
    [
      { reading: { map: { level: '$.nope' }, pattern: '^(?<name>.*) (?<at>.)$' } },
      'level: the pattern has no group nope, only name, at',
    ],
    [
      { reading: { map: { name: '$.nope' }, pattern: '^(?<name>.*)$' } },
      'name: the pattern has no group nope, only name',
    ],
    [{ reading: { pattern: '(' } }, 'Invalid regular expression: /(/: Unterminated group'],
    [{ reading: { pattern: '(?<time>.*)' } }, 'the pattern lacks a group (?<name>...)'],
  ])('that is none: %j', async (options, message) => {
    await expect(readSession('', options)).rejects.toThrow(expect.objectContaining({ message }));
  });

  test('of text that holds JSON, or keys and values', async () => {
    const text = 'a> {"msg":"x","n":{"m":1}}\nb> k=v msg=y\nb> {"msg"\n';
    const pattern = '^(?<probe>\\w+)> (?:(?<json>\\{.*)|(?<pairs>.*))$';
    const map = { name: '$.msg|$.json', m: '$.n.m' };
    expect((await read(text, { reading: { pattern, map } })).records).toEqual([
      'a "x" m=1',
      'b "y" k="v"',
      'b "{"msg""',
    ]);
  });

  test('a pattern that tries too much is ended, and says so', async () => {
    const bytes = new TextEncoder().encode(`${'a'.repeat(5000)}!\n`);
    const source = (async function* () {
      yield bytes;
    })();
    const options = { reading: { pattern: '^(?<name>(a+)+)$' }, longest: 50 };
    await expect(readSessionStream(source, options)).rejects.toThrow(
      'because it backtracks too much',
    );
  });
});

test.each([
  ['1795397462', 1795397462000000000n],
  ['1795397462.078', 1795397462078000000n],
  ['1.7953974620781234e9', 1795397462078123400n],
  ['1795397462078', 1795397462078000000n],
  ['1795397462078123', 1795397462078123000n],
  ['1795397462078123456', 1795397462078123456n],
  ['-1.5', -1500000000n],
  ['2026-11-23T01:31:02.078123456Z', 1795397462078123456n],
  ['2026-11-23 01:31:02,078', 1795397462078000000n],
  ['2026/11/23 02:31:02 +0100', 1795397462000000000n],
  ['2026-11-23T01:31Z', 1795397460000000000n],
  ['2026-11-23', 1795392000000000000n],
  ['01:31:02.5', 5462500000000n],
  ['Nov 23 01:31:02', 28171862000000000n],
  ['23/Nov/2026:02:31:02 +0100', 1795397462000000000n],
  ['23 Nov 2026 01:31:02.078', 1795397462078000000n],
  ['23 Nix 2026 01:31:02.078', undefined],
  ['1123 01:31:02.078123', 28171862078123000n],
  ['20261123 01:31:02.078123', 1795397462078123000n],
  ['1323 01:31:02.078123', undefined],
  ['0229 01:31:02.078123', 68175062078123000n],
  ['0230 01:31:02.078123', undefined],
  ['11/23/2026 01:31:02 PM', 1795440662000000000n],
  ['11/23/2026, 1:31:02.5 AM', 1795397462500000000n],
  ['Nov 23, 2026 1:31:02 PM', 1795440662000000000n],
  ['Nix 23, 2026 1:31:02 PM', undefined],
  ['2026-11-23 12:31:02 am', 1795393862000000000n],
  ['12:31PM', 45060000000000n],
  ['Mon Nov 23 01:31:02.078 2026', 1795397462078000000n],
  ['Mon, 23 Nov 2026 01:31:02 GMT', 1795397462000000000n],
  ['11-23 01:31:02.078', 28171862078000000n],
  ['23.11.2026 01:31:02,5', 1795397462500000000n],
  ['23/11/2026 1:31', 1795397460000000000n],
  ['23.11.2026', 1795392000000000000n],
  ['23.13.2026', undefined],
  ['2026-11-23T13:31:02 PM', undefined],
  ['2026-11-23T01:31:02-03:30', 1795410062000000000n],
  ['2026-11-23T01:31:02+05', 1795379462000000000n],
  ['2016-12-31T23:59:60Z', 1483228800000000000n],
  ['2024-02-29', 1709164800000000000n],
  ['2026-02-29', undefined],
  ['0001-01-01T00:00:00Z', undefined],
  ['9999-12-31T23:59:59Z', undefined],
  ['2026-13-23T01:31:02Z', undefined],
  ['2026-11-23T24:00:00Z', 1795478400000000000n],
  ['2026-11-23T24:30:00Z', undefined],
  ['2026-11-23T24:00:00.5Z', undefined],
  ['2026-11-23T25:31:02Z', undefined],
  ['Nov 23 24:00:01', undefined],
  ['2026-11-23T01:31:02+23:59', 1795311122000000000n],
  ['2026-11-23T01:31:02+25:00', undefined],
  ['23/Nov/2026:02:31:02 -0160', undefined],
  ['2026-11-23T01:31:02+99', undefined],
  ['Nix 23 01:31:02', undefined],
  ['Z', undefined],
  ['1e21', undefined],
  ['', undefined],
  ['soon', undefined],
])('the time %s', (written, time) => {
  expect(parseTime(written)).toBe(time);
});
