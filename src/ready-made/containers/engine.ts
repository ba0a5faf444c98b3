import { run } from '../shared/command.js';

/** A network that a container is attached to. */
export interface Attachment {
  readonly network: string;
  readonly aliases: readonly string[];
  /** The assigned addresses. With Podman, all current addresses. */
  readonly addresses: readonly string[];
}

/** A container, as described by its engine. */
export interface Container {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly status: string;
  /** The pid of the container's first process on the engine's machine; 0 if the container is not running. */
  readonly pid: number;
  readonly startedAt: string;
  /** The health check's state; undefined if the container has no health check. */
  readonly health: string | undefined;
  /** True if the engine removes the container when it exits. */
  readonly isRemovedAtEnd: boolean;
  readonly host: HostConfig;
  readonly networks: Readonly<Record<string, NetworkSettings>>;
}

/** The limits stored by the engine; 0 for no limit. */
export interface HostConfig {
  readonly NanoCpus: number;
  readonly CpuQuota: number;
  readonly CpuPeriod: number;
  readonly Memory: number;
  readonly MemorySwap: number;
}

export interface NetworkSettings {
  readonly IPAddress: string;
  readonly GlobalIPv6Address: string;
  readonly IPAMConfig: {
    readonly IPv4Address?: string;
    readonly IPv6Address?: string;
  } | null;
  readonly Aliases: readonly string[] | null;
  readonly Links: readonly string[] | null;
  readonly DriverOpts: Readonly<Record<string, string>> | null;
}

/** The properties used from the output of `inspect`, which both engines have. */
interface Inspection {
  readonly Id: string;
  readonly Name: string;
  readonly State: {
    readonly Status: string;
    readonly Pid: number;
    readonly StartedAt: string;
    readonly Health?: { readonly Status: string };
  };
  readonly Config: {
    readonly Labels: Readonly<Record<string, string>> | null;
    readonly Healthcheck?: { readonly Test?: readonly string[] };
  };
  readonly HostConfig: HostConfig & { readonly AutoRemove: boolean };
  readonly NetworkSettings: { readonly Networks?: Readonly<Record<string, NetworkSettings>> };
}

/** Returns the container with an id or a name; undefined if there is no such container. */
export function inspect(engine: string, target: string): Container | undefined {
  let output: string;
  try {
    output = run(engine, ['inspect', '--type', 'container', target]);
  } catch (error) {
    if (error instanceof Error && /no such (object|container)/i.test(error.message)) {
      return undefined;
    }
    throw error;
  }
  const [inspection] = JSON.parse(output) as readonly Inspection[];
  if (inspection === undefined) return undefined;
  const { Config: config, State: state, HostConfig: host } = inspection;
  const [test = 'NONE'] = config.Healthcheck?.Test ?? [];
  return {
    id: inspection.Id,
    name: inspection.Name.replace(/^\//, ''),
    labels: config.Labels ?? {},
    status: state.Status,
    pid: state.Pid,
    startedAt: state.StartedAt,
    health: test === 'NONE' ? undefined : state.Health?.Status,
    isRemovedAtEnd: host.AutoRemove,
    host,
    networks: inspection.NetworkSettings.Networks ?? {},
  };
}

/** Returns all containers with the label `key=value`, in any state. */
export function findByLabel(engine: string, key: string, value: string): readonly Container[] {
  const filter = `label=${key}=${value}`;
  const ids = run(engine, ['ps', '--all', '--no-trunc', '--quiet', '--filter', filter]);
  return (
    ids
      .split('\n')
      .flatMap((id) => (id === '' ? [] : (inspect(engine, id) ?? [])))
      // Podman interprets wildcards in labels.
      .filter(({ labels }) => labels[key] === value)
  );
}

/** True if the container has processes, including paused processes. */
export const isUp = ({ status }: Container): boolean =>
  ['running', 'paused', 'stopping'].includes(status);
