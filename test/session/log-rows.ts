/** For each form of a line: its format, lines as programs write them, and what they say. */
type Row = readonly [format: string, text: string, records: readonly string[]];

/** Logs of programs beyond the usual loggers. */
export const ROWS: Readonly<Record<string, Row>> = {
  'env_logger since 0.6': [
    'rust',
    '[2026-11-23T01:31:02Z ERROR shop::stock] panic\n[2026-11-23T01:31:02.078Z INFO  shop] order stored order=1\n[WARN  shop] late\n',
    [
      'shop "order stored" 2026-11-23T01:31:02.078 level="INFO" order=1',
      'shop "late" level="WARN"',
      'shop::stock "panic" 2026-11-23T01:31:02 level="ERROR"',
    ],
  ],
  'env_logger before 0.6': [
    'rust',
    ' INFO 2026-11-23T01:31:02Z: shop: started\nERROR 2026-11-23T01:31:03Z: shop::stock: panic: no stock\n',
    [
      'shop "started" 2026-11-23T01:31:02 level="INFO"',
      'shop::stock "panic: no stock" 2026-11-23T01:31:03 level="ERROR"',
    ],
  ],
  'env_logger before 0.5': [
    'rust',
    'ERROR:shop::stock: panic\n',
    ['shop::stock "panic" level="ERROR"'],
  ],
  "Rust's tracing": [
    'rust',
    [
      '2026-11-23T01:31:02.078123Z  INFO shop::stock: started',
      '2026-11-23T01:31:02.078124Z  INFO request{id=5}:load{n=1}: shop::stock: order stored order=1 sku="A 7"',
      '2026-11-23T01:31:02.078125Z ERROR shop: src/main.rs:10: late: 5 ms',
      '2026-11-23T01:31:02.078126Z DEBUG ThreadId(01) shop: done',
    ].join('\n'),
    [
      'shop "late: 5 ms" 2026-11-23T01:31:02.078125 caller="src/main.rs:10" level="ERROR"',
      'shop "done" 2026-11-23T01:31:02.078126 level="DEBUG" thread="ThreadId(01)"',
      'shop::stock "started" 2026-11-23T01:31:02.078123 level="INFO"',
      'shop::stock "order stored" 2026-11-23T01:31:02.078124 level="INFO" order=1 sku="A 7" spans="request{id=5}:load{n=1}"',
    ],
  ],
  "Rust's tracing in colors": [
    'rust',
    '\u001b[2m2026-11-23T01:31:02.078123Z\u001b[0m \u001b[32m INFO\u001b[0m \u001b[2mshop\u001b[0m\u001b[2m:\u001b[0m stored \u001b[3morder\u001b[0m\u001b[2m=\u001b[0m1\n',
    ['shop "stored" 2026-11-23T01:31:02.078123 level="INFO" order=1'],
  ],
  "Rust's tracing as JSON": [
    'rust',
    '{"timestamp":"2026-11-23T01:31:02.078123Z","level":"INFO","fields":{"message":"stored","order":1},"target":"shop::stock"}\n',
    ['shop::stock "stored" 2026-11-23T01:31:02.078123 fields.order=1 level="INFO"'],
  ],
  "the console of .NET's host, whose events have two lines": [
    'dotnet',
    'info: Microsoft.Hosting.Lifetime[14]\n      Now listening on: http://localhost:5000\nfail: Shop.Stock[0]\n      order failed order=1\n      System.InvalidOperationException: none\n         at Shop.Stock.Take()\ninfo: Shop.Stock[0]\n      going on\n',
    [
      'Microsoft.Hosting.Lifetime "Now listening on: http://localhost:5000" event_id=14 level="info"',
      'Shop.Stock "order failed" event_id=0 level="fail" order=1 stack="      System.InvalidOperationException: none\\n         at Shop.Stock.Take()"',
      'Shop.Stock "going on" event_id=0 level="info"',
    ],
  ],
  'the console of .NET on one line, with a time': [
    'dotnet',
    '2026-11-23T01:31:02.078Z info: Shop.Stock[7] started\n2026-11-23T01:31:03.078Z crit: Shop.Stock[7] panic\n',
    [
      'Shop.Stock "started" 2026-11-23T01:31:02.078 event_id=7 level="info"',
      'Shop.Stock "panic" 2026-11-23T01:31:03.078 event_id=7 level="crit"',
    ],
  ],
  'the consoles of .NET, Rust and Python in colors, of several containers': [
    'docker',
    [
      'api-1  | \u001b[40m\u001b[32minfo\u001b[39m\u001b[22m\u001b[49m: Shop.Api[0]',
      'rust-1 | \u001b[2m2026-11-23T01:31:02.078123Z\u001b[0m \u001b[32m INFO\u001b[0m \u001b[2mshop\u001b[0m\u001b[2m:\u001b[0m stored \u001b[3morder\u001b[0m\u001b[2m=\u001b[0m1',
      'api-1  |       order stored order=1',
      'api-1  |       in two lines',
      'py-1   | INFO:shop.stock:stored order=7',
    ].join('\n'),
    [
      'api-1 "order stored" event_id=0 level="info" logger="Shop.Api" order=1 stack="      in two lines"',
      'py-1 "stored" level="INFO" logger="shop.stock" order=7',
      'rust-1 "stored" 2026-11-23T01:31:02.078123 level="INFO" logger="shop" order=1',
    ],
  ],
  "Serilog's console": [
    'dotnet',
    '[01:31:02 INF] Hello from Serilog\n[01:31:03 ERR] <s:Shop.Stock> panic\n',
    [
      'Shop.Stock "panic" 1970-01-01T01:31:03 level="ERR"',
      'log "Hello from Serilog" 1970-01-01T01:31:02 level="INF"',
    ],
  ],
  "Serilog's files": [
    'dotnet',
    '2026-11-23 02:31:02.078 +01:00 [WRN] late order=1\nSystem.Exception: none\n   at Shop.Main()\n',
    [
      'log "late" 2026-11-23T01:31:02.078 level="WRN" order=1 stack="System.Exception: none\\n   at Shop.Main()"',
    ],
  ],
  "Serilog's compact JSON": [
    'dotnet',
    '{"@t":"2026-11-23T01:31:02.0781234Z","@mt":"stored {Order}","@l":"Warning","Order":1,"SourceContext":"Shop"}\n',
    ['Shop "stored {Order}" 2026-11-23T01:31:02.0781234 @l="Warning" Order=1'],
  ],
  Kafka: [
    'log4j',
    '[2026-11-23 01:31:02,078] INFO Log loaded (kafka.log.LogManager)\n[2026-11-23 01:31:02,079] INFO KafkaConfig values: \n\tbroker.id = 0\n (kafka.server.KafkaConfig)\n[2026-11-23 01:31:02,080] WARN slow (5 ms) (kafka.server.KafkaServer)\njava.io.IOException: x\n\tat a.b(C.java:1)\n',
    [
      'kafka.log.LogManager "Log loaded" 2026-11-23T01:31:02.078 level="INFO"',
      'kafka.server.KafkaServer "slow (5 ms)" 2026-11-23T01:31:02.08 level="WARN" stack="java.io.IOException: x\\n\\tat a.b(C.java:1)"',
      'log "KafkaConfig values: " 2026-11-23T01:31:02.079 level="INFO" stack="\\tbroker.id = 0\\n (kafka.server.KafkaConfig)"',
    ],
  ],
  Spark: [
    'log4j',
    '26/11/23 01:31:02 INFO executor.CoarseGrainedExecutorBackend: Registered\n26/11/23 01:31:03 WARN spark.SecurityManager: Changing acls=5\n',
    [
      'executor.CoarseGrainedExecutorBackend "Registered" 2026-11-23T01:31:02 level="INFO"',
      'spark.SecurityManager "Changing" 2026-11-23T01:31:03 acls=5 level="WARN"',
    ],
  ],
  HDFS: [
    'log4j',
    '261123 013102 148 INFO dfs.DataNode$PacketResponder: PacketResponder 1 for block blk_38 terminating\n',
    [
      'dfs.DataNode$PacketResponder "PacketResponder 1 for block blk_38 terminating" 2026-11-23T01:31:02 level="INFO" thread=148',
    ],
  ],
  ZooKeeper: [
    'log4j',
    '2026-11-23 01:31:02,747 [myid:1] - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:FastLeaderElection@774] - Notification time out: 3200\n2026-11-23 01:31:03,747 - WARN  [SendWorker:188978561024:QuorumCnxManager$SendWorker@679] - Interrupted\n',
    [
      'FastLeaderElection "Notification time out: 3200" 2026-11-23T01:31:02.747 level="INFO" line=774 myid=1 thread="QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181"',
      'QuorumCnxManager$SendWorker "Interrupted" 2026-11-23T01:31:03.747 level="WARN" line=679 thread="SendWorker:188978561024"',
    ],
  ],
  Cassandra: [
    'log4j',
    'INFO  [main] 2026-11-23 01:31:02,078 StorageService.java:123 - Starting up\nWARN  [GossipStage:1] 2026-11-23 01:31:03,078 Gossiper.java:99 - down\n',
    [
      'Gossiper "down" 2026-11-23T01:31:03.078 level="WARN" line=99 thread="GossipStage:1"',
      'StorageService "Starting up" 2026-11-23T01:31:02.078 level="INFO" line=123 thread="main"',
    ],
  ],
  'a banner, and the lines of Spring Boot below it': [
    'log4j',
    "\n  .   ____          _\n /\\\\ / ___'_ __ _ _(_)_ __\n\n :: Spring Boot ::                (v3.2.0)\n\n2026-11-23T01:31:02.078Z  INFO 1 --- [           main] c.e.Shop : Starting\n2026-11-23T01:31:03.078Z  INFO 1 --- [           main] c.e.Shop : order placed\n",
    [
      'c.e.Shop "Starting" 2026-11-23T01:31:02.078 level="INFO" pid=1 thread="main"',
      'c.e.Shop "order placed" 2026-11-23T01:31:03.078 level="INFO" pid=1 thread="main"',
    ],
  ],
  RabbitMQ: [
    'rabbitmq',
    '2026-11-23 01:31:02.078123+00:00 [info] <0.222.0> Server startup complete; 4 plugins started.\n2026-11-23 01:31:02.078 [error] <0.9.1> panic\n',
    [
      'log "Server startup complete; 4 plugins started." 2026-11-23T01:31:02.078123 level="info" process="0.222.0"',
      'log "panic" 2026-11-23T01:31:02.078 level="error" process="0.9.1"',
    ],
  ],
  supervisord: [
    'supervisord',
    "2026-11-23 01:31:02,078 CRIT Supervisor is running as root.\n2026-11-23 01:31:02,079 INFO spawned: 'app' with pid 10\n2026-11-23 01:31:03,080 INFO success: app entered RUNNING state\n",
    [
      'log "Supervisor is running as root." 2026-11-23T01:31:02.078 level="CRIT"',
      `log "spawned: 'app' with pid 10" 2026-11-23T01:31:02.079 level="INFO"`,
      'log "success: app entered RUNNING state" 2026-11-23T01:31:03.08 level="INFO"',
    ],
  ],
  "nginx's log of requests, also of those that are none": [
    'nginx',
    '127.0.0.1 - - [23/Nov/2026:01:31:02 +0000] "GET /order?id=1 HTTP/1.1" 200 2 "-" "curl/7.88"\n127.0.0.1 - - [23/Nov/2026:01:31:03 +0000] "\\x16\\x03" 400 150 "-" "-"\n',
    [
      'log "GET /order?id=1 HTTP/1.1" 2026-11-23T01:31:02 agent="curl/7.88" bytes=2 client="127.0.0.1" method="GET" path="/order?id=1" protocol="HTTP/1.1" status=200',
      'log "\\x16\\x03" 2026-11-23T01:31:03 bytes=150 client="127.0.0.1" status=400',
    ],
  ],
  "Ruby's Logger": [
    'ruby',
    "I, [2026-11-23T01:31:02.078123 #1234]  INFO -- shop: order stored order=1\nE, [2026-11-23T01:31:03.000001 #1234] ERROR -- : order failed (RuntimeError)\napp.rb:10:in `take'\n",
    [
      `log "order failed (RuntimeError)" 2026-11-23T01:31:03.000001 level="ERROR" pid=1234 stack="app.rb:10:in \`take'"`,
      'shop "order stored" 2026-11-23T01:31:02.078123 level="INFO" order=1 pid=1234',
    ],
  ],
  'Monolog, and Laravel without what is empty': [
    'monolog',
    '[2026-11-23T01:31:02.078123+01:00] shop.INFO: order stored {"order":1} []\n[2026-11-23T01:31:03.000001+01:00] shop.ERROR: order failed {"order":2} {"uid":"a7"}\n[2026-11-23T01:31:04.000001+01:00] shop.WARNING: late [] []\n[2026-11-23 00:31:05] production.ERROR: none left {"order":3} \n',
    [
      'production "none left" 2026-11-23T00:31:05 level="ERROR" order=3',
      'shop "order stored" 2026-11-23T00:31:02.078123 level="INFO" order=1',
      `shop "order failed" 2026-11-23T00:31:03.000001 extra="{\\"uid\\":\\"a7\\"}" level="ERROR" order=2`,
      'shop "late" 2026-11-23T00:31:04.000001 level="WARNING"',
    ],
  ],
  Airflow: [
    'python',
    '[2026-11-23T01:31:02.078+0000] {taskinstance.py:1138} INFO - Starting attempt 1 of 1\n[2026-11-23 01:31:03,078] {local_task_job.py:151} WARNING - order stored order=1\n',
    [
      'log "Starting attempt 1 of 1" 2026-11-23T01:31:02.078 caller="taskinstance.py:1138" level="INFO"',
      'log "order stored" 2026-11-23T01:31:03.078 caller="local_task_job.py:151" level="WARNING" order=1',
    ],
  ],
  "Serilog's rendered compact JSON": [
    'dotnet',
    '{"@t":"2026-11-23T01:31:02.078Z","@m":"order 1 failed","@i":"a7","@l":"Error","SourceContext":"Shop","order":1}\n',
    ['Shop "order 1 failed" 2026-11-23T01:31:02.078 @i="a7" @l="Error" order=1'],
  ],
  "Python's logging with the logger before the level": [
    'python',
    '2026-11-23 01:31:02,078 shop.stock INFO started: ok\n2026-11-23 01:31:02,079 shop.stock ERROR order failed order=1\n',
    [
      'shop.stock "started: ok" 2026-11-23T01:31:02.078 level="INFO"',
      'shop.stock "order failed" 2026-11-23T01:31:02.079 level="ERROR" order=1',
    ],
  ],
  'Elixir, with metadata': [
    'elixir',
    '23:58:00.078 [info] started\n23:58:00.079 request_id=r-1 user=kim [error] panic\n',
    [
      'log "started" 1970-01-01T23:58:00.078 level="info"',
      'log "panic" 1970-01-01T23:58:00.079 level="error" request.id="r-1" user="kim"',
    ],
  ],
  spdlog: [
    'spdlog',
    '[2026-11-23 01:31:02.078] [shop] [info] started\n[2026-11-23 01:31:03.078] [warning] late\n[2026-11-23 01:31:04.078] [shop] [error] [main.cpp:12] panic\n',
    [
      'log "late" 2026-11-23T01:31:03.078 level="warning"',
      'shop "started" 2026-11-23T01:31:02.078 level="info"',
      'shop "panic" 2026-11-23T01:31:04.078 caller="main.cpp:12" level="error"',
    ],
  ],
  NATS: [
    'nats',
    '[1] 2026/11/23 01:31:02.078123 [INF] Server is ready\n[1] 2026/11/23 01:31:03.078123 [WRN] slow\n',
    [
      'log "Server is ready" 2026-11-23T01:31:02.078123 level="INF" pid=1',
      'log "slow" 2026-11-23T01:31:03.078123 level="WRN" pid=1',
    ],
  ],
  OpenStack: [
    'openstack',
    '2026-11-23 01:31:02.078 25746 INFO nova.osapi_compute.wsgi.server [req-38101a0b 113d3a99 54fadb41 - - -] 10.11.10.1 "GET /v2" status: 200\n2026-11-23 01:31:03.078 25746 WARNING nova.compute.manager [-] late\n',
    [
      'nova.compute.manager "late" 2026-11-23T01:31:03.078 level="WARNING" pid=25746',
      'nova.osapi_compute.wsgi.server "10.11.10.1 "GET /v2" status: 200" 2026-11-23T01:31:02.078 context="113d3a99 54fadb41 - - -" level="INFO" pid=25746 request.id="req-38101a0b"',
    ],
  ],
  Elasticsearch: [
    'elasticsearch',
    '[2026-11-23T01:31:02,078][INFO ][o.e.n.Node               ] [node1] starting ...\n[2026-11-23T01:31:03,078][WARN ][o.e.c.c.Coordinator      ] [node1]lost\n',
    [
      'o.e.c.c.Coordinator "lost" 2026-11-23T01:31:03.078 level="WARN" node="node1"',
      'o.e.n.Node "starting ..." 2026-11-23T01:31:02.078 level="INFO" node="node1"',
    ],
  ],
  'Elasticsearch as JSON': [
    'elasticsearch',
    '{"type": "server", "timestamp": "2026-11-23T01:31:02,078Z", "level": "INFO", "component": "o.e.n.Node", "node.name": "node1", "message": "starting ..."}\n',
    [
      'o.e.n.Node "starting ..." 2026-11-23T01:31:02.078 level="INFO" node.name="node1" type="server"',
    ],
  ],
  'MongoDB since 4.4': [
    'mongodb',
    '{"t":{"$date":"2026-11-23T02:31:02.078+01:00"},"s":"I","c":"NETWORK","id":12345,"ctx":"listener","msg":"Listening on","attr":{"address":"127.0.0.1"}}\n{"t":{"$date":"2026-11-23T02:31:03.078+01:00"},"s":"W","c":"REPL","id":12346,"ctx":"repl","msg":"Stepping down"}\n',
    [
      'NETWORK "Listening on" 2026-11-23T01:31:02.078 attr.address="127.0.0.1" ctx="listener" id=12345 level="I"',
      'REPL "Stepping down" 2026-11-23T01:31:03.078 ctx="repl" id=12346 level="W"',
    ],
  ],
  'MongoDB before 4.4': [
    'mongodb',
    '2026-11-23T01:31:02.078+0000 I NETWORK  [listener] waiting for connections on port 27017\n',
    [
      'NETWORK "waiting for connections on port 27017" 2026-11-23T01:31:02.078 context="listener" level="I"',
    ],
  ],
  "Apache's errors, of 2.4 and of 2.2": [
    'apache',
    '[Mon Nov 23 01:31:02.902022 2026] [core:error] [pid 35708:tid 4328636416] [client 72.15.99.187] File does not exist: /x\n[Mon Nov 23 01:31:03 2026] [notice] caught SIGTERM, shutting down\n',
    [
      'log "File does not exist: /x" 2026-11-23T01:31:02.902022 client="72.15.99.187" level="error" module="core" pid=35708 thread=4328636416',
      'log "caught SIGTERM, shutting down" 2026-11-23T01:31:03 level="notice"',
    ],
  ],
  'HAProxy, of HTTP': [
    'haproxy',
    'Nov 23 01:31:02 lb haproxy[14389]: 10.0.1.2:33317 [23/Nov/2026:01:31:02.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html?a=1 HTTP/1.1"\n10.0.1.2:33318 [23/Nov/2026:01:31:03.655] http-in static/<NOSRV> -1/-1/-1/-1/+5000 503 +212 - - SC-- 1/1/1/1/0 0/0 "GET / HTTP/1.1"\n',
    [
      'http-in "GET /index.html?a=1 HTTP/1.1" 2026-11-23T01:31:02.655 app="haproxy" backend="static" bytes=2750 captured="1wt.eu" client="10.0.1.2:33317" connect_ms=30 connections="1/1/1/1/0" host="lb" method="GET" path="/index.html?a=1" pid=14389 protocol="HTTP/1.1" queue_ms=0 queues="0/0" request_ms=10 response_ms=69 server="srv1" status=200 termination="----" total_ms=109',
      'http-in "GET / HTTP/1.1" 2026-11-23T01:31:03.655 backend="static" bytes=212 client="10.0.1.2:33318" connect_ms=-1 connections="1/1/1/1/0" method="GET" path="/" protocol="HTTP/1.1" queue_ms=-1 queues="0/0" request_ms=-1 response_ms=-1 server="<NOSRV>" status=503 termination="SC--" total_ms=5000',
    ],
  ],
  'HAProxy, of TCP': [
    'haproxy',
    'Nov 23 01:31:02 lb haproxy[14387]: 10.0.1.2:33313 [23/Nov/2026:01:31:02.443] fnt bck/srv1 0/0/5007 212 -- 0/0/0/0/3 0/0\n',
    [
      'fnt "log" 2026-11-23T01:31:02.443 app="haproxy" backend="bck" bytes=212 client="10.0.1.2:33313" connect_ms=0 connections="0/0/0/0/3" host="lb" pid=14387 queue_ms=0 queues="0/0" server="srv1" termination="--" total_ms=5007',
    ],
  ],
  "Envoy's requests, and those of Istio": [
    'envoy',
    '[2026-11-23T01:31:02.310Z] "POST /api/v1/locations HTTP/2" 204 - 154 0 226 100 "10.0.35.28" "nsq2http" "cc21d9b0" "locations" "tcp://10.0.2.1:80"\n[2026-11-23T01:31:03.310Z] "GET / HTTP/1.1" 503 UF upstream_reset - "-" 0 91 5 - "-" "curl/8.0" "cc21d9b1" "cart" "10.0.2.1:80" outbound|80||cart -\n',
    [
      'log "POST /api/v1/locations HTTP/2" 2026-11-23T01:31:02.31 agent="nsq2http" authority="locations" duration_ms=226 forwarded="10.0.35.28" method="POST" path="/api/v1/locations" protocol="HTTP/2" received=154 request.id="cc21d9b0" sent=0 status=204 upstream="tcp://10.0.2.1:80" upstream_ms=100',
      'log "GET / HTTP/1.1" 2026-11-23T01:31:03.31 agent="curl/8.0" authority="cart" details="upstream_reset" duration_ms=5 flags="UF" method="GET" more="outbound|80||cart -" path="/" protocol="HTTP/1.1" received=0 request.id="cc21d9b1" sent=91 status=503 upstream="10.0.2.1:80"',
    ],
  ],
  'Envoy itself': [
    'envoy',
    '[2026-11-23 01:31:02.078][1][info][main] [source/server/server.cc:390] initializing epoch 0\n',
    [
      'main "initializing epoch 0" 2026-11-23T01:31:02.078 caller="source/server/server.cc:390" level="info" thread=1',
    ],
  ],
  'k6, whose metrics are declared among their points': [
    'k6',
    '{"type":"Metric","data":{"name":"http_req_duration","type":"trend"},"metric":"http_req_duration"}\n{"type":"Point","metric":"http_req_duration","data":{"time":"2026-11-23T02:31:02.625742514+01:00","value":459.865729,"tags":{"method":"GET","status":"200"}}}\n',
    [
      'log "http_req_duration" 2026-11-23T01:31:02.625742514 data.tags.method="GET" data.tags.status="200" type="Point" value=459.865729',
    ],
  ],
  'the console of ROS 2, also of a launch': [
    'ros',
    '[INFO] [1795397462.078123456] [talker]: Publishing: Hello\n[listener-2] [WARN] [1795397463.078123456] [listener]: late n=5\n',
    [
      'listener "late" 2026-11-23T01:31:03.078123456 level="WARN" n=5 process="listener-2"',
      'talker "Publishing: Hello" 2026-11-23T01:31:02.078123456 level="INFO"',
    ],
  ],
  'the files of ROS 2': [
    'ros',
    '1795397462.0781234 [INFO] [talker]: Publishing\n1795397463.0781234 [ERROR] [talker]: panic\n',
    [
      'talker "Publishing" 2026-11-23T01:31:02.0781234 level="INFO"',
      'talker "panic" 2026-11-23T01:31:03.0781234 level="ERROR"',
    ],
  ],
  'the console of ROS 1, in real and in simulated time': [
    'ros',
    '[ INFO] [1795397462.078123456]: ready\n[ WARN] [1795397463.078123456, 12.345000000]: late\n[ERROR] [/talker] [1795397464.078123456]: panic\n',
    [
      '/talker "panic" 2026-11-23T01:31:04.078123456 level="ERROR"',
      'log "ready" 2026-11-23T01:31:02.078123456 level="INFO"',
      'log "late" 2026-11-23T01:31:03.078123456 level="WARN" simulated=12.345',
    ],
  ],
  'rosout.log of ROS 1': [
    'ros',
    '1795397462.078123456 INFO /talker [talker.cpp:12(main)] [topics: /rosout, /chatter] hello\n1795397463.078123456 ERROR /listener [listener.cpp:9(main)] panic\n',
    [
      '/listener "panic" 2026-11-23T01:31:03.078123456 caller="listener.cpp:9(main)" level="ERROR"',
      '/talker "hello" 2026-11-23T01:31:02.078123456 caller="talker.cpp:12(main)" level="INFO" topics="/rosout, /chatter"',
    ],
  ],
  "rospy's log": [
    'ros',
    '[rospy.client][INFO] 2026-11-23 01:31:02,078: init_node, name[/talker], pid[8]\n',
    ['rospy.client "init_node, name[/talker], pid[8]" 2026-11-23T01:31:02.078 level="INFO"'],
  ],
  'logcat by thread': [
    'logcat',
    '--------- beginning of main\n11-23 01:31:02.078  1234  5678 I ActivityManager: Start proc 99\n11-23 01:31:02.079  1234  5679 E chatty  : uid=1000 expire\n2026-11-23 01:31:02.080  1234  5679 F libc    : Fatal signal 11\n',
    [
      'ActivityManager "Start proc 99" 1970-11-23T01:31:02.078 level="I" pid=1234 thread=5678',
      'chatty "uid=1000 expire" 1970-11-23T01:31:02.079 level="E" pid=1234 thread=5679',
      'libc "Fatal signal 11" 2026-11-23T01:31:02.08 level="F" pid=1234 thread=5679',
    ],
  ],
  'JBoss, WildFly and Quarkus, with a date and without': [
    'log4j',
    '2026-11-23 01:31:02,078 INFO  [com.shop.Stock] (main) order stored order=1\n01:31:02,079 ERROR [org.jboss.as] (Controller Boot Thread) panic\n',
    [
      'com.shop.Stock "order stored" 2026-11-23T01:31:02.078 level="INFO" order=1 thread="main"',
      'org.jboss.as "panic" 1970-01-01T01:31:02.079 level="ERROR" thread="Controller Boot Thread"',
    ],
  ],
  'logcat by time, and in brief': [
    'logcat',
    '11-23 01:31:02.078 I/ActivityManager( 1234): Start proc n=99\nE/libc    (12345): panic\n',
    [
      'ActivityManager "Start proc" 1970-11-23T01:31:02.078 level="I" n=99 pid=1234',
      'libc "panic" level="E" pid=12345',
    ],
  ],
  'candump -l, whose data may look like numbers': [
    'candump',
    '(1795397462.249713) vcan0 044#2A366C2BBA\n(1795397462.449847) vcan0 0F6#12345678 T\n(1795397462.549847) can1 18FF45E6##17E05\n(1795397462.649847) can1 123#R\n',
    [
      'can1 "18FF45E6" 2026-11-23T01:31:02.549847 data="7E05" flags="1"',
      'can1 "123" 2026-11-23T01:31:02.649847 data="R"',
      'vcan0 "044" 2026-11-23T01:31:02.249713 data="2A366C2BBA"',
      'vcan0 "0F6" 2026-11-23T01:31:02.449847 data="12345678" direction="T"',
    ],
  ],
  'candump -t a, and with more': [
    'candump',
    " (1795397462.249713)  vcan0  044   [5]  2A 36 6C 2B BA\n (1795397462.349713)  vcan0  RX - -  0F6   [2]  11 22   '.\"'\n",
    [
      'vcan0 "044" 2026-11-23T01:31:02.249713 data="2A 36 6C 2B BA" length=5',
      'vcan0 "0F6" 2026-11-23T01:31:02.349713 data="11 22" direction="RX" flags="- -" length=2',
    ],
  ],
  'dmesg, since the start and with a date': [
    'kernel',
    '[    0.000000] Linux version 6.1\n[   12.345678] usb 1-1: new device\n<6>[   13.000001][  T1] root=/dev/sda\n[Mon Nov 23 01:31:02 2026] oom-kill\n',
    [
      'log "Linux version 6.1" 1970-01-01T00:00:00',
      'log "usb 1-1: new device" 1970-01-01T00:00:12.345678',
      'log "root=/dev/sda" 1970-01-01T00:00:13.000001 priority=6 thread="T1"',
      'log "oom-kill" 2026-11-23T01:31:02',
    ],
  ],
  'ESP-IDF by the time of day': [
    'esp-idf',
    'I (01:31:02.078) wifi: connected\nW (01:31:02.500) main: heap low free=5\n',
    [
      'main "heap low" 1970-01-01T01:31:02.5 free=5 level="W"',
      'wifi "connected" 1970-01-01T01:31:02.078 level="I"',
    ],
  ],
};
