import { createHmac } from "node:crypto";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { inside } from "../../../support/inside.ts";
import { insideScene } from "../../../support/inside-scene.ts";
import { type ScriptedServer, type SeenRequest, scriptedServer } from "../../../support/scripted-server.ts";
import type { Session } from "../../../support/session-steps.ts";
import { testSessions } from "../../../support/sessions.ts";
import { isWebhookMessage } from "../../../support/webhook-message.ts";

const { isFromRoster } = (await import(pathToFileURL("examples/integrations/webhook/verify.mjs").href)) as {
  isFromRoster(headers: SeenRequest["headers"], body: string, secret: string): boolean;
};

const secret = "whsec-4f1c7d2b9a6e8053";

test("what the example of a receiver takes for roster's is signed with the secret, of now, and unchanged", () => {
  const body = "{}";
  const signed = (seconds: number, by = secret) => {
    const timestamp = String(Math.floor(Date.now() / 1000) - seconds);
    const digest = createHmac("sha256", by).update(`${timestamp}.${body}`).digest("hex");
    return { "roster-timestamp": timestamp, "roster-signature": `v1=${digest}` };
  };
  expect([
    isFromRoster(signed(0), body, secret),
    isFromRoster(signed(400), body, secret),
    isFromRoster(signed(0), "{ }", secret),
    isFromRoster(signed(0), body, `${secret}x`),
    isFromRoster({}, body, secret),
    // A receiver that was given no secret believes nobody.
    isFromRoster(signed(0, ""), body, ""),
  ]).toEqual([true, false, false, false, false, false]);
});

const hooks = new WeakMap<Session["names"], ScriptedServer>();

const seenBy = ({ names }: Session) => hooks.get(names)?.seen ?? [];

const answerOf = (word: string) =>
  word === "reset" ? word : { status: Number(word), headers: { location: "http://127.0.0.1:9/" }, text: "" };

testSessions(new URL("webhook.txt", import.meta.url), {
  async hears({ names }, answers) {
    const server = await scriptedServer(answers.map(answerOf));
    onTestFinished(() => server.close());
    hooks.set(names, server);
    names.set("hook", server.endpoint.href);
  },
  /** It was told so many messages, of which the last says this. */
  told(session, [count, ...json]) {
    const seen = seenBy(session);
    expect(seen.length).toBe(Number(count));
    const last = seen.at(-1);
    expect([last?.method, isWebhookMessage(last?.body), isWebhookMessage.errors]).toEqual(["POST", true, null]);
    expect(last?.body).toMatchObject({
      delivery: last?.headers["roster-delivery"],
      ...JSON.parse(json.join(" ") || "{}"),
    });
  },
  signed: (session) => expect(seenBy(session).map(isSigned)).toEqual(seenBy(session).map(() => true)),
  "one-delivery"(session) {
    const [first, ...others] = seenBy(session).map(({ headers, body }) => [headers["roster-delivery"], body]);
    for (const other of others) expect(other).toEqual(first);
    expect(seenBy(session).every(isSigned)).toBe(true);
  },
  headers(session, names) {
    const [{ headers = {} } = {}] = seenBy(session);
    expect(Object.keys(headers).filter((name) => /^(?:roster-|authorization)/u.test(name))).toEqual(names);
  },
  untold: (session, [text]) => expect(JSON.stringify(seenBy(session).map(({ body }) => body))).not.toContain(text),
});

function isSigned({ headers, body }: SeenRequest): boolean {
  return isFromRoster(headers, JSON.stringify(body), secret);
}

test("a webhook is told nothing where somebody interrupts the drift", async () => {
  const scene = await insideScene();
  const server = await scriptedServer([{ status: 204, text: "" }]);
  onTestFinished(() => server.close());
  const interrupted = scene.host({ env: { ROSTER_WEBHOOK: server.endpoint.href } });
  interrupted.interrupt("SIGTERM");
  const { code } = await inside(["drift"], { cwd: interrupted.cwd }, interrupted);
  expect({ code, many: server.seen.length }).toEqual({ code: 143, many: 0 });
});
