import { STATUS_CODES } from "node:http";
import { onTestFinished } from "vitest";
import {
  type ReferenceServer,
  type ReferenceServerOptions,
  startReferenceServer,
} from "../../../src/reference-server/server.ts";
import { expectDescribed } from "./described-answers.ts";

interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export interface RunningServer extends ReferenceServer {
  /** Sends a request with the administrator's key, and holds the answer against its declared shape. */
  call(method: string, path: string, body?: unknown, key?: string): Promise<Answered>;
  /** The same for raw requests. */
  send(path: string, request: RequestInit): Promise<Answered>;
}

/** A reference server that is gone when the test ends. */
export async function runningServer(options: Partial<ReferenceServerOptions> = {}): Promise<RunningServer> {
  const server = await startReferenceServer({ port: 0, now: () => Date.UTC(2026, 10, 20), ...options });
  onTestFinished(() => server.close());
  const send = async (path: string, request: RequestInit): Promise<Answered> => {
    const response = await fetch(server.endpoint + path, request);
    const body: unknown = await response.json();
    const { status, headers } = response;
    expectDescribed(request.method ?? "GET", path.split("?")[0] ?? "", status, body);
    return { status, body, headers };
  };
  const call = (method: string, path: string, body?: unknown, key = server.key): Promise<Answered> => {
    const authorization = `ApiKey ${key}`;
    if (body === undefined) return send(path, { method, headers: { authorization } });
    const headers = { authorization, "content-type": "application/json" };
    return send(path, { method, headers, body: JSON.stringify(body) });
  };
  return { ...server, send, call };
}

export function refusal(statusCode: number, message: string, server: ReferenceServer): object {
  return {
    statusCode,
    status: STATUS_CODES[statusCode],
    message,
    reportErrorUrl: `${server.endpoint}/reference/requests`,
  };
}
