import { problem, success } from "../model/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { HttpClient } from "../ports/http-client.ts";
import type { NetworkOptions } from "./connector.ts";
import { openOrigin } from "./origin.ts";

interface HttpClientOptions extends NetworkOptions {
  /** Scheme, host and port: a request to any other origin is not sent. */
  readonly origin: string;
  /** Milliseconds for one request as a whole, from its handing over to the last byte of its answer. */
  readonly timeout: number;
  /** The largest answer, in bytes. */
  readonly largestAnswer: number;
  readonly clock: Pick<Clock, "now">;
}

const connections = 4;

/** Opens no connection before the first request. Answers come as they are: no redirect is followed, nothing is decompressed. */
export function openHttpClient(options: HttpClientOptions): HttpClient {
  const { origin: expected, ...limits } = options;
  const { origin } = new URL(expected);
  const opened = openOrigin({ origin, connections, ...limits });
  return {
    async send({ method, url, headers, body }) {
      if (url.origin !== origin) {
        return problem({
          sent: false,
          cause: `the request is for ${url.origin}, and nothing is sent but to ${origin}`,
        });
      }
      const path = `${url.pathname}${url.search}`;
      const exchange = await opened.send({
        method,
        path,
        headers,
        onceSent: "let-end",
        ...(body === undefined ? {} : { body }),
      });
      if (exchange.is === "answer") {
        const { status, headers: answered, body: text } = exchange;
        return success({ status, headers: answered, body: text });
      }
      const { sent, cause, hint } = exchange;
      return problem({ sent, cause, ...(hint === undefined ? {} : { hint }) });
    },
    close: () => opened.close(),
  };
}
