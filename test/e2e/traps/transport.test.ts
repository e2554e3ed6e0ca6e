import { describe, expect, test } from "vitest";
import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";
import { openTransport } from "../../../src/service/client.ts";
import { faultProxy } from "../../support/fault-proxy.ts";
import { timerBy } from "../../support/fixed-ports.ts";
import { twoPeople } from "../../support/inside-scene.ts";
import { writeRoster } from "../../support/roster-directory.ts";
import { certificates, overTls } from "../../support/tls-front.ts";
import { companyThere, scene, sceneWith, standing } from "../../support/trap-scene.ts";

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
    ["root", "/"],
    ["root", "/api/"],
    ["modzy", "/modzy"],
    ["modzy", "/modzy/api"],
  ] as const)(
    "51: where the service is served from its %s, the endpoint '%s' leads to it",
    async ([basePath, path], { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { basePath } });
      const through = await sceneWith(onTestFinished, at.server, twoPeople, `${at.server.endpoint}${path}`);
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
      const through = await sceneWith(onTestFinished, at.server, twoPeople, endpoint);
      const run = await through.runBuilt(["plan", "--detailed-exitcode", "--format", "json"], trust);
      expect({ code: run.code, says: run.stdout.includes(says), sent: at.server.requests.length > 0 }).toEqual({
        code,
        says: true,
        sent: code === 2,
      });
    },
  );

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
