import Pool from "undici/lib/dispatcher/pool.js";
import type { Client, ClientOptions, Sending } from "./sending.ts";

type Handler = Parameters<Pool["dispatch"]>[1];

/** Takes longer to start than Node's own client, and less time for each of many requests. */
export function undiciClient({ origin, connections, connect }: ClientOptions): Client {
  const pool = new Pool(origin, {
    connections,
    connect: (_target, callback) => connect(callback),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    send(sending) {
      const { path, method, body } = sending.request;
      const { headers } = sending;
      pool.dispatch({ path, method, headers, ...(body === undefined ? {} : { body }) }, handlerOf(sending));
    },
    destroy: () => pool.destroy(),
  };
}

function handlerOf(sending: Sending): Handler {
  return {
    onRequestStart(controller) {
      // To throw is how a request is withdrawn whose connection then serves the next one: an abort would end that as well.
      if (!sending.leave()) throw new Error("withdrawn");
      sending.cutBy(() => controller.abort(new Error("given up")));
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200) sending.head(status, pairs(headers));
    },
    onResponseData: (_controller, chunk) => sending.data(chunk),
    onResponseEnd: () => sending.end(),
    onResponseError: (_controller, error) => sending.fail(error),
  };
}

function pairs(headers: Parameters<Handler["onResponseStart"]>[2]): readonly (readonly [string, string])[] {
  const all: (readonly [string, string])[] = [];
  for (const [name, value = []] of Object.entries(headers)) {
    if (typeof value === "string") all.push([name, value]);
    else for (const one of value) all.push([name, one]);
  }
  return all;
}
