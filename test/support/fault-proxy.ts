import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { AtEnd } from "./command.ts";
import type { Fault } from "./fault.ts";
import { answer, answerFalsely, drip, type Told, taken, writeHalf } from "./fault-answers.ts";

export interface PassedRequest {
  /** Counted from 1 since the proxy began or was revived. */
  readonly number: number;
  readonly method: string;
  /** As it was sent, with the query. */
  readonly url: string;
  readonly isWrite: boolean;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface FaultProxyOptions {
  readonly fault?: (request: PassedRequest) => Fault | undefined;
  /** Ends the command. The proxy is dead from then on: what it has not passed on yet never comes to the service. */
  readonly kill?: () => void;
  /** Is told each request right before the service is, so that it can look at the world as it is then. */
  readonly onPass?: (request: PassedRequest) => void;
  /** How long a hanging request is left without an answer; for ever where it is absent. */
  readonly patience?: () => Promise<void>;
  /** Lets milliseconds pass; in real time where it is absent. */
  readonly pass?: (milliseconds: number) => Promise<void>;
  /** Milliseconds since the epoch; the system's clock where it is absent. */
  readonly now?: () => number;
}

export type FaultProxy = Awaited<ReturnType<typeof faultProxy>>;

/** Stands between the command and the service on loopback, passes everything on and does as it is told to any request. */
export async function faultProxy(upstream: string, options: FaultProxyOptions, atEnd: AtEnd) {
  const proxy = new LoopbackProxy(upstream, options);
  await proxy.listen(0);
  atEnd(() => proxy.close());
  return proxy;
}

class LoopbackProxy {
  readonly passed: PassedRequest[] = [];
  /** Requests that came and were not answered yet, without those that hang. */
  underWay = 0;
  readonly #upstream: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #options: FaultProxyOptions;
  #port = 0;
  #count = 0;
  #isDead = false;

  constructor(upstream: string, options: FaultProxyOptions) {
    this.#upstream = upstream;
    this.#options = options;
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
      void this.#serve(incoming, outgoing);
    });
    this.#server.on("connection", (socket) => {
      if (this.#isDead) socket.resetAndDestroy();
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((listening) => this.#server.listen(port, "127.0.0.1", listening));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Other faults from now on, and a life after a kill. */
  revive(options: FaultProxyOptions): void {
    this.#options = options;
    this.#count = 0;
    this.#isDead = false;
  }

  async close(): Promise<void> {
    this.#isDead = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#agent.destroy();
    await new Promise<void>((closed) => this.#server.close(() => closed()));
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    this.underWay += 1;
    try {
      const passed = await this.#receive(incoming);
      const fault = this.#options.fault?.(passed);
      await this.#play(fault, passed, incoming, outgoing);
    } catch {
      outgoing.destroy();
    } finally {
      this.underWay -= 1;
    }
  }

  async #receive(incoming: IncomingMessage): Promise<PassedRequest> {
    const body = (await buffer(incoming)).toString("utf8");
    const { method = "", url = "", headers } = incoming;
    this.#count += 1;
    const isWrite = method === "PUT" || (method === "POST" && !/\/search(?:\?|$)/u.test(url));
    const passed = { number: this.#count, method, url, isWrite, authorization: headers.authorization, body };
    this.passed.push(passed);
    return passed;
  }

  async #play(
    fault: Fault | undefined,
    passed: PassedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    if (this.#isDead) throw new Error("the command was killed");
    const forward = () => this.#forward(passed, incoming);
    switch (fault?.is) {
      case undefined:
        return answer(outgoing, await forward());
      case "drip":
        return drip(outgoing, await forward());
      case "kill":
        return this.#kill(fault, passed, incoming, outgoing);
      case "silence": {
        const lost = fault.reaches ? await forward() : undefined;
        if (fault.how === "hang") await this.#hang();
        else if (fault.how === "truncated" && lost !== undefined) await writeHalf(outgoing, lost);
        outgoing.socket?.resetAndDestroy();
        return;
      }
      case "late":
        if (fault.says === 202) answerFalsely(outgoing, taken, this.#options.now ?? Date.now);
        else outgoing.socket?.resetAndDestroy();
        void this.#forwardLater(fault.after, forward);
        return;
      case "false-answer":
        if (fault.reaches) await forward();
        answerFalsely(outgoing, fault.answer, this.#options.now ?? Date.now);
    }
  }

  async #kill(
    { when, turns = 0 }: Extract<Fault, { readonly is: "kill" }>,
    passed: PassedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const told = when === "before-commit" ? undefined : await this.#forward(passed, incoming);
    if (when === "after-answer" && told !== undefined && !outgoing.destroyed) {
      await new Promise<void>((sent) => {
        outgoing.on("close", sent);
        outgoing.on("finish", sent);
        answer(outgoing, told);
      });
      for (let left = turns; left > 0; left -= 1) await turn();
    }
    this.#isDead = true;
    this.#options.kill?.();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #hang(): Promise<void> {
    this.underWay -= 1;
    await (this.#options.patience?.() ?? new Promise(() => undefined));
    this.underWay += 1;
  }

  async #forwardLater(milliseconds: number, forward: () => Promise<Told>): Promise<void> {
    await (this.#options.pass ?? pause)(milliseconds);
    this.underWay += 1;
    await forward().catch(() => undefined);
    this.underWay -= 1;
  }

  #forward(passed: PassedRequest, { method, headers, url = "/" }: IncomingMessage): Promise<Told> {
    this.#options.onPass?.(passed);
    const { connection: _connection, ...rest } = headers;
    return new Promise((resolve, reject) => {
      const sent = request(
        new URL(url, this.#upstream),
        { method: method ?? "GET", headers: rest, agent: this.#agent },
        (incoming) => {
          buffer(incoming).then((body) => resolve({ incoming, body }), reject);
        },
      );
      sent.on("error", reject);
      sent.end(passed.body);
    });
  }
}
