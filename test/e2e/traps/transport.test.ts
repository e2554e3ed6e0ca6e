import { describe, expect, test } from "vitest";
import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";
import { openTransport } from "../../../src/service/client.ts";
import { faultProxy } from "../../support/fault-proxy.ts";
import { timerBy } from "../../support/fixed-ports.ts";
import { writeRoster } from "../../support/roster-directory.ts";
import { certificates, overTls } from "../../support/tls-front.ts";
import { company, companyThere, scene, sceneWith, standing, writesOf } from "../../support/trap-scene.ts";

const hiccups: readonly Partial<Knobs>[] = [
  { flakyStatus: "429", retryAfter: "seconds" },
  { flakyStatus: "429", retryAfter: "date" },
  { flakyStatus: "429", retryAfter: "none" },
  { flakyStatus: "403", retryAfter: "seconds" },
  { flakyStatus: "403", retryAfter: "none" },
];

describe.concurrent("traps of transport", () => {
  test.for(hiccups)(
    "47: a service that is asked too often ($flakyStatus, Retry-After: $retryAfter) gets its time, and everything is done once",
    async (knobs, { onTestFinished }) => {
      const flaky = ["search@1", "create@1", "members@1", "keys@1"] as const;
      const at = await scene(onTestFinished, { knobs: { ...knobs, flaky }, time: "virtual" });
      const { code } = await at.apply();
      expect({ code, ...standing(at.server) }).toEqual({ code: 0, ...companyThere });
      if (knobs.retryAfter !== "seconds") return;
      const refused = at.server.requests.filter(({ status }) => String(status) === knobs.flakyStatus);
      const waits = refused.map(({ at: when, method, path }) => {
        const again = at.server.requests.find((one) => one.at > when && one.method === method && one.path === path);
        return Date.parse(again?.at ?? when) - Date.parse(when);
      });
      expect(waits.filter((wait) => wait < 1000)).toEqual([]);
      expect(waits).toHaveLength(4);
    },
  );

  test.for([
    ["search@1", "create@1"],
    ["members@1", "keys@1"],
  ] as const)(
    "47: a service that is busy (503 to %s) is asked again, and reading tells whether a write was done",
    async (flaky, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { flaky }, time: "virtual" });
      await at.apply();
      const codes = [(await at.apply()).code, (await at.plan()).code];
      expect({ codes, ...standing(at.server) }).toEqual({ codes: [0, 0], ...companyThere });
    },
  );

  test.for([
    [{ html200: ["any@all"] }, 1],
    [{ html200: ["search@all"] }, 1],
    [{ html200: ["list@all"] }, 1],
    [{ flaky: ["list@all"], flakyStatus: "400", errorStatus: "200", error: "X10" }, 1],
    [{ flaky: ["any@all"], flakyStatus: "401", errorStatus: "200", error: "X1" }, 4],
  ] as const)(
    "48: an answer of success that is none (%o) is an error, and nobody's absence",
    async ([knobs, code], { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs });
      const report = await at.apply();
      expect({ code: report.code, planned: report.planned, writes: writesOf(at.server) }).toEqual({
        code,
        planned: [],
        writes: [],
      });
    },
  );

  test("48: a creation that is answered by a login page was not done, and is done once", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { html200: ["create@1"] }, time: "virtual" });
    await at.apply();
    at.server.setKnobs({ html200: [] });
    const codes = [(await at.apply()).code, (await at.plan()).code];
    expect({ codes, ...standing(at.server) }).toEqual({ codes: [0, 0], ...companyThere });
  });

  test.for([
    { redirectStatus: "301", redirectTo: "same" },
    { redirectStatus: "307", redirectTo: "other" },
    { redirectStatus: "308", redirectTo: "other" },
  ] as const)(
    "49: a redirect ($redirectStatus, $redirectTo origin) is not followed",
    async (knobs, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { ...knobs, redirect: ["create@all"] } });
      const { code, output } = await at.apply();
      const hosts = new Set(at.server.requests.map(({ host }) => `http://${host}`));
      const followed = at.server.requests.filter(({ path }) => path.startsWith("/moved"));
      expect({ code, hosts, followed, says: output.stdout.includes("redirect"), ...standing(at.server) }).toEqual({
        code: 7,
        hosts: new Set([at.server.endpoint]),
        followed: [],
        says: true,
        people: [],
        teams: [],
        mails: [],
        keys: [],
      });
    },
  );

  test("50: answers without a body are understood", async ({ onTestFinished }) => {
    const knobs = { create: "C8", members: "M3", putRolesAnswer: "empty" } as const;
    const at = await scene(onTestFinished, { knobs });
    const codes = [(await at.apply()).code, (await at.plan()).code];
    expect({ codes, ...standing(at.server) }).toEqual({ codes: [0, 0], ...companyThere });
  });

  test.for([
    ["root", "/"],
    ["root", "/api/"],
    ["modzy", "/modzy"],
    ["modzy", "/modzy/api"],
  ] as const)(
    "51: where the service is served from its %s, the endpoint '%s' leads to it",
    async ([basePath, path], { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { basePath } });
      const through = await sceneWith(onTestFinished, at.server, company, `${at.server.endpoint}${path}`);
      const { code } = await through.plan();
      const start = basePath === "root" ? "/api/accounting/" : "/modzy/api/accounting/";
      const odd = at.server.requests.filter((one) => !one.path.startsWith(start) || one.path.includes("//"));
      expect({ code, odd, asked: at.server.requests.length > 0 }).toEqual({ code: 2, odd: [], asked: true });
    },
  );

  test.for([
    ["private", {}, 1, "its certificate is self-signed"],
    ["expired", { NODE_EXTRA_CA_CERTS: `${certificates}/expired.pem` }, 1, "its certificate has expired"],
    ["private", { NODE_EXTRA_CA_CERTS: `${certificates}/private.pem` }, 2, "create-user:bo@acme.example"],
  ] as const)(
    "52: a certificate (%s, trusted by %o) is judged and named",
    async ([name, trust, code, says], { onTestFinished }) => {
      const at = await scene(onTestFinished, {});
      const endpoint = await overTls(at.server.endpoint, name, onTestFinished);
      const through = await sceneWith(onTestFinished, at.server, company, endpoint);
      const run = await through.runBuilt(["plan", "--detailed-exitcode", "--format", "json"], trust);
      expect({ code: run.code, says: run.stdout.includes(says), sent: at.server.requests.length > 0 }).toEqual({
        code,
        says: true,
        sent: code === 2,
      });
    },
  );

  test("52: a key is not sent over plain http off this machine", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {});
    const run = await at.run(["plan"], { ROSTER_ENDPOINT: "http://accounts.example.com" });
    expect({ code: run.code, says: run.stderr.includes("unencrypted") }).toEqual({ code: 3, says: true });
  });

  test.for(["KEY\n", "  ApiKey   KEY\r\n"] as const)(
    "53: a key as files hold it (%j) is sent as it is meant, and told nowhere",
    async (written, { onTestFinished }) => {
      const at = await scene(onTestFinished, {});
      const proxy = await faultProxy(at.server.endpoint, {}, onTestFinished);
      await writeRoster(at.directory, { "key.txt": written.replace("KEY", at.server.key) });
      const env = { ROSTER_ENDPOINT: proxy.endpoint, ROSTER_API_KEY: "", ROSTER_API_KEY_FILE: "key.txt" };
      const run = await at.run(["plan", "--debug"], env);
      const told = [run.stdout, run.stderr, ...proxy.passed.map(({ url }) => url)].join("\n");
      const [, secret = ""] = at.server.key.split(".");
      expect({
        code: run.code,
        sent: new Set(proxy.passed.map(({ authorization }) => authorization)),
        leaks: told.includes(secret),
      }).toEqual({
        code: 0,
        sent: new Set([`ApiKey ${at.server.key}`]),
        leaks: false,
      });
    },
  );

  test("53: a key with a line break within is refused, and not shown", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {});
    const run = await at.run(["plan"], { ROSTER_API_KEY: "prefix.hush\r\nx: hush" });
    expect({ code: run.code, leaks: (run.stdout + run.stderr).includes("hush"), requests: at.server.requests }).toEqual(
      {
        code: 3,
        leaks: false,
        requests: [],
      },
    );
  });

  test("53: an error that quotes the key is told without it", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { flaky: ["list@all", "search@all"], flakyStatus: "400" } });
    const run = await at.run(["plan", "--debug"]);
    const [, secret = ""] = at.server.key.split(".");
    expect({ code: run.code, leaks: (run.stdout + run.stderr).includes(secret) }).toEqual({ code: 1, leaks: false });
  });

  test.for(["hang", "hangBody"] as const)(
    "54: a service that goes silent (%s) is given up in time, and a creation may have been done",
    async (silence, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { [silence]: ["create@1", "list@1"] } });
      const options = {
        origin: at.server.endpoint,
        connections: 1,
        timeout: 1500,
        largestAnswer: 1024,
        clock: timerBy(),
      };
      const transport = openTransport(options);
      onTestFinished(() => transport.close());
      const user = JSON.stringify({ email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" });
      const common = { shown: "" } as const;
      const path = "/api/accounting/accounts/acc-1/users";
      const created = await transport.send(
        { ...common, method: "POST", path, body: user, effect: "write" },
        at.server.key,
      );
      const listed = await transport.send(
        { ...common, method: "GET", path: "/api/accounting/users", effect: "read" },
        at.server.key,
      );
      expect([created, listed].map((one) => (one.is === "no-answer" ? [one.why, one.sent] : one.status))).toEqual([
        ["timed-out", true],
        ["timed-out", true],
      ]);
      expect(standing(at.server).people).toEqual(["ada@acme.example"]);
    },
  );
});
