import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/library/system.ts";
import { casesOf } from "../../../support/cases.ts";
import { type InsideHost, inside } from "../../../support/inside.ts";
import { insideScene } from "../../../support/inside-scene.ts";
import { type Scripted, type SeenRequest, scriptedServer } from "../../../support/scripted-server.ts";
import { isWebhookMessage } from "../../../support/webhook-message.ts";

interface Example {
  isFromRoster(headers: SeenRequest["headers"], body: string, secret: string): boolean;
}

const { isFromRoster } = (await import(pathToFileURL("examples/integrations/webhook/verify.mjs").href)) as Example;

const secret = "whsec-4f1c7d2b9a6e8053";

/** Waits in no time. */
const clock = { ...systemClock, wait: async () => undefined };

/** A drift of two people who are not there, and somebody who is to be told of it. */
async function scene(script: readonly Scripted[] = [{ status: 204, text: "" }], path = "/hook") {
  const at = await insideScene();
  const server = await scriptedServer(script);
  onTestFinished(() => server.close());
  const url = new URL(path, server.endpoint).href;
  const drift = (more: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    at.run(["drift", ...more], { clock, env: { ROSTER_WEBHOOK: url, ...env } });
  return { ...at, server, url, drift };
}

function isSigned({ headers, body }: SeenRequest): boolean {
  return isFromRoster(headers, JSON.stringify(body), secret);
}

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

describe("a drift that names a webhook", () => {
  test("tells it what differs, signed, and says so on standard error alone", async () => {
    const { drift, server, url } = await scene();
    const { code, stdout, stderr } = await drift(["--format", "markdown"], { ROSTER_WEBHOOK_SECRET: secret });
    const [request] = server.seen;
    if (request === undefined) throw new Error("nothing was sent");
    expect([code, server.seen.length, request.method, request.url]).toEqual([2, 1, "POST", "/hook"]);
    expect(isWebhookMessage(request.body), JSON.stringify(isWebhookMessage.errors)).toBe(true);
    expect(request.body).toMatchObject({
      type: "drift",
      delivery: request.headers["roster-delivery"],
      marker: "<!-- roster:drift -->",
      exit_code: 2,
      means: "changes are pending",
      changes: 5,
      blocking: 0,
      only_new: false,
      classes: { unapplied: { new: 5, known: 0, accepted: 0 }, tampered: { new: 0, known: 0, accepted: 0 } },
      items_left_out: 0,
      errors: [],
    });
    expect(isSigned(request)).toBe(true);
    expect(stdout).toContain("<!-- roster:drift -->");
    expect(stderr).toContain(
      `notified the webhook at ${new URL(url).origin} (delivery ${request.headers["roster-delivery"]})`,
    );
  });

  test("tells it nothing where all is well, nor where nothing is new and only that is wanted", async () => {
    const { drift, run, server } = await scene();
    await drift(["--only-new"]);
    expect(server.seen.length).toBe(1);
    expect((await drift(["--only-new"])).code).toBe(0);
    await run(["apply", "--auto-approve"]);
    expect((await drift()).code).toBe(0);
    expect(server.seen.length).toBe(1);
  });

  test("tells it of what is known already as such", async () => {
    const { drift, server } = await scene();
    await drift();
    await drift();
    expect(server.seen[1]?.body).toMatchObject({ classes: { unapplied: { new: 0, known: 5, accepted: 0 } } });
  });

  test("tells it once where the time is over, and does not try again", async () => {
    const { drift, server } = await scene([{ status: 503, text: "" }]);
    expect((await drift(["--deadline", "0"])).code).toBe(1);
    expect(server.seen.length).toBe(1);
    await drift();
    expect(server.seen.length).toBe(1 + 3);
  });

  test("tells it of a failure too", async () => {
    const { drift, server } = await scene();
    const { code } = await drift(["--endpoint", "http://127.0.0.1:9"]);
    expect(code).toBe(1);
    const [request] = server.seen;
    expect(isWebhookMessage(request?.body)).toBe(true);
    expect(request?.body).toMatchObject({ exit_code: 1, errors: [{ message: expect.any(String) }] });
  });

  test.each<readonly [string, readonly Scripted[], number, string]>([
    [
      "a server that fails for a moment",
      [{ status: 503, text: "" }, "reset", { status: 200, text: "ok" }],
      3,
      "notified",
    ],
    ["a server that fails", [{ status: 500, text: "" }], 3, "was not notified: it answered 500"],
    ["a server that refuses", [{ status: 401, text: "" }], 1, "was not notified: it answered 401"],
    [
      "a redirect",
      [{ status: 307, headers: { location: "http://127.0.0.1:9/" }, text: "" }],
      1,
      "was not notified: it answered 307; roster does not follow redirects",
    ],
  ])("meets %s, with the same delivery at each attempt, and ends with the same code", async (_, script, many, says) => {
    const { drift, server } = await scene(script);
    const { code, stderr } = await drift([], { ROSTER_WEBHOOK_SECRET: secret });
    expect({ code, many: server.seen.length }).toEqual({ code: 2, many });
    expect(stderr).toContain(says);
    const first = server.seen[0];
    for (const request of server.seen) {
      expect(request.body).toEqual(first?.body);
      expect(request.headers["roster-delivery"]).toBe(first?.headers["roster-delivery"]);
      expect(isSigned(request)).toBe(true);
    }
  });

  test("sends no signature where there is no secret, and never the API key", async () => {
    const { drift, server } = await scene();
    await drift();
    const headers = server.seen[0]?.headers ?? {};
    expect(Object.keys(headers).filter((name) => name.startsWith("roster-"))).toEqual([
      "roster-delivery",
      "roster-timestamp",
    ]);
    expect(Object.keys(headers)).not.toContain("authorization");
  });

  test("tells nothing where somebody interrupts it", async () => {
    const { host, url, server } = await scene();
    const interrupted: InsideHost = host();
    interrupted.interrupt("SIGTERM");
    const { code } = await inside(["drift"], { cwd: interrupted.cwd, env: { ROSTER_WEBHOOK: url } }, interrupted);
    expect({ code, many: server.seen.length }).toEqual({ code: 143, many: 0 });
  });
});

describe("what of a webhook is secret", () => {
  test("is in no output, and counts without the white space around it", async () => {
    const { drift, server, cwd, url } = await scene([{ status: 400, text: "" }], "/services/T0000000000000000001/hook");
    const named = `${secret} ${url} T0000000000000000001`;
    writeFileSync(
      join(cwd, "roster.yaml"),
      `version: 1\naccount: ${JSON.stringify(named)}\nusers: [{ email: a@b, firstName: A, lastName: B }]\n`,
    );
    const { stdout, stderr } = await drift(["--format", "json", "--debug"], { ROSTER_WEBHOOK_SECRET: `${secret}\n` });
    const [request] = server.seen;
    expect(request !== undefined && isSigned(request)).toBe(true);
    for (const text of [stdout, stderr, JSON.stringify(request?.body)]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain("T0000000000000000001");
    }
  });
});

describe("a webhook that cannot be told is refused before anything is read (3)", () => {
  const good = "https://hooks.acme.example/roster";
  test.each(
    casesOf([
      "no address | hooks | | The webhook is not an address.",
      "in the open | http://hooks.acme.example/roster | | The webhook at http://hooks.acme.example is",
      "not by HTTP | file:///etc/passwd | | The webhook at file:// is not",
      "with credentials | https://a:b@hooks.acme.example/ | | The webhook holds credentials",
      `signed with a guess | ${good} | short | The secret of the webhook`,
    ]),
  )("%s", async (_, ROSTER_WEBHOOK = "", ROSTER_WEBHOOK_SECRET = "", said = "") => {
    const { run, server } = await insideScene();
    const told = await run(["drift"], { env: { ROSTER_WEBHOOK, ROSTER_WEBHOOK_SECRET } });
    expect({ code: told.code, asked: server.requests.length }).toEqual({ code: 3, asked: 0 });
    expect(told.stderr).toContain(`error[bad-value]: ${said}`);
  });

  test("and no setting leads it anywhere", async () => {
    const { run, cwd } = await insideScene();
    writeFileSync(join(cwd, "roster.config.yaml"), `webhook: ${good}\n`);
    const { code, stderr } = await run(["drift"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("The settings file has no key `webhook`.")]);
  });
});
