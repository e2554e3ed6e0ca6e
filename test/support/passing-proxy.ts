import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { buffer } from "node:stream/consumers";
import type { AtEnd } from "./command.ts";
import { onLoopback } from "./loopback.ts";

interface Passed {
  readonly method: string;
  readonly url: string;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer | string;
}

export interface Passing {
  /** What a request waits for. */
  readonly before?: (request: Passed) => Promise<void> | undefined;
  /** What takes the place of the service's answer. */
  readonly answer?: (request: Passed, answer: Answer) => Answer;
}

/** Stands before a service on loopback and passes everything on. */
export async function passingProxy(upstream: string, { before, answer }: Passing, atEnd: AtEnd): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", headers, url = "/" } = incoming;
    const passed = { method, url };
    void (before?.(passed) ?? Promise.resolve()).then(() => {
      const sent = request(new URL(url, upstream), { method, headers }, (came) => {
        void buffer(came).then((body) => {
          const own = { status: came.statusCode ?? 502, headers: came.headers, body };
          const told = answer?.(passed, own) ?? own;
          outgoing.writeHead(told.status, told.headers).end(told.body);
        });
      });
      sent.on("error", () => outgoing.destroy());
      incoming.pipe(sent);
    });
  });
  return `http://127.0.0.1:${await onLoopback(server, atEnd)}`;
}

/** A service that is reached through a gate: the creation of users waits at it until it opens. */
export async function holdingProxy(upstream: string, atEnd: AtEnd) {
  const gate = turnstile();
  const first = turnstile();
  const before = ({ method, url }: Passed) => {
    if (method !== "POST" || !/\/accounts\/[^/]+\/users$/u.test(url)) return undefined;
    first.open();
    return gate.opened;
  };
  const endpoint = await passingProxy(upstream, { before }, atEnd);
  return { endpoint, reached: first.opened, open: gate.open };
}

function turnstile(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
