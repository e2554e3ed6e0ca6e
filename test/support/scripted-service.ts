import { onTestFinished } from "vitest";
import { httpAccountService } from "../../src/service/client.ts";
import { ApiKey } from "../../src/service/secrets.ts";
import { clockAt, countingRandomness, type MovableClock } from "./fixed-ports.ts";
import { scriptedServer } from "./scripted-server.ts";

interface Ports extends Partial<Omit<Parameters<typeof httpAccountService>[0], "endpoint" | "clock">> {
  readonly clock?: MovableClock;
}

/** A service of this machine that answers as the script says, at a path of it, and a client; both end with the test. */
export async function scriptedService(script: Parameters<typeof scriptedServer>[0], ports: Ports = {}, path = "") {
  const server = await scriptedServer(script);
  onTestFinished(() => server.close());
  return { server, ...clientAt(new URL(path, server.endpoint), ports) };
}

/** A client with the key pre1.s3cr3tpart, and the lines that it traces. */
export function clientAt(endpoint: URL, { clock = clockAt("2026-11-20T10:00:00.000Z"), ...ports }: Ports = {}) {
  const lines: string[] = [];
  const service = httpAccountService({
    endpoint,
    key: new ApiKey("pre1.s3cr3tpart"),
    clock,
    randomness: countingRandomness(),
    parallelism: 4,
    trace: (line) => void lines.push(line),
    ...ports,
  });
  onTestFinished(() => service.close());
  return { service, clock, lines };
}
