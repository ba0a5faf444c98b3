import type { RecordedMessage } from './write-mcap.js';

const TWIST = `geometry_msgs/Vector3 linear
geometry_msgs/Vector3 angular
================================================================================
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
`;

const STATE = `uint8 IDLE=0
builtin_interfaces/Time stamp
uint8 mode
int64 count
bool armed
string label
float32[] ranges
uint8[] image
uint8[16] uuid
float64 limit
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
`;

const command = {
  topic: '/cmd_vel',
  type: 'geometry_msgs/msg/Twist',
  definition: TWIST,
  metadata: { node: 'planner' },
};
const state = { topic: '/state', type: 'robot_msgs/msg/State', definition: STATE };
const twist = (x: number) => ({
  linear: { x, y: 0, z: -0.5 },
  angular: { x: 0, y: 0, z: 0.25 },
});

/** What a robot said, one message later in the file than it was logged. */
export const RECORDED: readonly RecordedMessage[] = [
  { ...command, time: 1_700_000_000_000_000_001n, fields: twist(1) },
  { ...command, time: 1_700_000_000_300_000_000n, fields: twist(1.5) },
  {
    ...state,
    time: 1_700_000_000_200_000_000n,
    published: 1_700_000_000_199_999_999n,
    fields: {
      stamp: { sec: 1_700_000_000, nanosec: 7 },
      mode: 2,
      count: 9_007_199_254_740_993n,
      armed: true,
      label: 'dock',
      ranges: [0.5, 2],
      image: new Uint8Array(2000),
      uuid: Uint8Array.from({ length: 16 }, (_, at) => at * 16),
      limit: Number.POSITIVE_INFINITY,
    },
  },
];
