import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { type HttpRequest, openOrigin } from "../../../src/http/origin.ts";
import { timerBy } from "../../support/fixed-ports.ts";
import { type RawScript, rawServer } from "../../support/raw-server.ts";

const get: HttpRequest = { method: "GET", path: "/", headers: {}, onceSent: "cut-off" };
const post: HttpRequest = { method: "POST", path: "/", headers: {}, body: "{}", onceSent: "let-end" };

const limits = { connections: 1, timeout: 10_000, largestAnswer: 10_000, clock: timerBy() };

function saying(text: string | Buffer, then: "stay" | "end" = "stay"): RawScript {
  return (socket) => {
    socket.write(text);
    if (then === "end") socket.end();
  };
}

const ok = (body: string, ...headers: readonly string[]) =>
  ["HTTP/1.1 200 OK", `content-length: ${body.length}`, ...headers, "", body].join("\r\n");

const settle = () => new Promise((done) => setTimeout(done, 30));

function drip(socket: Socket, first: string, each: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(each), 10);
  socket.on("close", () => clearInterval(timer));
}

async function byteByByte(socket: Socket, text: string): Promise<void> {
  for (const byte of Buffer.from(text.replace("content-length: 7", "content-length: 8"))) {
    socket.write(Buffer.of(byte));
    await new Promise((next) => setImmediate(next));
  }
}

describe("an origin:", () => {
  async function against(script: RawScript, options: Partial<typeof limits> = {}) {
    const server = await rawServer(script, onTestFinished);
    const opened = openOrigin({ origin: server.origin, ...limits, ...options });
    onTestFinished(() => opened.close());
    return { server, send: opened.send };
  }

  describe("an answer that is none", () => {
    test("because it is random is told, sent once, and never taken for one", async () => {
      const noise = Buffer.from(Array.from({ length: 500 }, (_, at) => (at * 89) % 256));
      const { server, send } = await against(saying(noise));
      expect(await send(post)).toMatchObject({ sent: true, cause: "the answer is not valid HTTP" });
      await settle();
      expect(server.seen).toEqual(["POST / HTTP/1.1 {}"]);
    });

    test.each<[string, (socket: Socket) => void]>([
      ["its head", (socket) => drip(socket, "HTTP/1.1 200 OK\r\nx: ", "y")],
      ["its body", (socket) => drip(socket, "HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n", " ")],
      ["one hint after another", (socket) => drip(socket, "", "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n")],
    ])("because %s drips is given up in time", async (_name, script) => {
      const { server, send } = await against(script, { timeout: 1500 });
      const exchange = await send(post);
      expect(exchange).toEqual({ is: "no-answer", sent: true, why: "timed-out", cause: "no answer came within 1.5 s" });
      expect(server.seen.length).toBe(1);
    });

    test.each([
      ["grows without an end", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"],
      ["goes on until the connection ends", "HTTP/1.0 200 OK\r\n\r\n"],
    ])("because it %s is given up at the bound", async (_name, head) => {
      const { send } = await against((socket) => drip(socket, head, `3e8\r\n${"x".repeat(1000)}\r\n`));
      expect(await send(get)).toEqual({
        is: "no-answer",
        sent: true,
        why: "unreadable",
        cause: "the answer is larger than 10000 bytes",
      });
    });
  });

  describe("a compressed answer that nobody asked for", () => {
    const bomb = gzipSync("[]".padEnd(1_000_000));

    test("is no answer, and a refusal is one all the same, without its words", async () => {
      const whole = `HTTP/1.1 200 OK\r\ncontent-length: ${bomb.length}\r\ncontent-encoding: gzip\r\n\r\n`;
      const read = await against(saying(Buffer.concat([Buffer.from(whole), bomb])));
      expect(await read.send(get)).toMatchObject({ is: "no-answer", sent: true, why: "unreadable" });
      const head = `HTTP/1.1 401 No\r\ncontent-length: ${bomb.length}\r\ncontent-encoding: gzip\r\n\r\n`;
      const { send } = await against(saying(Buffer.concat([Buffer.from(head), bomb])));
      expect(await send(get)).toMatchObject({ is: "answer", status: 401, body: "" });
    });
  });

  describe("an answer that is odd", () => {
    test("byte by byte is read", async () => {
      const { send } = await against((socket) => void byteByByte(socket, ok('{"é":1}')));
      expect(await send(get)).toMatchObject({ is: "answer", status: 200, body: '{"é":1}' });
    });

    test.each([
      ["more bytes", `${ok("{}")}[{"id":9}]`],
      ["another answer", `${ok("{}")}${ok('{"id":9}')}`],
    ])("%s after its end belong to nobody", async (_name, text) => {
      const { server, send } = await against((socket, number) => socket.write(number === 1 ? text : ok('{"id":2}')));
      expect(await send(get)).toMatchObject({ is: "answer", body: "{}" });
      expect(await send(get)).toMatchObject({ is: "answer", body: '{"id":2}' });
      expect({ seen: server.seen.length, connections: server.connections() }).toEqual({ seen: 2, connections: 2 });
    });

    test("another answer that comes a moment later belongs to nobody either", async () => {
      let first: Socket | undefined;
      const { server, send } = await against((socket, number) => {
        socket.write(number === 1 ? ok("{}") : ok('{"id":2}'));
        first ??= socket;
      });
      expect(await send(get)).toMatchObject({ is: "answer", body: "{}" });
      await settle();
      first?.write(ok('{"id":9}'));
      await settle();
      expect(await send(get)).toMatchObject({ is: "answer", body: '{"id":2}' });
      expect(server.seen.length).toBe(2);
    });
  });

  describe("a connection that is used again", () => {
    test("and was closed meanwhile is replaced, and the request is sent once", async () => {
      const { server, send } = await against((socket, number) => {
        socket.write(ok("{}"));
        if (number === 1) socket.end();
      });
      await send(get);
      expect(await send(post)).toMatchObject({ is: "answer" });
      await settle();
      expect(await send(post)).toMatchObject({ is: "answer" });
      expect({ seen: server.seen, connections: server.connections() }).toEqual({
        seen: ["GET / HTTP/1.1", "POST / HTTP/1.1 {}", "POST / HTTP/1.1 {}"],
        connections: 2,
      });
    });

    test.each<[string, (socket: Socket) => void]>([
      ["closed", (socket) => socket.end()],
      ["reset", (socket) => socket.resetAndDestroy()],
    ])("and is %s as the request arrives has sent it, once", async (_name, close) => {
      const { server, send } = await against((socket, number) =>
        number === 1 ? socket.write(ok("{}")) : close(socket),
      );
      await send(get);
      expect(await send(post)).toMatchObject({ is: "no-answer", sent: true, why: "unreachable" });
      await settle();
      expect(server.seen).toEqual(["GET / HTTP/1.1", "POST / HTTP/1.1 {}"]);
    });
  });
});
