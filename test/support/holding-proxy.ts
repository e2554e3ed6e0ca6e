import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { AtEnd } from "./command.ts";

/** A service that is reached through a gate: the creation of users waits at it until it opens. */
export interface HoldingProxy {
  readonly endpoint: string;
  /** Resolves when somebody waits at the gate. */
  readonly reached: Promise<void>;
  open(): void;
}

export async function holdingProxy(upstream: string, atEnd: AtEnd): Promise<HoldingProxy> {
  const gate = turnstile();
  const first = turnstile();
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", headers, url = "/" } = incoming;
    const isCreation = method === "POST" && /\/accounts\/[^/]+\/users$/u.test(url);
    if (isCreation) first.open();
    void (isCreation ? gate.opened : Promise.resolve()).then(() => {
      const sent = request(new URL(url, upstream), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      sent.on("error", () => outgoing.destroy());
      incoming.pipe(sent);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { endpoint, reached: first.opened, open: gate.open };
}

function turnstile(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
